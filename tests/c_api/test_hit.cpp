#include <fib.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <thread>

#include "apply/results.h"
#include "support/places.h"
#include "support/tensors.h"

// What a hit costs. Every operator new of this program, its libraries included, is counted.
namespace {

std::atomic<std::size_t> allocations = 0;  // NOLINT: operator new has no other place

}  // namespace

void* operator new(std::size_t bytes) {
  ++allocations;
  void* memory = std::malloc(bytes);  // NOLINT: what operator new is made of
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t bytes, const std::nothrow_t& /*nothrow*/) noexcept {
  ++allocations;
  return std::malloc(bytes);  // NOLINT: likewise
}
void operator delete(void* memory) noexcept { std::free(memory); }               // NOLINT
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }  // NOLINT

using namespace fib;
using tensor::DType;
using testing::HostTensor;

namespace {

struct Hit {
  util::TemporaryFolder folder{std::filesystem::temp_directory_path(), "fib-c-"};
  fib_apply* apply = nullptr;
  const fib_function* function = nullptr;
  HostTensor a{DType::kFloat32, {8}};
  HostTensor b{DType::kFloat32, {8}};
  HostTensor c{DType::kFloat32, {8}};
  fib_value values[3] = {a.value(), b.value(), c.value()};

  Hit() {
    ::setenv("FIB_CACHE_PATH", (folder.path() / "cache").c_str(), 1);
    ::setenv("FIB_PROGRAM", testing::fib_binary().c_str(), 1);
    testing::AppliedDataset data(folder.path() / "dataset");
    data.adder("ten", "10").result({"ten", 8, 3});
    fib_dataset* dataset = nullptr;
    REQUIRE(fib_dataset_open(data.root().c_str(), &dataset) == FIB_OK);
    REQUIRE(fib_apply_open(dataset, nullptr, &apply) == FIB_OK);
    fib_dataset_close(dataset);
    REQUIRE(fib_apply_find(apply, "add", &function) == FIB_OK);
    REQUIRE(fib_call(function, values, 3, nullptr) == FIB_APPLIED);
  }
  ~Hit() { fib_apply_close(apply); }
  Hit(const Hit&) = delete;
  Hit& operator=(const Hit&) = delete;
};

}  // namespace

TEST_CASE_METHOD(Hit, "a hit allocates nothing") {
  const std::size_t before = allocations;
  std::size_t applied = 0;
  for (int i = 0; i < 1000; ++i) applied += fib_call(function, values, 3, nullptr) == FIB_APPLIED ? 1 : 0;
  const std::size_t after = allocations;
  CHECK(applied == 1000);
  CHECK(after == before);
  CHECK(before > 0);
}

TEST_CASE_METHOD(Hit, "many threads hit at once") {
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&] {
      HostTensor own(DType::kFloat32, {8});
      const fib_value mine[] = {a.value(), b.value(), own.value()};
      for (int i = 0; i < 1000; ++i) {
        if (fib_call(function, mine, 3, nullptr) != FIB_APPLIED) ++wrong;
      }
      if (own.data<float>()[7] != 10) ++wrong;
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
}

// Run by scripts/bench-apply.
TEST_CASE_METHOD(Hit, "what a hit adds to a call", "[.bench]") {
  using Clock = std::chrono::steady_clock;
  const auto each = [](auto call) {
    constexpr int kCalls = 1'000'000;
    double least = 1e9;
    for (int round = 0; round < 7; ++round) {
      const auto begin = Clock::now();
      for (int i = 0; i < kCalls; ++i) call();
      least =
          std::min(least, std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / kCalls);
    }
    return least;
  };
  const fib_prepared* prepared = nullptr;
  REQUIRE(fib_prepare(function, values, 3, nullptr, &prepared) == FIB_APPLIED);
  void* addresses[] = {a.data<void>(), b.data<void>(), c.data<void>()};
  HostTensor missing(DType::kFloat32, {9});
  const fib_value miss[] = {missing.value(), missing.value(), missing.value()};
  std::printf("fib_call, a hit with three tensors: %.0f ns\n",
              each([&] { (void)fib_call(function, values, 3, nullptr); }));
  std::printf("fib_prepared_call: %.0f ns\n",
              each([&] { (void)fib_prepared_call(prepared, addresses, nullptr); }));
  std::printf("fib_call, a miss: %.0f ns\n", each([&] { (void)fib_call(function, miss, 3, nullptr); }));
}
