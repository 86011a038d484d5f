#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "model/solution.h"

namespace fib::bench {

// The text (UTF-8), or its beginning and its end, which hold what compilers and tracebacks say, around a
// sentence about the `limit` bytes that are left of it. Pure.
[[nodiscard]] std::string cut_log(std::string text, std::size_t limit);

// How much of the logs of one run is kept, in its traces and in memory: a solution can print more than a disk
// holds, once for each of its workloads.
class LogBudget {
 public:
  // Always of one log.
  static constexpr std::size_t kLeast = std::size_t{16} << 10U;
  // Of all longer ones of one solution: the first 5 MiB that a process printed (util::Capture), and a
  // sentence or two. The format's first implementation keeps as much of each.
  static constexpr std::size_t kOfSolution = (std::size_t{5} << 20U) + 4096;
  // Of all longer ones of the run.
  static constexpr std::size_t kOfRun = std::size_t{64} << 20U;

  // How many of a log's `bytes` are to be kept, which then count. Any thread.
  [[nodiscard]] std::size_t take(const model::Solution& solution, std::size_t bytes);

  // The same of a build's log, which each of the solution's workloads has: its first trace has what take()
  // gives, the others have kLeast at most.
  [[nodiscard]] std::size_t take_of_build(const model::Solution& solution, std::size_t bytes);

 private:
  std::mutex mutex_;
  std::size_t all_ = 0;
  std::set<const model::Solution*> builds_;  // whose log is in a trace
  std::map<const model::Solution*, std::size_t> taken_;
};

}  // namespace fib::bench
