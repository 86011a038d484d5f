#include "report/try_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "dataset/ranking.h"
#include "dataset/reference_time.h"
#include "model/measurement_record.h"
#include "present/text.h"
#include "report/details.h"
#include "report/remarks.h"
#include "report/speedup_text.h"
#include "util/some_of.h"

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
  summary.failure = failure_name(model::measurement_record(evaluation));
}

std::string size_text(std::uint64_t bytes) {
  return bytes < 1024 ? fmt::format("{} B", bytes)
                      : fmt::format("{:.4g} KiB", static_cast<double>(bytes) / 1024);
}

std::string kernel_line(const model::RecordedKernel& kernel) {
  std::string text =
      "kernel " + present::printable(present::shorten_middle(kernel.name.value_or("?"), 48)) + ":";
  if (kernel.share) text += fmt::format(" {:.0f}% of the time,", 100 * *kernel.share);
  std::uint64_t threads = 1;
  for (const std::uint64_t size : kernel.block.value_or(std::vector<std::uint64_t>{})) threads *= size;
  text += fmt::format(" {}, {}", present::plural(threads, "thread"),
                      present::plural(kernel.registers.value_or(0), "register"));
  const auto shared = kernel.static_shared_bytes.value_or(0) + kernel.dynamic_shared_bytes.value_or(0);
  if (shared > 0) text += fmt::format(", {} shared memory", size_text(shared));
  if (kernel.local_bytes.value_or(0) > 0)
    text += fmt::format(", {} local memory a thread", size_text(*kernel.local_bytes));
  if (kernel.occupancy) text += fmt::format(", occupancy {:.0f}%", 100 * *kernel.occupancy);
  if (kernel.occupancy && *kernel.occupancy < 1 && kernel.occupancy_limits)
    text += fmt::format(" (limited by {})", fmt::join(*kernel.occupancy_limits, ", "));
  return text;
}

}  // namespace

std::vector<std::string> kernel_lines(const model::Trace& trace) {
  constexpr std::size_t kShown = 3;
  const auto kernels =
      model::measurement_record(*trace.evaluation).resources.value_or(std::vector<model::RecordedKernel>{});
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < std::min(kernels.size(), kShown); ++i) lines.push_back(kernel_line(kernels[i]));
  if (kernels.size() > kShown) lines.push_back(util::and_more(kernels.size(), kShown, "kernel"));
  return lines;
}

TrySummary summarize(const std::vector<model::Trace>& traces, const SpeedupRanges& ranges) {
  TrySummary summary;
  summary.solution = traces.front().solution.value_or("");
  summary.definition = traces.front().definition;
  summary.hardware = traces.front().evaluation->environment.hardware;
  std::vector<double> latencies;
  std::vector<double> highs;
  dataset::MeanSpeedup speedups;
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
    if (!(evaluation.performance->speedup_factor > 0)) continue;
    const auto range = ranges.find({summary.solution, trace.workload.uuid});
    speedups.add(evaluation.performance->speedup_factor,
                 range != ranges.end() ? std::optional(range->second) : std::nullopt);
  }
  summary.latency_ms = mean_of(latencies, summary.results);
  if (speedups.count() == summary.results) {
    summary.speedup = speedups.geometric_mean();
    summary.speedup_range = speedups.geometric_range();
  }
  const auto high = mean_of(highs, summary.results);
  if (high && summary.latency_ms) summary.interval = *high / *summary.latency_ms - 1;
  return summary;
}

SettledTries settle(std::map<std::string, std::vector<model::Trace>>& traces) {
  dataset::RowPool pool;
  std::vector<dataset::TraceRow> rows;
  for (const auto& [solution, own] : traces) {
    for (const model::Trace& trace : own) rows.push_back(pool.row(trace));
  }
  const dataset::ReferenceTimes references(rows);
  SettledTries settled;
  settled.cautions = cautions_of(references, rows);
  auto row = rows.begin();
  for (auto& [solution, own] : traces) {
    for (model::Trace& trace : own) {
      const dataset::ReferenceTime* time = references.of(*row++);
      if (time == nullptr || !trace.passed() || !trace.evaluation->performance) continue;
      model::Performance& performance = *trace.evaluation->performance;
      performance.reference_latency_ms = time->median_ms;
      performance.speedup_factor = time->median_ms / performance.latency_ms;
      settled.ranges[{solution, trace.workload.uuid}] = {time->low_ms / performance.latency_ms,
                                                         time->high_ms / performance.latency_ms};
    }
  }
  return settled;
}

bool is_undecided(const TrySummary& summary, const Missing& missing) {
  return missing.is_interrupted && summary.status == Status::PASSED && missing.untried + missing.not_done > 0;
}

std::string headline(const TrySummary& summary, const Missing& missing) {
  std::string text =
      fmt::format("{} on {}: ", present::printable(summary.solution), present::printable(summary.definition));
  const std::string of = present::plural(summary.results + missing.not_done + missing.untried, "workload");
  const auto part = [](std::size_t count, const char* what) {
    return count == 0 ? "" : fmt::format(", {} {}", count, what);
  };
  const std::string rest = part(missing.not_done, "not done") + part(missing.untried, "not tried");
  if (summary.status == Status::COMPILE_ERROR) return text + status_text(summary.status, summary.failure);
  if (summary.status != Status::PASSED)
    return text + fmt::format("{}, {} of {} passed{}", status_text(summary.status, summary.failure),
                              summary.passed, of, rest);
  if (is_undecided(summary, missing))
    return text + fmt::format("interrupted, {} of {} passed{}", summary.passed, of, rest);
  text += fmt::format("PASSED {} of {}{}", summary.passed, of, rest);
  if (summary.latency_ms) text += fmt::format(", {} ms", present::format_ms(*summary.latency_ms));
  if (summary.interval) text += " " + present::format_interval(*summary.interval);
  if (summary.speedup)
    text +=
        fmt::format(", {}x the reference", speedup_text(*summary.speedup, summary.speedup_range, two_digits));
  return text;
}

}  // namespace fib::report
