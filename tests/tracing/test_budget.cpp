#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "tracing/budget.h"

using fib::tracing::Budget;

TEST_CASE("a budget has no more than its limit, and takes back what goes") {
  Budget budget(100);
  auto first = budget.take(60);
  CHECK(first);
  CHECK_FALSE(budget.take(41));
  {
    const auto second = budget.take(40);
    CHECK(second);
    CHECK(budget.used() == 100);
    CHECK_FALSE(budget.take(1));
  }
  CHECK(budget.used() == 60);
  auto moved = std::move(first);
  CHECK(budget.used() == 60);
  moved = Budget::Share();
  CHECK(budget.used() == 0);
  CHECK_FALSE(budget.take(101));
  CHECK_FALSE(budget.take(~std::uint64_t{0}));
  CHECK(budget.used() == 0);
}

TEST_CASE("threads share a budget") {
  Budget budget(3);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int turn = 0; turn < 10000; ++turn) (void)budget.take(1);
    });
  for (auto& thread : threads) thread.join();
  CHECK(budget.used() == 0);
}
