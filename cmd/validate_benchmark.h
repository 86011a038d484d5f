#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "validate/benchmark.h"

namespace fib::cmd {

// Builds the baselines of the definitions and runs each on all its workloads (2 warm-up calls, 5 calls, 1
// trial) on the devices that `words` name; nothing is written to the dataset. By definition. Throws Error as
// bench::run does, and when `interrupted` becomes true.
[[nodiscard]] std::map<std::string, validate::Benchmark> run_baselines(
    const std::filesystem::path& root, const std::vector<std::string>& definitions,
    const std::vector<std::string>& words, std::atomic<bool>& interrupted);

}  // namespace fib::cmd
