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

TEST_CASE("the CPU has a name") { CHECK_FALSE(device::cpu::model_name().empty()); }
