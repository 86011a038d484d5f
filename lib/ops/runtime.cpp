#include "ops/runtime.h"

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

namespace fib::ops {
namespace {

// Starting a thread costs about as much as this many cheap elements.
constexpr std::int64_t kElementsPerThread = std::int64_t{1} << 17U;

}  // namespace

void parallel_for(int threads, std::int64_t count, std::int64_t cost, std::int64_t grain,
                  const std::function<void(std::int64_t, std::int64_t)>& body) {
  if (count <= 0) return;
  const std::int64_t steps = (count + grain - 1) / grain;
  const std::int64_t useful = cost > kElementsPerThread ? count : count * cost / kElementsPerThread;
  const std::int64_t parts = std::clamp<std::int64_t>(std::min(steps, useful), 1, threads);
  if (parts == 1) return body(0, count);

  const std::int64_t size = (steps + parts - 1) / parts * grain;
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(parts));
  const auto run = [&](std::int64_t part) {
    const std::int64_t begin = std::min(count, part * size);
    const std::int64_t end = std::min(count, begin + size);
    try {
      if (begin < end) body(begin, end);
    } catch (...) {
      errors[static_cast<std::size_t>(part)] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> workers;
    for (std::int64_t part = 1; part < parts; ++part) workers.emplace_back(run, part);
    run(0);
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace fib::ops
