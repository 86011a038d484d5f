#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

#include "device/cuda/context.h"
#include "util/unique_fd.h"

namespace fib::device::cuda {

// Device memory of this process alone, at least 256 bytes and padded to a multiple of 256; content undefined.
// Freed on destruction. Moves, does not copy. The context must outlive it.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(const Context& context, std::uint64_t bytes);  // throws DriverError
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory();

  [[nodiscard]] CUdeviceptr data() const { return data_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  const Context* context_ = nullptr;
  CUdeviceptr data_ = 0;
  std::uint64_t size_ = 0;
};

// Device memory that two processes see: a physical allocation of its own (whole granules, nothing else in
// them), passed as a file descriptor. The process that has only the descriptor reaches this allocation and no
// other. Unmapped on destruction. Moves, does not copy. The context must outlive it.
class SharedDeviceMemory {
 public:
  // The owner's side: allocates and maps. Throws DriverError.
  [[nodiscard]] static SharedDeviceMemory create(const Context& context, std::uint64_t bytes);

  // The other side's: maps what the descriptor stands for, at least `bytes` large. Throws DriverError.
  [[nodiscard]] static SharedDeviceMemory open(const Context& context, util::UniqueFd fd,
                                               std::uint64_t bytes);

  SharedDeviceMemory(SharedDeviceMemory&& other) noexcept;
  SharedDeviceMemory& operator=(SharedDeviceMemory&& other) noexcept;
  SharedDeviceMemory(const SharedDeviceMemory&) = delete;
  SharedDeviceMemory& operator=(const SharedDeviceMemory&) = delete;
  ~SharedDeviceMemory();

  [[nodiscard]] CUdeviceptr data() const { return data_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] int fd() const { return fd_.get(); }  // the owner's: to be sent to the other process

 private:
  explicit SharedDeviceMemory(const Context& context) : context_(&context) {}
  void map(CUmemGenericAllocationHandle handle);

  const Context* context_ = nullptr;
  util::UniqueFd fd_;
  CUdeviceptr data_ = 0;
  std::uint64_t size_ = 0;
};

// Page-locked host memory that the device can read and write, at least one byte. Zeroed.
class PinnedMemory {
 public:
  PinnedMemory(const Context& context, std::size_t bytes);
  ~PinnedMemory();
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }
  // Host and device use one address (unified addressing).
  [[nodiscard]] CUdeviceptr device() const { return reinterpret_cast<CUdeviceptr>(data_); }

 private:
  const Context& context_;
  std::byte* data_ = nullptr;
};

}  // namespace fib::device::cuda
