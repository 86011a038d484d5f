#pragma once

#include <cstddef>

#include "util/unique_fd.h"

namespace fib::device::cpu {

// What the other process may do with a buffer that the judge shares with it.
enum class WorkerAccess { kReads, kWrites };

// Memory that two processes see: a memfd that can neither shrink nor grow; where the worker only reads, no
// process can map it writable any more once the owner has. Unmapped on destruction. Moves, does not copy.
class SharedMemory {
 public:
  // The owner's view, writable and zeroed. At least one page. Throws Error.
  [[nodiscard]] static SharedMemory create(std::size_t bytes, WorkerAccess access);

  // The worker's view of a descriptor it was sent: checked to be `bytes` large at least. Throws Error.
  [[nodiscard]] static SharedMemory open(util::UniqueFd fd, std::size_t bytes, WorkerAccess access);

  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  SharedMemory() = default;
  util::UniqueFd fd_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// Huge pages, where the kernel has some, are made with fewer faults. They also change what code sees of its
// memory: they are not for buffers of solutions, whose own memory would not have them.
enum class Pages { kUsual, kHuge };

// Memory of this process alone: page-aligned, zeroed, given back on destruction. Moves, does not copy.
class PrivateMemory {
 public:
  PrivateMemory() = default;
  explicit PrivateMemory(std::size_t bytes, Pages pages = Pages::kUsual);  // at least one page; throws Error
  PrivateMemory(PrivateMemory&& other) noexcept;
  PrivateMemory& operator=(PrivateMemory&& other) noexcept;
  PrivateMemory(const PrivateMemory&) = delete;
  PrivateMemory& operator=(const PrivateMemory&) = delete;
  ~PrivateMemory();

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace fib::device::cpu
