#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <thread>
#include <vector>

#include "device/cpu/cache.h"
#include "device/cpu/hardware.h"
#include "device/cpu/memory.h"
#include "device/cpu/quiescence.h"
#include "util/clock.h"
#include "util/error.h"

using namespace fib;
using device::cpu::SharedMemory;
using device::cpu::WorkerAccess;

TEST_CASE("what the owner writes the worker sees, and a reader cannot write") {
  const auto owner = SharedMemory::create(10000, WorkerAccess::kReads);
  std::memset(owner.data(), 7, 10000);
  const auto reader = SharedMemory::open(util::UniqueFd(::dup(owner.fd())), 10000, WorkerAccess::kReads);
  CHECK(reader.data()[9999] == std::byte{7});
  CHECK(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, owner.fd(), 0) == MAP_FAILED);
  CHECK(::mprotect(reader.data(), 4096, PROT_READ | PROT_WRITE) != 0);
  CHECK(::ftruncate(owner.fd(), 0) != 0);
  owner.data()[0] = std::byte{9};
  CHECK(reader.data()[0] == std::byte{9});
}

TEST_CASE("a buffer that is smaller than said is refused") {
  const auto owner = SharedMemory::create(4096, WorkerAccess::kWrites);
  CHECK_THROWS_AS(SharedMemory::open(util::UniqueFd(::dup(owner.fd())), 8192, WorkerAccess::kWrites), Error);
}

TEST_CASE("flushing changes no data, at any alignment and size") {
  std::vector<unsigned char> data(100000);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<unsigned char>(i * 7);
  const auto copy = data;
  for (const std::size_t offset : {0, 1, 63, 64, 4095}) {
    for (const std::size_t size : {0, 1, 64, 65, 90000})
      device::cpu::flush_from_caches(data.data() + offset, size);
  }
  CHECK(data == copy);
  CHECK_FALSE(device::cpu::flush_method().empty());
}

TEST_CASE("a process without other threads is quiet at once") {
  const auto result = device::cpu::wait_until_quiet(100, 50);
  CHECK(result.quiet);
  CHECK(result.last_activity_ns == 0);
}

TEST_CASE("a sleeping thread is quiet, a spinning one is not") {
  std::atomic<int> mode = 0;  // 0 sleep, 1 spin, 2 end
  std::thread thread([&] {
    while (mode != 2) {
      if (mode == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  mode = 1;
  CHECK_FALSE(device::cpu::wait_until_quiet(2000, 50).quiet);
  mode = 2;
  thread.join();
}

TEST_CASE("work that a thread does after the call is seen and waited for") {
  std::atomic<bool> started = false;
  std::int64_t ended = 0;
  std::thread thread([&] {
    started = true;
    const std::int64_t end = util::monotonic_ns() + 20'000'000;
    while (util::monotonic_ns() < end) {
    }
    ended = util::monotonic_ns();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  });
  while (!started) {
  }
  const std::int64_t asked = util::monotonic_ns();
  const auto result = device::cpu::wait_until_quiet(10'000, 2000);
  thread.join();
  CHECK(result.quiet);
  // Activity is seen window by window. On a busy machine the thread may have ended its work before we asked.
  CHECK((result.last_activity_ns + 10'000'000 >= ended || ended < asked));
}

TEST_CASE("the CPU has a name") { CHECK_FALSE(device::cpu::model_name().empty()); }
