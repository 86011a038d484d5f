#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "device/cuda/memory.h"

namespace fib::device::cuda {

// Looks whether pieces of device memory that have different addresses are one and the same, so that who
// writes one has written the other. The driver maps memory in pages of 2 MiB. One thread.
class AliasCheck {
 public:
  // Where memory begins, and its bytes.
  using Range = std::pair<CUdeviceptr, std::uint64_t>;

  // `context` must outlive this.
  explicit AliasCheck(const Context& context) : context_(context) {}

  // Both write to one element of 32 bits of `data`, look at other memory of fib's and the solution's that
  // would have changed, and write back what was there; queued on the context's stream, and waited for. The
  // memory must be writable, and nobody else's meanwhile. `random` says which element: any number. They throw
  // DriverError.

  // Whether the memory is one piece that is mapped at several places side by side. Memory of one page has no
  // such parts.
  [[nodiscard]] bool is_mapped_twice(const Range& data, std::uint64_t random);

  // Whether the element's page is one of `others`, none of which may have addresses of `data`. Not of data of
  // less than 4 bytes.
  [[nodiscard]] bool shares_page_with(const Range& data, const std::vector<Range>& others,
                                      std::uint64_t random);

 private:
  // The elements at the same place of `count` pages one after the other.
  struct Column {
    CUdeviceptr first = 0;
    std::uint64_t count = 0;
  };

  // How many elements of `columns` change when `element` is written to.
  [[nodiscard]] std::uint64_t changes(const std::vector<Column>& columns, CUdeviceptr element);
  void read(const Column& column, std::uint32_t* words);
  void write(CUdeviceptr element, const std::uint32_t* word);

  const Context& context_;
  std::optional<PinnedMemory> pinned_;
  std::uint64_t words_ = 0;  // that it holds
};

}  // namespace fib::device::cuda
