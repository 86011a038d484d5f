#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace fib::tracing {

// A copy of values in a device's memory, made in the order of the engine's stream.
class DeviceCopy {
 public:
  virtual ~DeviceCopy() = default;

  // Waits until the copy is made, and brings all of its bytes to the host. One thread at a time, not the
  // engine's. Throws Error.
  virtual void download(std::byte* to) = 0;
};

// Contiguous bytes on a device, and where they go in the copy.
struct DevicePart {
  const void* address = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

// How values on devices are kept without waiting for them. Any thread; has to outlive its copies.
class DeviceCopies {
 public:
  virtual ~DeviceCopies() = default;

  // Whether the current context is one of device number `device`. Throws Error without a context or such a
  // device.
  [[nodiscard]] virtual bool is_current(int device) = 0;

  // Whether work that is queued on the stream becomes part of a graph instead of being done. Throws Error.
  [[nodiscard]] virtual bool is_capturing(void* stream) = 0;

  // Queues copies of the parts, which may lie on any devices, on the stream, which is one of the current
  // context; the copy lies on that context's device. Waits for nothing. Null when there is no room for
  // `bytes`, which all parts take together, on the device or under the limit. Throws Error.
  [[nodiscard]] virtual std::unique_ptr<DeviceCopy> copy(void* stream, std::span<const DevicePart> parts,
                                                         std::uint64_t bytes) = 0;

  // Bytes that are held on devices now.
  [[nodiscard]] virtual std::uint64_t bytes_held() const = 0;
};

// Those of CUDA, whose driver is opened by the first call. At most `limit` bytes on all devices together.
// Null where fib was built without CUDA.
[[nodiscard]] std::unique_ptr<DeviceCopies> make_device_copies(std::uint64_t limit);

}  // namespace fib::tracing
