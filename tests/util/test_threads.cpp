#include <atomic>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <vector>

#include "util/threads.h"

using fib::util::for_each_index;

TEST_CASE("every index is worked on once, whatever the number of threads") {
  for (const unsigned threads : {0U, 1U, 3U, 100U}) {
    std::vector<std::atomic<int>> calls(50);
    for_each_index(calls.size(), threads, [&](std::size_t i) { ++calls[i]; });
    for (const auto& count : calls) CHECK(count == 1);
  }
  for_each_index(0, 4, [](std::size_t) { FAIL("there is nothing to do"); });
}

TEST_CASE("what the work throws ends it and is thrown again") {
  std::atomic<int> calls = 0;
  const auto work = [&](std::size_t i) {
    ++calls;
    if (i == 3) throw std::runtime_error("three");
  };
  CHECK_THROWS_WITH(for_each_index(1000, 1, work), "three");
  CHECK(calls == 4);
  CHECK_THROWS_WITH(for_each_index(1000, 4, work), "three");
}
