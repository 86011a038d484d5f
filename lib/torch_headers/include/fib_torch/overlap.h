#pragma once

#include "fib_torch/views.h"

// What of memory that would be written more than once, or read after it was written, torch refuses. Where it
// cannot tell at little cost, it goes on.
namespace at::detail {

inline void check_no_internal_overlap(const Tensor& written) {
  if (written.is_non_overlapping_and_dense()) return;
  for (std::size_t axis = 0; axis < written.sizes().size(); ++axis) {
    TORCH_CHECK(written.strides()[axis] != 0 || written.sizes()[axis] <= 1,
                "unsupported operation: more than one element of the written-to tensor refers to a single "
                "memory location. Please clone() the tensor before performing the operation.");
  }
}

inline bool overlaps_partially(const Tensor& written, const Tensor& read) {
  if (written.numel() == 0 || read.numel() == 0 || !written.is_alias_of(read)) return false;
  if (!written.is_non_overlapping_and_dense() || !read.is_non_overlapping_and_dense()) return false;
  const auto* written_begin = static_cast<const std::byte*>(written.data_ptr());
  const auto* read_begin = static_cast<const std::byte*>(read.data_ptr());
  const auto* written_end = written_begin + written.nbytes();
  const auto* read_end = read_begin + read.nbytes();
  if (written_begin == read_begin && written_end == read_end) return written.strides() != read.strides();
  return written_begin < read_end && read_begin < written_end;
}

inline void check_no_partial_overlap(const Tensor& written, const Tensor& read) {
  TORCH_CHECK(!overlaps_partially(written, read),
              "unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
              "single memory location. Please clone() the tensor before performing the operation.");
}

// Whether both are the same elements in the same order.
inline bool is_same_data(const Tensor& a, const Tensor& b) {
  return a.is_alias_of(b) && a.storage_offset() == b.storage_offset() && a.strides() == b.strides() &&
         a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type();
}

}  // namespace at::detail
