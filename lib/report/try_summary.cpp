#include "report/try_summary.h"

#include <fmt/format.h>

#include "dataset/ranking.h"
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
      if (summary.status == Status::PASSED) summary.status = evaluation.status;
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

std::string headline(const TrySummary& summary) {
  std::string text = fmt::format("{} on {}: ", printable(summary.solution), printable(summary.definition));
  if (summary.status != Status::PASSED) {
    const std::string_view status = model::name_of(summary.status);
    if (summary.status == Status::COMPILE_ERROR) return text + std::string(status);
    return text +
           fmt::format("{}, {} of {} passed", status, summary.passed, plural(summary.results, "workload"));
  }
  text += fmt::format("PASSED {} of {}", summary.passed, plural(summary.results, "workload"));
  if (summary.latency_ms) text += fmt::format(", {} ms", format_ms(*summary.latency_ms));
  if (summary.interval) text += " " + format_interval(*summary.interval);
  if (summary.speedup) text += fmt::format(", {}x the reference", two_digits(*summary.speedup));
  return text;
}

}  // namespace fib::report
