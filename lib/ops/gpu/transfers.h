#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "ops/gpu/device.h"
#include "ops/gpu/gpu.h"

namespace fib::ops::gpu {

// Copies between pageable memory of the host and the device, on the device's stream. Large ones are cut into
// pieces that several threads bring through page-locked buffers of their own: one core copies about 10 GB/s,
// the bus carries several times that. Page-locking the caller's memory instead costs more than the copy, the
// first time.
class Transfers {
 public:
  Transfers(const Device& device, int threads);
  ~Transfers();
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;

  // Any thread. Throw cuda::DriverError.
  void upload(DeviceAddress target, const std::byte* source, std::size_t bytes);
  void download(std::byte* target, DeviceAddress source, std::size_t bytes);

 private:
  // A page-locked buffer, and when the device is done with it.
  struct Buffer {
    std::byte* data = nullptr;
    CUevent free = nullptr;
  };

  [[nodiscard]] Buffer make_buffer(std::size_t bytes) const;
  void make_buffers();
  void upload_small(DeviceAddress target, const std::byte* source, std::size_t bytes);
  template <typename Body>
  void for_pieces(std::size_t bytes, const Body& body);

  const Device& device_;
  std::size_t lanes_;
  std::mutex mutex_;
  std::vector<Buffer> buffers_;  // two a lane; made for the first large transfer
  std::vector<Buffer> small_;    // for small uploads, in turn
  std::size_t turn_ = 0;
};

}  // namespace fib::ops::gpu
