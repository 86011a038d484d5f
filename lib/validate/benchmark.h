#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "validate/report.h"

namespace fib::validate {

// What running the baselines of one definition gave; who runs them fills it in.
struct Benchmark {
  struct Runs {
    std::size_t judged = 0;             // workloads with a verdict
    std::vector<std::string> failures;  // "workload U: TIMEOUT: ..."
  };

  std::size_t workloads = 0;
  std::map<std::string, Runs> baselines;       // by solution
  std::map<std::string, std::string> skipped;  // baselines that cannot run here -> why
  std::vector<std::string> not_done;           // "workload U: ...": the reference had no answer
};

// The format's check of this name: every baseline and the reference with PASS, or why not. Baselines for
// other devices are no fault where one ran.
[[nodiscard]] Messages check_benchmark(const Benchmark& benchmark, const Place& place);

}  // namespace fib::validate
