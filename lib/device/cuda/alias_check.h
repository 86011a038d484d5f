#pragma once

#include <cstdint>
#include <optional>

#include "device/cuda/memory.h"

namespace fib::device::cuda {

// Looks whether device memory is one piece that is mapped at several places side by side, so that who writes
// one part has written others. One thread.
class AliasCheck {
 public:
  // `context` must outlive this.
  explicit AliasCheck(const Context& context) : context_(context) {}

  // Writes to one element of 32 bits, looks at those that are whole pages away, and writes back what was
  // there; queued on the context's stream, and waited for. The memory must be writable, and nobody else's
  // meanwhile. `random` says which element: any number. Memory of one page has no such parts. Throws
  // DriverError.
  [[nodiscard]] bool is_mapped_twice(CUdeviceptr data, std::uint64_t bytes, std::uint64_t random);

 private:
  // The elements at this offset of every page, in pinned memory from `words` on.
  void read(CUdeviceptr data, std::uint64_t pages, std::uint32_t* words);
  void write(CUdeviceptr element, const std::uint32_t* word);

  const Context& context_;
  std::optional<PinnedMemory> pinned_;
  std::uint64_t words_ = 0;  // that it holds
};

}  // namespace fib::device::cuda
