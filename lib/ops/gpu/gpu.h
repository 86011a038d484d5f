#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fib::ops {

// Operations of fewer elements stay on the CPU unless an operand lives on the GPU. A launch and the way back
// of a result cost tens of microseconds, in which one core makes about this many elements.
constexpr std::int64_t kGpuFrom = std::int64_t{1} << 17U;

using DeviceAddress = std::uint64_t;

// Memory of the device from Gpu::allocate().
struct DeviceBlock {
  DeviceAddress address = 0;  // 0: there is none
  std::size_t capacity = 0;
};

// A file of kernels/ops/ with the macros it is compiled with.
struct Program {
  std::string file;  // "elementwise" for kernels/ops/elementwise.cuh
  std::vector<std::pair<std::string, std::string>> defines;
};

struct Grid {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;
  unsigned shared_bytes = 0;  // of dynamic shared memory; blocks always have 256 threads
};

// One NVIDIA GPU at work for references: memory, transfers and kernels, in the order of one stream. All
// functions may be called from any thread, one at a time for launches. What fails on the device throws Error,
// at the call or at a later one that waits; the context is lost then.
class Gpu {
 public:
  virtual ~Gpu() = default;

  [[nodiscard]] virtual const std::string& name() const = 0;  // "NVIDIA H200"
  [[nodiscard]] virtual unsigned multiprocessors() const = 0;

  // At least `bytes` bytes with undefined content, aligned to 256; no block when the device has no more
  // memory. A released block may be given out again at once: the stream keeps the order.
  [[nodiscard]] virtual DeviceBlock allocate(std::size_t bytes) = 0;
  virtual void release(DeviceBlock block) noexcept = 0;
  // Gives memory back that is kept for reuse, all but a small part: for the end of a run.
  virtual void trim() = 0;

  // The host's bytes have been read when upload() returns, and have arrived when download() does.
  virtual void upload(DeviceAddress target, const std::byte* source, std::size_t bytes) = 0;
  virtual void download(std::byte* target, DeviceAddress source, std::size_t bytes) = 0;
  virtual void clear(DeviceAddress target, std::size_t bytes) = 0;
  virtual void copy(DeviceAddress target, DeviceAddress source, std::size_t bytes) = 0;

  // Queues the kernel `kernel` of `program`, which is compiled when it is asked for the first time.
  // `arguments` points to one value for each of the kernel's parameters.
  virtual void launch(const Program& program, const std::string& kernel, const Grid& grid,
                      void** arguments) = 0;

  template <typename... Arguments>
  void run(const Program& program, const std::string& kernel, const Grid& grid, Arguments... arguments) {
    std::array<void*, sizeof...(Arguments)> pointers = {&arguments...};
    launch(program, kernel, grid, pointers.data());
  }
};

// The device with this UUID ("GPU-8a1c…"), on `threads` host threads for transfers. Throws Error with one
// sentence when it cannot be used: no such device, no driver, no NVRTC, or fib was built without CUDA.
[[nodiscard]] std::shared_ptr<Gpu> open_gpu(const std::string& uuid, int threads);

}  // namespace fib::ops
