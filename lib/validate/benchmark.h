#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "validate/report.h"

namespace fib::validate {

// What running the baselines of one definition gave; who runs them fills it in.
struct Benchmark {
  bool has_workloads = false;
  std::vector<std::string> baselines;                        // solutions that were run
  std::map<std::string, std::string> skipped;                // baselines that cannot run here -> why
  std::map<std::string, std::vector<std::string>> failures;  // solution -> "workload U: TIMEOUT: ..."
  std::size_t judged = 0;                                    // evaluations with a verdict
  std::vector<std::string> not_done;                         // "workload U: ...": the reference had no answer
};

// The format's check of this name: every baseline and the reference with PASS, or why not.
[[nodiscard]] Messages check_benchmark(const Benchmark& benchmark, const Place& place);

}  // namespace fib::validate
