#pragma once

#include <array>
#include <cstdint>

#include "ops/tensor.h"

namespace fib::ops {

// The strides of one tensor over a row-major walk through its shape, with neighbouring dimensions joined
// where they lie end to end: a contiguous tensor has one dimension, a single element none.
struct Strides {
  static constexpr int kMaxRank = 16;

  // Throws Error when more than kMaxRank dimensions remain.
  explicit Strides(const Tensor& tensor);

  int rank = 0;
  std::array<std::int64_t, kMaxRank> shape{};
  std::array<std::int64_t, kMaxRank> strides{};
};

// A walk through strides, in runs along its last dimension.
class Walk {
 public:
  // Starts at element number `begin` of the row-major order.
  Walk(const Strides& strides, std::int64_t begin) : strides_(strides) {
    for (int dim = strides.rank - 1; dim >= 0; --dim) {
      const auto d = static_cast<std::size_t>(dim);
      position_[d] = begin % strides.shape[d];
      offset_ += position_[d] * strides.strides[d];
      begin /= strides.shape[d];
    }
  }

  // The element offset of the current position.
  [[nodiscard]] std::int64_t offset() const { return offset_; }
  // Elements left in this run.
  [[nodiscard]] std::int64_t run() const {
    return strides_.rank == 0 ? 1 : strides_.shape[last()] - position_[last()];
  }
  [[nodiscard]] std::int64_t stride() const { return strides_.rank == 0 ? 1 : strides_.strides[last()]; }

  // Moves on by `count` elements, at most run().
  void advance(std::int64_t count) {
    if (strides_.rank == 0) return;
    position_[last()] += count;
    offset_ += count * strides_.strides[last()];
    for (std::size_t d = last(); d > 0 && position_[d] == strides_.shape[d]; --d) {
      offset_ += strides_.strides[d - 1] - strides_.shape[d] * strides_.strides[d];
      position_[d] = 0;
      ++position_[d - 1];
    }
  }

 private:
  [[nodiscard]] std::size_t last() const { return static_cast<std::size_t>(strides_.rank - 1); }

  const Strides& strides_;
  std::array<std::int64_t, Strides::kMaxRank> position_{};
  std::int64_t offset_ = 0;
};

}  // namespace fib::ops
