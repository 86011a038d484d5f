#include "model/measurement_record.h"

#include <concepts>
#include <type_traits>

namespace fib::model {
namespace {

using nlohmann::ordered_json;

template <typename T, typename Plain>
concept Is = std::same_as<std::remove_const_t<T>, Plain>;

// fields(record, visit) calls visit(name, field) for every field in order, and visit.answer(name, field) for
// those of the record in which programs look for what to do next: they are always written. It is the one list
// of fields: the writer, the reader and record_fields() follow it.

template <typename Visit>
void fields(Is<RecordedDevice> auto& device, Visit& visit) {
  visit("kind", device.kind);
  visit.nullable("uuid", device.uuid);
}

template <typename Visit>
void fields(Is<RecordedInterval> auto& interval, Visit& visit) {
  visit("low_ms", interval.low_ms);
  visit("high_ms", interval.high_ms);
  visit("calls_ms", interval.calls_ms);
  visit("trials_ms", interval.trials_ms);
  visit("processes_ms", interval.processes_ms);
}

template <typename Visit>
void fields(Is<RecordedLaunches> auto& launches, Visit& visit) {
  visit("kernels", launches.kernels);
  visit("copies", launches.copies);
  visit("streams", launches.streams);
}

template <typename Visit>
void fields(Is<RecordedKernel> auto& kernel, Visit& visit) {
  visit("name", kernel.name);
  visit("symbol", kernel.symbol);
  visit("own", kernel.own);
  visit("launches", kernel.launches);
  visit("share", kernel.share);
  visit("grid", kernel.grid);
  visit("block", kernel.block);
  visit("registers", kernel.registers);
  visit("local_bytes", kernel.local_bytes);
  visit("static_shared_bytes", kernel.static_shared_bytes);
  visit("dynamic_shared_bytes", kernel.dynamic_shared_bytes);
  visit("occupancy", kernel.occupancy);
  visit("occupancy_limits", kernel.occupancy_limits);
}

template <typename Visit>
void fields(Is<RecordedRoofline> auto& roofline, Visit& visit) {
  visit("bytes", roofline.bytes);
  visit("flops", roofline.flops);
  visit("bytes_per_s", roofline.bytes_per_s);
  visit("flops_per_s", roofline.flops_per_s);
  visit("bound_ms", roofline.bound_ms);
  visit("binds", roofline.binds);
  visit("share", roofline.share);
}

template <typename Visit>
void fields(Is<RecordedCalibration> auto& calibration, Visit& visit) {
  visit("empty_event_pair_ns", calibration.empty_event_pair_ns);
}

template <typename Visit>
void fields(Is<RecordedOverhead> auto& overhead, Visit& visit) {
  visit("run_ms", overhead.run_ms);
  visit("prepare_ms", overhead.prepare_ms);
  visit("collect_ms", overhead.collect_ms);
  visit("cpu_ms", overhead.cpu_ms);
  visit("slack_ms", overhead.slack_ms);
}

template <typename Visit>
void fields(Is<RecordedCounters> auto& counters, Visit& visit) {
  visit("missing", counters.missing);
  visit("calls", counters.calls);
  visit("busy_ms", counters.busy_ms);
  visit("engine_ms", counters.engine_ms);
  visit("bus_bytes", counters.bus_bytes);
  visit("own_ms", counters.own_ms);
  visit("claimed_ms", counters.claimed_ms);
}

template <typename Visit>
void fields(Is<RecordedWitness> auto& witness, Visit& visit) {
  visit("clock", witness.clock);
  visit("envelope_median_ms", witness.envelope_median_ms);
  visit("unexplained_median_ms", witness.unexplained_median_ms);
  visit("round_trip_ms", witness.round_trip_ms);
  visit("overhead", witness.overhead);
  visit("unclaimed_median_ms", witness.unclaimed_median_ms);
  visit("added_ms", witness.added_ms);
  visit("missing", witness.missing);
  visit("device_clock", witness.device_clock);
  visit("device_median_ms", witness.device_median_ms);
  visit("device_calls", witness.device_calls);
  visit("beyond_events_ms", witness.beyond_events_ms);
  visit("counters", witness.counters);
}

template <typename Visit>
void fields(Is<RecordedCalls> auto& calls, Visit& visit) {
  visit("trials", calls.trials);
  visit("warmup", calls.warmup);
  visit("timed", calls.timed);
  visit("ended_by", calls.ended_by);
}

template <typename Visit>
void fields(Is<RecordedSandbox> auto& sandbox, Visit& visit) {
  visit("mode", sandbox.mode);
  visit("mounts", sandbox.mounts);
  visit("landlock", sandbox.landlock);
  visit("system_calls", sandbox.system_calls);
  visit("memory_group", sandbox.memory_group);
}

template <typename Visit>
void fields(Is<RecordedLoad> auto& load, Visit& visit) {
  visit("average", load.average);
  visit("cores", load.cores);
}

template <typename Visit>
void fields(Is<RecordedReference> auto& reference, Visit& visit) {
  visit("engine", reference.engine);
  visit("version", reference.version);
  visit("device", reference.device);
  visit("latency_ms", reference.latency_ms);
  visit("n", reference.n);
  visit("q25_ms", reference.q25_ms);
  visit("q75_ms", reference.q75_ms);
  visit("sets", reference.sets);
  visit("timed_by", reference.timed_by);
  visit("timed_utc", reference.timed_utc);
}

template <typename Visit>
void fields(Is<RecordedTolerance> auto& tolerance, Visit& visit) {
  visit("atol", tolerance.atol);
  visit("rtol", tolerance.rtol);
  visit("required_matched_ratio", tolerance.required_matched_ratio);
  visit("max_error", tolerance.max_error);
}

template <typename Visit>
void fields(Is<RecordedMismatch> auto& mismatch, Visit& visit) {
  visit("output", mismatch.output);
  visit("index", mismatch.index);
  visit("got", mismatch.got);
  visit("expected", mismatch.expected);
  visit("absolute_error", mismatch.absolute_error);
  visit("relative_error", mismatch.relative_error);
  visit("matched_ratio", mismatch.matched_ratio);
  visit("wrong", mismatch.wrong);
  visit("unwritten", mismatch.unwritten);
  visit("elements", mismatch.elements);
  visit("pattern", mismatch.pattern);
}

template <typename Visit>
void fields(Is<RecordedDiagnostic> auto& diagnostic, Visit& visit) {
  visit("severity", diagnostic.severity);
  visit("file", diagnostic.file);
  visit("line", diagnostic.line);
  visit("column", diagnostic.column);
  visit("message", diagnostic.message);
  visit("source", diagnostic.source);
}

template <typename Visit>
void fields(Is<RecordedDurations> auto& durations, Visit& visit) {
  visit("build_ms", durations.build_ms);
  visit("load_ms", durations.load_ms);
  visit("evaluate_ms", durations.evaluate_ms);
  visit("run_ms", durations.run_ms);
  visit("judge_ms", durations.judge_ms);
  visit("reference_ms", durations.reference_ms);
  visit("time_ms", durations.time_ms);
}

template <typename Visit>
void fields(Is<RecordedFailure> auto& failure, Visit& visit) {
  visit("code", failure.code);
  visit("stage", failure.stage);
  visit("fault", failure.fault);
  visit("retryable", failure.retryable);
  visit("violation", failure.violation);
  visit("error", failure.error);
  visit("call", failure.call);
  visit("skipped_after", failure.skipped_after);
  visit("mismatch", failure.mismatch);
  visit("diagnostics", failure.diagnostics);
  visit("diagnostics_cut", failure.diagnostics_cut);
}

template <typename Visit>
void fields(Is<RecordedBaseline> auto& baseline, Visit& visit) {
  visit("name", baseline.name);
  visit("engine", baseline.engine);
  visit("device", baseline.device);
}

template <typename Visit>
void fields(Is<RecordedReward> auto& reward, Visit& visit) {
  visit("built", reward.built);
  visit("correct", reward.correct);
  visit("speedup", reward.speedup);
  visit("share_of_bound", reward.share_of_bound);
  visit("violation", reward.violation);
}

template <typename Visit>
void fields(Is<MeasurementRecord> auto& record, Visit& visit) {
  visit("schema_version", record.schema_version);
  visit("run_id", record.run_id);
  visit("build_id", record.build_id);
  visit("version", record.version);
  visit("solution_sha256", record.solution_sha256);
  visit("definition_sha256", record.definition_sha256);
  visit.answer("request_digest", record.request_digest);
  visit.answer("environment_digest", record.environment_digest);
  visit("config", record.config);
  visit("device", record.device);
  visit("started_utc", record.started_utc);
  visit("sweep", record.sweep);
  visit("tags", record.tags);
  visit("load", record.load);
  visit("latency_is", record.latency_is);
  visit("trial_medians_ms", record.trial_medians_ms);
  visit("quantiles_ms", record.quantiles_ms);
  visit("n", record.n);
  visit.answer("interval", record.interval);
  visit("cv", record.cv);
  visit("clock", record.clock);
  visit("host_median_ms", record.host_median_ms);
  visit("sm_clock_median_mhz", record.sm_clock_median_mhz);
  visit("slow_calls", record.slow_calls);
  visit("dropped_calls", record.dropped_calls);
  visit("launches", record.launches);
  visit.answer("resources", record.resources);
  visit("resources_cut", record.resources_cut);
  visit.answer("roofline", record.roofline);
  visit.answer("baseline", record.baseline);
  visit("segments", record.segments);
  visit("calibration", record.calibration);
  visit("witness", record.witness);
  visit("flush", record.flush);
  visit("calls", record.calls);
  visit("sets", record.sets);
  visit("sets_shared", record.sets_shared);
  visit("inputs_fixed", record.inputs_fixed);
  visit("synthesized", record.synthesized);
  visit("seeded", record.seeded);
  visit("inputs_changed", record.inputs_changed);
  visit("zeros_pass", record.zeros_pass);
  visit("private_files", record.private_files);
  visit("torch", record.torch);
  visit("sandbox", record.sandbox);
  visit("reference", record.reference);
  visit("rule", record.rule);
  visit.answer("failure", record.failure);
  visit.answer("hint", record.hint);
  visit.answer("reward_components", record.reward_components);
  visit.answer("durations", record.durations);
  visit.answer("truncated", record.truncated);
  visit("tolerance", record.tolerance);
  visit("device_state", record.device_state);
}

template <typename T>
struct TypeOf {
  using type = T;
};
template <typename T>
struct TypeOf<std::optional<T>> {
  using type = T;
};
// The type of a field's value.
template <typename Field>
using ValueOf = typename TypeOf<std::remove_cvref_t<Field>>::type;

// Values that stand in JSON as they are; all others have fields of their own.
template <typename T>
constexpr bool kIsPlain =
    std::same_as<T, std::string> || std::same_as<T, double> || std::same_as<T, std::uint64_t> ||
    std::same_as<T, bool> || std::same_as<T, std::vector<double>> ||
    std::same_as<T, std::vector<std::uint64_t>> || std::same_as<T, std::vector<std::string>>;

template <typename T>
constexpr bool kIsList = false;
template <typename T>
constexpr bool kIsList<std::vector<T>> = !kIsPlain<std::vector<T>>;

enum class Missing { left_out, null };

class Writer {
 public:
  Writer(ordered_json& object, Missing missing) : object_(object), missing_(missing) {}

  void operator()(const char* name, const ordered_json& value) {
    if (!value.is_null() || missing_ == Missing::null) object_[name] = value;
  }

  template <typename T>
  void operator()(const char* name, const std::optional<T>& field) {
    if (!field) return (*this)(name, ordered_json());
    if constexpr (kIsPlain<T>) {
      object_[name] = *field;
    } else if constexpr (kIsList<T>) {
      ordered_json list = ordered_json::array();
      for (const auto& item : *field) list.push_back(object_of(item));
      object_[name] = std::move(list);
    } else {
      object_[name] = object_of(*field);
    }
  }

  void nullable(const char* name, const std::optional<std::string>& field) {
    object_[name] = field ? ordered_json(*field) : ordered_json();
  }

  // Whole, with null for what is not known.
  template <typename T>
  void answer(const char* name, const std::optional<T>& field) {
    Writer whole(object_, Missing::null);
    whole(name, field);
  }

 private:
  template <typename T>
  [[nodiscard]] ordered_json object_of(const T& value) const {
    ordered_json inner = ordered_json::object();
    Writer writer(inner, missing_);
    fields(value, writer);
    return inner;
  }

  ordered_json& object_;
  Missing missing_;
};

// The value as a field's type has it; nothing where it is of another.
template <typename T>
std::optional<T> value_of(const ordered_json& value) {
  if constexpr (std::same_as<T, std::string>) {
    return value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt;
  } else if constexpr (std::same_as<T, bool>) {
    return value.is_boolean() ? std::optional(value.get<bool>()) : std::nullopt;
  } else if constexpr (std::same_as<T, double>) {
    return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
  } else {
    static_assert(std::same_as<T, std::uint64_t>);
    constexpr double kMost = 1e15;  // exact as a double
    const auto number = value_of<double>(value);
    if (!number || !(*number >= 0) || !(*number < kMost)) return std::nullopt;
    return static_cast<std::uint64_t>(*number);
  }
}

template <typename T>
std::optional<std::vector<T>> list_of(const ordered_json& value) {
  if (!value.is_array()) return std::nullopt;
  std::vector<T> list;
  for (const auto& item : value) {
    auto one = value_of<T>(item);
    if (!one) return std::nullopt;
    list.push_back(*std::move(one));
  }
  return list;
}

class Reader {
 public:
  explicit Reader(const ordered_json& object) : object_(object) {}

  void operator()(const char* name, ordered_json& field) const {
    const ordered_json* value = find(name);
    if (value != nullptr && value->is_object()) field = *value;
  }

  template <typename T>
  void operator()(const char* name, std::optional<T>& field) const {
    const ordered_json* value = find(name);
    if (value == nullptr) return;
    if constexpr (std::same_as<T, std::vector<double>>) {
      field = list_of<double>(*value);
    } else if constexpr (std::same_as<T, std::vector<std::string>>) {
      field = list_of<std::string>(*value);
    } else if constexpr (std::same_as<T, std::vector<std::uint64_t>>) {
      field = list_of<std::uint64_t>(*value);
    } else if constexpr (kIsList<T>) {
      read_list(*value, field);
    } else if constexpr (kIsPlain<T>) {
      field = value_of<T>(*value);
    } else if (value->is_object()) {
      const Reader reader(*value);
      fields(field.emplace(), reader);
    }
  }

  void nullable(const char* name, std::optional<std::string>& field) const { (*this)(name, field); }

  template <typename T>
  void answer(const char* name, std::optional<T>& field) const {
    (*this)(name, field);
  }

 private:
  // Items that are no objects are left out.
  template <typename T>
  static void read_list(const ordered_json& value, std::optional<std::vector<T>>& field) {
    if (!value.is_array()) return;
    field.emplace();
    for (const auto& item : value) {
      if (!item.is_object()) continue;
      const Reader reader(item);
      fields(field->emplace_back(), reader);
    }
  }

  [[nodiscard]] const ordered_json* find(const char* name) const {
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }

  const ordered_json& object_;
};

class Lister {
 public:
  Lister(std::string prefix, std::vector<RecordField>& found) : prefix_(std::move(prefix)), found_(found) {}

  template <typename Field>
  void operator()(const char* name, const Field& /*field*/) {
    using T = ValueOf<Field>;
    found_.push_back({prefix_ + name, type_name<T>()});
    if constexpr (kIsList<T>) {
      Lister lister(prefix_ + name + "[].", found_);
      const typename T::value_type empty;
      fields(empty, lister);
    } else if constexpr (!kIsPlain<T> && !std::same_as<T, ordered_json>) {
      Lister lister(prefix_ + name + ".", found_);
      const T empty;
      fields(empty, lister);
    }
  }

  void nullable(const char* name, const std::optional<std::string>& field) { (*this)(name, field); }

  template <typename T>
  void answer(const char* name, const std::optional<T>& field) {
    (*this)(name, field);
  }

 private:
  template <typename T>
  static const char* type_name() {
    if constexpr (std::same_as<T, std::string>) return "text";
    if constexpr (std::same_as<T, double>) return "number";
    if constexpr (std::same_as<T, std::uint64_t>) return "count";
    if constexpr (std::same_as<T, bool>) return "flag";
    if constexpr (std::same_as<T, std::vector<double>>) return "numbers";
    if constexpr (std::same_as<T, std::vector<std::uint64_t>>) return "counts";
    if constexpr (kIsList<T>) return "objects";
    if constexpr (std::same_as<T, std::vector<std::string>>) return "texts";
    return "object";
  }

  std::string prefix_;
  std::vector<RecordField>& found_;
};

ordered_json written(const MeasurementRecord& record, Missing missing) {
  ordered_json object = ordered_json::object();
  Writer writer(object, missing);
  fields(record, writer);
  return object;
}

}  // namespace

ordered_json to_json(const MeasurementRecord& record) { return written(record, Missing::left_out); }

ordered_json to_whole_json(const MeasurementRecord& record) { return written(record, Missing::null); }

MeasurementRecord measurement_record(const Evaluation& evaluation) {
  MeasurementRecord record;
  if (!evaluation.fib.is_object()) return record;
  const Reader reader(evaluation.fib);
  fields(record, reader);
  return record;
}

std::vector<RecordField> record_fields() {
  std::vector<RecordField> found;
  Lister lister("", found);
  const MeasurementRecord empty;
  fields(empty, lister);
  return found;
}

}  // namespace fib::model
