#include "dataset/row_reader.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "model/json_value.h"

namespace fib::dataset {
namespace {

namespace sj = simdjson::ondemand;

constexpr std::size_t kMostKnown = 10'000;
constexpr int kMaxDepth = 100;   // the model takes twice as much
constexpr bool kIsPoint = true;  // of a sweep
constexpr bool kIsNoPoint = false;

// Thrown inside of this file when a line is not for this reader.
struct Unusual {};

void expect(bool holds) {
  if (!holds) throw Unusual();
}

// Escaped halves of surrogate pairs come out of the parser as bytes that are not UTF-8; the model refuses
// them.
std::string_view checked(std::string_view text) {
  for (std::size_t at = text.find('\xed'); at != std::string_view::npos; at = text.find('\xed', at + 1))
    expect(static_cast<unsigned char>(text[at + 1]) < 0xa0);
  return text;
}

std::string_view text_of(sj::value value) { return checked(value.get_string()); }

std::string_view key_of(sj::field& field) { return checked(field.unescaped_key()); }

std::string_view without_trailing_spaces(std::string_view token) {
  return token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
}

std::string_view number_token(sj::value& value) {
  const std::string_view token = without_trailing_spaces(value.raw_json_token());
  expect(model::json::is_number_token(token));
  return token;
}

double non_negative(sj::value value) {
  const std::string_view token = number_token(value);
  double number = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), number);
  expect(error == std::errc() && end == token.data() + token.size() && number >= 0);
  return number;
}

// Reads a whole value, as the model would; throws Unusual or simdjson_error where the model might not.
void check_value(sj::value value, int depth) {
  expect(depth < kMaxDepth);
  switch (value.type()) {
    case sj::json_type::object:
      for (auto entry : value.get_object()) {
        sj::field field = std::move(entry);
        (void)key_of(field);
        check_value(field.value(), depth + 1);
      }
      break;
    case sj::json_type::array:
      for (sj::value item : value.get_array()) check_value(item, depth + 1);
      break;
    case sj::json_type::string:
      (void)text_of(value);
      break;
    case sj::json_type::number:
      (void)number_token(value);
      break;
    default: {
      const std::string_view token = without_trailing_spaces(value.raw_json_token());
      expect(token == "true" || token == "false" || token == "null");
    }
  }
}

// The members of an object: each must be one of `names` and be met once; the first `required` must be there.
template <std::size_t N>
class Members {
 public:
  Members(const std::array<std::string_view, N>& names, std::size_t required)
      : names_(names), required_(required) {}

  std::size_t meet(std::string_view name) {
    for (std::size_t tried = 0; tried < N; ++tried, next_ = (next_ + 1) % N) {
      if (names_[next_] != name) continue;
      expect(!met_[next_]);
      met_[next_] = true;
      return next_;
    }
    throw Unusual();
  }

  void expect_required() const {
    for (std::size_t i = 0; i < required_; ++i) expect(met_[i]);
  }

 private:
  const std::array<std::string_view, N>& names_;
  std::size_t required_;
  std::size_t next_ = 0;  // members mostly come in order
  std::array<bool, N> met_{};
};

// Calls take(index, value) for every member of `object`.
template <std::size_t N, typename Take>
void read_members(sj::object object, const std::array<std::string_view, N>& names, std::size_t required,
                  Take&& take) {
  Members<N> members(names, required);
  for (auto entry : object) {
    sj::field field = std::move(entry);
    take(members.meet(key_of(field)), field.value());
  }
  members.expect_required();
}

// Checks a whole object, whose members of these names are given to `take` with their places.
template <std::size_t N, typename Take>
void check_object(sj::value value, const std::array<std::string_view, N>& names, int depth, Take&& take) {
  std::array<bool, N> met{};
  for (auto entry : value.get_object()) {
    sj::field field = std::move(entry);
    const auto place =
        static_cast<std::size_t>(std::find(names.begin(), names.end(), key_of(field)) - names.begin());
    if (place == N) {
      check_value(field.value(), depth + 1);
      continue;
    }
    expect(!std::exchange(met[place], true));
    take(place, field.value());
  }
}

std::string_view object_text(sj::value value) {
  sj::object object = value.get_object();
  return object.raw_json();
}

bool is_null(sj::value value) { return value.type() == sj::json_type::null && value.is_null(); }

RowCorrectness read_correctness(sj::object object) {
  constexpr static std::array<std::string_view, 3> kNames = {"max_relative_error", "max_absolute_error",
                                                             "extra"};
  RowCorrectness row;
  read_members(object, kNames, kNames.size(), [&](std::size_t index, sj::value value) {
    if (index == 0) row.max_relative_error = non_negative(value);
    if (index == 1) row.max_absolute_error = non_negative(value);
    if (index == 2 && !is_null(value)) {
      expect(value.type() == sj::json_type::object);
      check_value(value, 1);
    }
  });
  return row;
}

RowPerformance read_performance(sj::object object) {
  constexpr static std::array<std::string_view, 3> kNames = {"latency_ms", "reference_latency_ms",
                                                             "speedup_factor"};
  RowPerformance row;
  read_members(object, kNames, kNames.size(), [&](std::size_t index, sj::value value) {
    const double number = non_negative(value);
    if (index == 0) row.latency_ms = number;
    if (index == 1) row.reference_latency_ms = number;
    if (index == 2) row.speedup_factor = number;
  });
  return row;
}

model::Status status_of(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(model::Status::TIMEOUT); ++i) {
    if (model::name_of(static_cast<model::Status>(i)) == name) return static_cast<model::Status>(i);
  }
  throw Unusual();
}

// What of fib's own record a row holds, as texts; empty: not there.
struct Own {
  std::optional<model::DeviceKind> device;
  std::string_view run_id;
  std::string_view solution_sha256;
  std::string_view definition_sha256;
  std::string_view config;  // as JSON, as are the next three
  std::string_view sweep;
  std::string_view tolerance;
  std::string_view synthesized;
  std::string_view device_uuid;
  std::string_view engine;               // of the reference
  model::RecordedReference reference{};  // numbers and sets
  std::string_view rule;
  std::optional<double> interval_high_ms;
  RowCalls calls{};
  std::optional<std::vector<double>> quantiles;  // of the calls
  std::string throttled;                         // as RowCalls has it, and the next
  std::string zeros_pass;

  // What of it decides the conditions that the workload adds.
  [[nodiscard]] std::string workload_conditions() const {
    std::string text;
    for (const auto& part : {rule, engine, tolerance, synthesized}) text.append(part).append(1, '\n');
    return text;
  }
};

// A line taken apart. The views hold until the next line is read.
struct Parts {
  std::string_view definition;
  std::string_view workload;  // as JSON
  std::string_view solution;
  std::string_view environment;  // as JSON
  std::string_view timestamp;
  Own own;
  model::Status status = model::Status::RUNTIME_ERROR;
  std::optional<RowCorrectness> correctness;
  std::optional<RowPerformance> performance;
};

std::string_view only_text(sj::value value) {
  expect(value.type() == sj::json_type::string);
  return text_of(value);
}

double only_number(sj::value value) {
  expect(value.type() == sj::json_type::number);
  return non_negative(value);
}

std::uint64_t only_count(sj::value value) {
  const std::string_view token = number_token(value);
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), count);
  expect(error == std::errc() && end == token.data() + token.size());
  return count;
}

std::vector<double> only_numbers(sj::value value) {
  expect(value.type() == sj::json_type::array);
  std::vector<double> numbers;
  for (sj::value number : value.get_array()) numbers.push_back(only_number(number));
  return numbers;
}

std::string_view array_text(sj::value value) {
  expect(value.type() == sj::json_type::array);
  sj::array array = value.get_array();
  return array.raw_json();
}

void read_device(sj::value device, Own& own) {
  constexpr static std::array<std::string_view, 2> kNames = {"kind", "uuid"};
  expect(device.type() == sj::json_type::object);
  check_object(device, kNames, 2, [&](std::size_t place, sj::value value) {
    if (place == 0) {
      own.device = only_text(value) == "cpu" ? model::DeviceKind::cpu : model::DeviceKind::cuda;
    } else if (!is_null(value)) {
      own.device_uuid = only_text(value);
    }
  });
}

void read_reference(sj::value reference, Own& own) {
  constexpr static std::array<std::string_view, 5> kNames = {"engine", "latency_ms", "q25_ms", "q75_ms",
                                                             "sets"};
  check_object(reference, kNames, 1, [&](std::size_t place, sj::value value) {
    if (place == 0) own.engine = only_text(value);
    if (place == 1) own.reference.latency_ms = only_number(value);
    if (place == 2) own.reference.q25_ms = only_number(value);
    if (place == 3) own.reference.q75_ms = only_number(value);
    if (place == 4) own.reference.sets = std::string(only_text(value));
  });
}

void read_load(sj::value load, Own& own) {
  constexpr static std::array<std::string_view, 2> kNames = {"average", "cores"};
  own.calls.load.emplace();
  check_object(load, kNames, 1, [&](std::size_t place, sj::value value) {
    if (place == 0) own.calls.load->average = only_number(value);
    if (place == 1) own.calls.load->cores = only_count(value);
  });
}

// "a, b" of a list of texts.
std::string joined_texts(sj::value value) {
  expect(value.type() == sj::json_type::array);
  std::string joined;
  for (sj::value text : value.get_array()) {
    joined += joined.empty() ? "" : ", ";
    joined += only_text(text);
  }
  return joined;
}

void read_device_state(sj::value state, Own& own) {
  check_object(state, std::array<std::string_view, 1>{"throttle_reasons"}, 1,
               [&](std::size_t, sj::value value) { own.throttled = joined_texts(value); });
}

// Members of other kinds than the writer's are left to the model.
void read_fib(sj::value value, Own& own) {
  enum {
    device,
    run_id,
    solution,
    definition,
    config,
    sweep,
    tolerance,
    synthesized,
    reference,
    rule,
    interval,
    count,
    cv,
    quantiles,
    slow,
    sm_clock,
    load,
    trial_medians,
    zeros_pass,
    device_state
  };
  constexpr static std::array<std::string_view, 20> kNames = {"device",
                                                              "run_id",
                                                              "solution_sha256",
                                                              "definition_sha256",
                                                              "config",
                                                              "sweep",
                                                              "tolerance",
                                                              "synthesized",
                                                              "reference",
                                                              "rule",
                                                              "interval",
                                                              "n",
                                                              "cv",
                                                              "quantiles_ms",
                                                              "slow_calls",
                                                              "sm_clock_median_mhz",
                                                              "load",
                                                              "trial_medians_ms",
                                                              "zeros_pass",
                                                              "device_state"};
  std::array<bool, kNames.size()> met{};
  for (auto entry : value.get_object()) {
    sj::field field = std::move(entry);
    const auto place = std::find(kNames.begin(), kNames.end(), key_of(field)) - kNames.begin();
    if (place == static_cast<std::ptrdiff_t>(kNames.size())) {
      check_value(field.value(), 1);
      continue;
    }
    expect(!std::exchange(met.at(static_cast<std::size_t>(place)), true));
    switch (place) {
      case device:
        read_device(field.value(), own);
        break;
      case run_id:
        own.run_id = only_text(field.value());
        break;
      case solution:
        own.solution_sha256 = only_text(field.value());
        break;
      case definition:
        own.definition_sha256 = only_text(field.value());
        break;
      case config:
        own.config = object_text(field.value());
        break;
      case sweep:
        own.sweep = object_text(field.value());
        break;
      case tolerance:
        own.tolerance = object_text(field.value());
        break;
      case synthesized:
        own.synthesized = array_text(field.value());
        break;
      case reference:
        read_reference(field.value(), own);
        break;
      case rule:
        own.rule = only_text(field.value());
        break;
      case interval:
        check_object(field.value(), std::array<std::string_view, 1>{"high_ms"}, 1,
                     [&](std::size_t, sj::value high) { own.interval_high_ms = only_number(high); });
        break;
      case count:
        own.calls.count = only_count(field.value());
        break;
      case cv:
        own.calls.cv = only_number(field.value());
        break;
      case quantiles:
        own.quantiles = only_numbers(field.value());
        own.calls.tail = tail_of(own.quantiles);
        break;
      case slow:
        own.calls.slow = only_count(field.value());
        break;
      case sm_clock:
        own.calls.sm_clock_mhz = only_number(field.value());
        break;
      case load:
        read_load(field.value(), own);
        break;
      case trial_medians:
        own.calls.trial_range_ms = trial_range(only_numbers(field.value()));
        break;
      case zeros_pass:
        own.zeros_pass = joined_texts(field.value());
        break;
      default:
        read_device_state(field.value(), own);
    }
  }
}

void read_evaluation(sj::object object, Parts& parts) {
  enum { status, environment, timestamp, log, correctness, performance, fib };
  constexpr static std::array<std::string_view, 7> kNames = {"status",      "environment", "timestamp", "log",
                                                             "correctness", "performance", "fib"};
  read_members(object, kNames, fib, [&](std::size_t index, sj::value value) {
    switch (index) {
      case status:
        parts.status = status_of(text_of(value));
        break;
      case environment:
        parts.environment = object_text(value);
        break;
      case timestamp:
        parts.timestamp = text_of(value);
        break;
      case log:
        (void)text_of(value);
        break;
      case correctness:
        if (!is_null(value)) parts.correctness = read_correctness(value.get_object());
        break;
      case performance:
        if (!is_null(value)) parts.performance = read_performance(value.get_object());
        break;
      default:
        read_fib(value, parts.own);
    }
  });
}

Parts take_apart(sj::document& document) {
  enum { definition, workload, solution, evaluation };
  constexpr static std::array<std::string_view, 4> kNames = {"definition", "workload", "solution",
                                                             "evaluation"};
  Parts parts;
  read_members(document.get_object(), kNames, kNames.size(), [&](std::size_t index, sj::value value) {
    switch (index) {
      case definition:
        parts.definition = text_of(value);
        break;
      case workload:
        parts.workload = object_text(value);
        break;
      case solution:
        parts.solution = text_of(value);
        break;
      default:
        read_evaluation(value.get_object(), parts);
    }
  });
  expect(document.current_location().error() == simdjson::OUT_OF_BOUNDS);  // nothing follows
  expect(!parts.definition.empty() && !parts.timestamp.empty());
  expect(!model::status_rule_violation(parts.status, parts.correctness.has_value(),
                                       parts.performance.has_value()));
  return parts;
}

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

// From a text to what is kept of it; the last one asked for is found without hashing.
template <typename T>
class KnownTexts {
 public:
  const T* find(std::string_view text) {
    if (last_ != nullptr && last_->first == text) return last_->second;
    const auto found = known_.find(text);
    if (found == known_.end()) return nullptr;
    last_ = &*found;
    return found->second;
  }

  // Texts beyond so many are not remembered: a file in which all differ would be held in memory.
  void add(std::string_view text, const T* kept) {
    if (known_.size() < kMostKnown) known_.emplace(text, kept);
  }

 private:
  std::unordered_map<std::string, const T*, TextHash, std::equal_to<>> known_;
  const std::pair<const std::string, const T*>* last_ = nullptr;
};

}  // namespace

struct RowReader::State {
  explicit State(RowPool& row_pool) : pool(row_pool) {}

  RowPool& pool;
  sj::parser parser;
  std::string padded;
  KnownTexts<std::string> names;
  KnownTexts<model::Workload> workloads;
  KnownTexts<std::string> hardware;             // by environment
  KnownTexts<std::string> run_conditions;       // by config
  KnownTexts<std::string> workload_conditions;  // by Own::workload_conditions()
  KnownTexts<bool> sweeps;                      // by sweep_key()

  std::optional<Parts> parts_of(std::string_view line) {
    if (line.starts_with("\xef\xbb\xbf")) return std::nullopt;  // a byte order mark
    padded.assign(line);
    padded.append(simdjson::SIMDJSON_PADDING, ' ');
    try {
      sj::document document =
          parser.iterate(simdjson::padded_string_view(padded.data(), line.size(), padded.size()));
      return take_apart(document);
    } catch (const simdjson::simdjson_error&) {
      return std::nullopt;
    } catch (const Unusual&) {
      return std::nullopt;
    }
  }

  // Nothing when a text of it was not learned yet.
  std::optional<RowOrigin> origin(const Parts& parts) {
    const Own& own = parts.own;
    RowOrigin origin;
    if (!own.run_id.empty()) origin.run_id = name(own.run_id);
    if (!own.solution_sha256.empty()) origin.solution_sha256 = name(own.solution_sha256);
    if (!own.definition_sha256.empty()) origin.definition_sha256 = name(own.definition_sha256);
    const bool* is_point = sweeps.find(sweep_key(parts));
    const auto* conditions = run_conditions.find(own.config);
    const auto* more = workload_conditions.find(own.workload_conditions());
    if (is_point == nullptr || conditions == nullptr || more == nullptr) return std::nullopt;
    origin.run_conditions = conditions->empty() ? nullptr : conditions;
    origin.workload_conditions = more->empty() ? nullptr : more;
    origin.is_sweep_point = *is_point;
    return origin;
  }

  void learn_origin(const Parts& parts, const RowOrigin& origin) {
    const auto or_empty = [&](const std::string* text) { return text != nullptr ? text : pool.name(""); };
    run_conditions.add(parts.own.config, or_empty(origin.run_conditions));
    workload_conditions.add(parts.own.workload_conditions(), or_empty(origin.workload_conditions));
    sweeps.add(sweep_key(parts), origin.is_sweep_point ? &kIsPoint : &kIsNoPoint);
  }

  // Whether a swept name is an axis is for the workload to say.
  static std::string sweep_key(const Parts& parts) {
    return parts.own.sweep.empty() ? "" : std::string(parts.own.sweep) + std::string(parts.workload);
  }

  const std::string* name(std::string_view text) {
    const std::string* known = names.find(text);
    if (known != nullptr) return known;
    known = pool.name(text);
    names.add(text, known);
    return known;
  }
};

RowReader::RowReader(RowPool& pool) : state_(std::make_unique<State>(pool)) {}
RowReader::~RowReader() = default;

std::optional<TraceRow> RowReader::read(std::string_view line) {
  const auto parts = state_->parts_of(line);
  if (!parts) return std::nullopt;
  const model::Workload* workload = state_->workloads.find(parts->workload);
  const std::string* hardware = state_->hardware.find(parts->environment);
  if (workload == nullptr || hardware == nullptr) return std::nullopt;
  const Own& own = parts->own;
  const auto origin = state_->origin(*parts);
  if (!origin) return std::nullopt;
  RowEvaluation evaluation{parts->status,
                           own.device.value_or(device_kind(*hardware)),
                           hardware,
                           std::string(parts->timestamp),
                           parts->correctness,
                           parts->performance,
                           *origin,
                           std::nullopt,
                           std::nullopt,
                           {}};
  if (own.interval_high_ms && parts->performance) {
    model::MeasurementRecord record;
    record.interval.emplace().high_ms = *own.interval_high_ms;
    model::Performance performance;
    performance.latency_ms = parts->performance->latency_ms;
    evaluation.interval = interval_share(record, performance);
  }
  const auto* uuid = own.device_uuid.empty() ? nullptr : state_->name(own.device_uuid);
  evaluation.calls = own.calls;
  evaluation.calls.spread = spread_of(own.quantiles, parts->performance);
  if (!own.throttled.empty()) evaluation.calls.throttled = state_->name(own.throttled);
  if (!own.zeros_pass.empty()) evaluation.calls.zeros_pass = state_->name(own.zeros_pass);
  evaluation.reference = row_reference(own.reference, parts->performance, uuid);
  return TraceRow{state_->name(parts->definition), state_->name(parts->solution), workload,
                  std::move(evaluation)};
}

TraceRow RowReader::learn(std::string_view line, const model::Trace& trace) {
  TraceRow row = state_->pool.row(trace);
  if (const auto parts = state_->parts_of(line)) {
    state_->workloads.add(parts->workload, row.workload);
    state_->hardware.add(parts->environment, row.evaluation->hardware);
    state_->learn_origin(*parts, row.evaluation->origin);
  }
  return row;
}

}  // namespace fib::dataset
