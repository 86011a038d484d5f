#include <algorithm>
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
void* operator new(std::size_t bytes, const std::nothrow_t& /*nothrow*/) noexcept {
  ++allocations;
  return std::malloc(std::max<std::size_t>(bytes, 1));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

TEST_CASE("a call that is passed over allocates nothing") {
  const TracedDataset data;
  for (const char* policy : {"keep_none", "keep_first", "keep_first_k_by_axes", "attention"}) {
    INFO(policy);
    tracing::Tracing tracing(data.load(),
                             tracing::parse_config(std::string(R"({"filter_policy":")") + policy + "\"}"));
    const RaggedCall call(8, 16, 100);
    (void)testing::collect(tracing, "ragged", call);
    const std::size_t before = allocations;
    bool all_passed_over = true;
    for (int i = 0; i < 1000; ++i)
      all_passed_over &= testing::collect(tracing, "ragged", call) == Outcome::passed_over;
    CHECK(allocations == before);
    CHECK(all_passed_over);
  }
  const std::size_t before = allocations;
  CHECK(std::make_unique<int>(1) != nullptr);
  CHECK(allocations > before);  // they are counted
}
