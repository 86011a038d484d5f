#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace fib::tensor {

// Runs work(begin, end) over [0, count) cut into at most `threads` ranges of about equal length, each on a
// thread of its own (the first one on the caller's), and returns when all are done. No range but the last is
// shorter than `grain`, and `threads` of 0 counts as 1. `work` must not throw. Throws std::system_error,
// after the work that was begun is done, when the system refuses a thread.
template <typename Work>
void parallel_for(std::size_t count, std::size_t grain, unsigned threads, const Work& work) {
  const std::size_t most = std::max<std::size_t>(1, count / std::max<std::size_t>(1, grain));
  const std::size_t ranges = std::clamp<std::size_t>(threads, 1, most);
  const std::size_t length = count / ranges;
  const std::size_t longer = count % ranges;  // this many ranges are one longer
  const auto begin_of = [&](std::size_t i) { return i * length + std::min(i, longer); };
  std::vector<std::jthread> helpers;
  helpers.reserve(ranges - 1);
  for (std::size_t i = 1; i < ranges; ++i) {
    helpers.emplace_back([&work, begin = begin_of(i), end = begin_of(i + 1)] { work(begin, end); });
  }
  work(begin_of(0), begin_of(1));
}

}  // namespace fib::tensor
