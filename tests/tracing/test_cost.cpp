#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>

#include "tracing/traced.h"

using namespace fib;
using testing::RaggedCall;
using testing::TracedDataset;
using tracing::Outcome;

namespace {

thread_local std::size_t allocations = 0;  // of this thread

}  // namespace

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(std::max<std::size_t>(bytes, 1))) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

TEST_CASE("a call that is passed over allocates nothing and takes less than a microsecond") {
  const TracedDataset data;
  for (const char* policy : {"keep_none", "keep_first", "keep_first_k_by_axes", "attention"}) {
    INFO(policy);
    tracing::Tracing tracing(data.load(),
                             tracing::parse_config(std::string(R"({"filter_policy":")") + policy + "\"}"));
    const RaggedCall call(8, 16, 100);
    (void)testing::collect(tracing, "ragged", call);
    const std::size_t before = allocations;
    auto least = std::chrono::steady_clock::duration::max();
    bool all_passed_over = true;
    for (int round = 0; round < 20; ++round) {
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < 1000; ++i)
        all_passed_over &= testing::collect(tracing, "ragged", call) == Outcome::passed_over;
      least = std::min(least, std::chrono::steady_clock::now() - begin);
    }
    CHECK(allocations == before);
    CHECK(all_passed_over);
    CHECK(least < std::chrono::microseconds(1000));  // of a thousand calls
  }
  const std::size_t before = allocations;
  CHECK(std::make_unique<int>(1) != nullptr);
  CHECK(allocations > before);  // they are counted
}
