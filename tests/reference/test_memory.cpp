#include <catch2/catch.hpp>

#include "ops/memory.h"
#include "reference/support.h"

namespace {

using fib::ops::MemoryPool;
using fib::ops::Storage;

TEST_CASE("The pool counts what is in use and refuses what is beyond its limit") {
  const auto pool = std::make_shared<MemoryPool>(1000);
  {
    const auto storage = Storage::allocate(pool, 600);
    CHECK(pool->bytes_in_use() == 600);
    CHECK_THROWS_AS(Storage::allocate(pool, 500), fib::Error);
    CHECK_NOTHROW(Storage::allocate(pool, 400));
  }
  CHECK(pool->bytes_in_use() == 0);
}

TEST_CASE("Large blocks are used again") {
  MemoryPool pool(0);
  const auto first = pool.allocate(1 << 20);
  pool.release(first);
  const auto second = pool.allocate((1 << 20) - 100);
  CHECK(second.data == first.data);
  CHECK(pool.bytes_in_use() == second.capacity);
  const auto third = pool.allocate(1 << 20);
  CHECK(third.data != second.data);
  pool.release(second);
  pool.release(third);
  const auto small = pool.allocate(1 << 18);
  CHECK(small.data != first.data);
  pool.release(small);
}

TEST_CASE("Blocks are aligned for vectors") {
  MemoryPool pool(0);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{100}, std::size_t{1} << 20}) {
    const auto block = pool.allocate(bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(block.data) % 64 == 0);
    pool.release(block);
  }
}

TEST_CASE("Calls do not leave tensors behind") {
  // Each call makes a function and 4 MB; keeping them all would break the limit.
  const std::string source =
      "import torch\n"
      "def step(x):\n"
      "    big = torch.zeros(1000, 1000)\n"
      "    return x + 1\n"
      "def run():\n"
      "    x = 0\n"
      "    for i in range(100):\n"
      "        x = step(x)\n"
      "    return x\n";
  CHECK(fib::test::error_of(source, {}, {.max_memory = 20'000'000}).empty());
}

}  // namespace
