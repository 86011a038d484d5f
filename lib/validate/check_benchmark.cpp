#include <fmt/format.h>

#include "validate/benchmark.h"

namespace fib::validate {
namespace {

void report_runs(const std::string& solution, const Benchmark::Runs& runs, std::size_t workloads,
                 const Place& place, Messages& messages) {
  for (const std::string& failure : runs.failures)
    error(messages, place, fmt::format("{}: {}", solution, failure));
  if (runs.judged < workloads) {
    warning(messages, place,
            fmt::format("{}: judged on {} of {} workloads", solution, runs.judged, workloads));
  } else if (runs.failures.empty() && workloads > 0) {
    info(messages, solution + ": PASS");
  }
}

}  // namespace

Messages check_benchmark(const Benchmark& benchmark, const Place& place) {
  Messages messages;
  if (benchmark.workloads == 0) warning(messages, place, "no workloads to benchmark");
  if (benchmark.baselines.empty() && benchmark.skipped.empty())
    warning(messages, place, "no baseline solutions for benchmark");
  for (const auto& [solution, reason] : benchmark.skipped) {
    const std::string text = fmt::format("{}: not run: {}", solution, reason);
    if (benchmark.baselines.empty()) {
      warning(messages, place, text);
    } else {
      info(messages, text);
    }
  }
  std::size_t judged = 0;
  for (const auto& [solution, runs] : benchmark.baselines) {
    report_runs(solution, runs, benchmark.workloads, place, messages);
    judged += runs.judged;
  }
  for (const std::string& problem : benchmark.not_done) error(messages, place, "reference: " + problem);
  if (judged > 0 && benchmark.not_done.empty()) info(messages, "reference: PASS");
  return messages;
}

}  // namespace fib::validate
