#include "bench/log_budget.h"

#include <fmt/format.h>

#include <algorithm>

#include "util/utf8.h"

namespace fib::bench {

std::string cut_log(std::string text, std::size_t limit) {
  if (text.size() <= limit) return text;
  const std::size_t begin = util::beginning_of(text, limit - limit / 2).size();
  const std::size_t end = text.size() - util::ending_of(text, limit / 2).size();
  return text.replace(begin, end - begin,
                      fmt::format("\n\n[log truncated: {} bytes are left out here]\n\n", end - begin));
}

std::size_t LogBudget::take(const model::Solution& solution, std::size_t bytes) {
  if (bytes <= kLeast) return bytes;
  const std::lock_guard lock(mutex_);
  std::size_t& of_solution = taken_[&solution];
  const std::size_t left = std::min(kOfSolution - of_solution, kOfRun - all_);
  if (left <= kLeast) return kLeast;
  const std::size_t kept = std::min(bytes, left);
  of_solution += kept;
  all_ += kept;
  return kept;
}

std::size_t LogBudget::take_of_build(const model::Solution& solution, std::size_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    if (!builds_.insert(&solution).second) return std::min(bytes, kLeast);
  }
  return take(solution, bytes);
}

}  // namespace fib::bench
