#include <fmt/format.h>

#include "validate/benchmark.h"

namespace fib::validate {

Messages check_benchmark(const Benchmark& benchmark, const Place& place) {
  Messages messages;
  if (!benchmark.has_workloads) warning(messages, place, "no workloads to benchmark");
  for (const auto& [solution, reason] : benchmark.skipped)
    warning(messages, place, fmt::format("{}: not run: {}", solution, reason));
  if (benchmark.baselines.empty() && benchmark.skipped.empty())
    warning(messages, place, "no baseline solutions for benchmark");
  for (const std::string& solution : benchmark.baselines) {
    const auto failures = benchmark.failures.find(solution);
    if (failures == benchmark.failures.end()) {
      if (benchmark.has_workloads) info(messages, fmt::format("{}: PASS", solution));
      continue;
    }
    for (const std::string& failure : failures->second)
      error(messages, place, fmt::format("{}: {}", solution, failure));
  }
  for (const std::string& problem : benchmark.not_done) error(messages, place, "reference: " + problem);
  if (benchmark.judged > 0 && benchmark.not_done.empty()) info(messages, "reference: PASS");
  return messages;
}

}  // namespace fib::validate
