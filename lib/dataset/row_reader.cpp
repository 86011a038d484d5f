#include "dataset/row_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "dataset/row_own_record.h"
#include "dataset/strict_json.h"

namespace fib::dataset {
namespace {

namespace sj = strict_json::sj;
using strict_json::check_value;
using strict_json::expect;
using strict_json::is_null;
using strict_json::non_negative;
using strict_json::object_text;
using strict_json::read_members;
using strict_json::text_of;
using strict_json::Unusual;

constexpr std::size_t kMostKnown = 10'000;
constexpr bool kIsPoint = true;  // of a sweep
constexpr bool kIsNoPoint = false;

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

// A line taken apart. The views hold until the next line is read.
struct Parts {
  std::string_view definition;
  std::string_view workload;  // as JSON
  std::string_view solution;
  std::string_view environment;  // as JSON
  std::string_view timestamp;
  OwnRecord own;
  model::Status status = model::Status::RUNTIME_ERROR;
  std::optional<RowCorrectness> correctness;
  std::optional<RowPerformance> performance;
};

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
        parts.own = read_own_record(value);
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
  KnownTexts<std::string> workload_conditions;  // by OwnRecord::workload_conditions()
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
    const OwnRecord& own = parts.own;
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
  const OwnRecord& own = parts->own;
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
