#include "report/try_summary.h"

#include <fmt/format.h>

#include "dataset/ranking.h"
#include "model/measurement_record.h"
#include "report/details.h"
#include "report/speedup_text.h"
#include "report/text.h"

namespace fib::report {
namespace {

using model::Status;

// Nothing where one of them is unknown.
std::optional<double> mean_of(const std::vector<double>& values, std::size_t wanted) {
  if (values.size() != wanted || values.empty()) return std::nullopt;
  return dataset::geometric_mean(values);
}

void take_failure(TrySummary& summary, const model::Evaluation& evaluation) {
  summary.status = evaluation.status;
  const auto failure = model::measurement_record(evaluation).failure;
  if (!failure) return;
  summary.code = failure->code.value_or("");
  if (failure->mismatch) summary.pattern = failure->mismatch->pattern.value_or("");
  if (summary.code == "unwritten_output" && summary.pattern == "all_nan")
    summary.pattern.clear();  // it is poison
}

// "INCORRECT_NUMERICAL (wrong_values: one_row)"
std::string status_text(const TrySummary& summary) {
  std::string text(model::name_of(summary.status));
  if (summary.code.empty()) return text;
  return text + " (" + printable(summary.code) +
         (summary.pattern.empty() ? "" : ": " + printable(summary.pattern)) + ")";
}

}  // namespace

TrySummary summarize(const std::vector<model::Trace>& traces) {
  TrySummary summary;
  summary.solution = traces.front().solution.value_or("");
  summary.definition = traces.front().definition;
  summary.hardware = traces.front().evaluation->environment.hardware;
  std::vector<double> latencies;
  std::vector<double> highs;
  std::vector<double> speedups;
  for (const model::Trace& trace : traces) {
    const model::Evaluation& evaluation = *trace.evaluation;
    ++summary.results;
    if (evaluation.status != Status::PASSED) {
      if (summary.status == Status::PASSED) take_failure(summary, evaluation);
      continue;
    }
    ++summary.passed;
    if (!evaluation.performance || !dataset::is_latency(evaluation.performance->latency_ms)) continue;
    const double latency = evaluation.performance->latency_ms;
    latencies.push_back(latency);
    if (const auto share = interval_share(evaluation)) highs.push_back(latency * (1 + *share));
    if (evaluation.performance->speedup_factor > 0)
      speedups.push_back(evaluation.performance->speedup_factor);
  }
  summary.latency_ms = mean_of(latencies, summary.results);
  summary.speedup = mean_of(speedups, summary.results);
  const auto high = mean_of(highs, summary.results);
  if (high && summary.latency_ms) summary.interval = *high / *summary.latency_ms - 1;
  return summary;
}

std::string headline(const TrySummary& summary, std::size_t not_done) {
  std::string text = fmt::format("{} on {}: ", printable(summary.solution), printable(summary.definition));
  const std::string of = plural(summary.results + not_done, "workload");
  const std::string missing = not_done == 0 ? "" : fmt::format(", {} not done", not_done);
  if (summary.status == Status::COMPILE_ERROR) return text + status_text(summary);
  if (summary.status != Status::PASSED)
    return text + fmt::format("{}, {} of {} passed{}", status_text(summary), summary.passed, of, missing);
  text += fmt::format("PASSED {} of {}{}", summary.passed, of, missing);
  if (summary.latency_ms) text += fmt::format(", {} ms", format_ms(*summary.latency_ms));
  if (summary.interval) text += " " + format_interval(*summary.interval);
  if (summary.speedup) text += fmt::format(", {}x the reference", two_digits(*summary.speedup));
  return text;
}

}  // namespace fib::report
