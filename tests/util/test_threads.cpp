#include <pthread.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <system_error>
#include <thread>
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

TEST_CASE("where no thread can be had the caller does all of it") {
  pthread_attr_t usual{};
  REQUIRE(pthread_getattr_default_np(&usual) == 0);
  pthread_attr_t huge = usual;
  REQUIRE(pthread_attr_setstacksize(&huge, std::size_t{1} << 56) == 0);
  REQUIRE(pthread_setattr_default_np(&huge) == 0);
  std::vector<int> calls(50);
  CHECK_THROWS_AS(std::thread([] {}).join(), std::system_error);
  for_each_index(calls.size(), 4, [&](std::size_t i) { ++calls[i]; });
  CHECK(pthread_setattr_default_np(&usual) == 0);
  CHECK(calls == std::vector<int>(50, 1));
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
