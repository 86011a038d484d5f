#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "ops/convert_elements.h"
#include "ops/strides.h"

namespace fib::ops {

// Operations walk their operands block by block in row-major order: small enough for the first-level cache,
// large enough that what is decided once a block costs nothing.
constexpr std::int64_t kBlock = 1024;

// Reads any tensor as Real (float, double or int64). Const functions are safe from any thread.
template <typename Real>
class BlockReader {
 public:
  // `tensor` already has the shape to walk through (see expand()).
  explicit BlockReader(const Tensor& tensor)
      : strides_(tensor),
        dtype_(tensor.dtype),
        size_(static_cast<std::int64_t>(tensor.element_size())),
        data_(tensor.read()) {}

  // Elements [begin, begin + count) of the row-major order, in `buffer` or in the tensor itself.
  const Real* read(std::int64_t begin, std::int64_t count, Real* buffer) const {
    const bool dense = strides_.rank == 0 || (strides_.rank == 1 && strides_.strides[0] == 1);
    if (dense && is_native(dtype_, buffer)) return reinterpret_cast<const Real*>(data_) + begin;
    if (dense) {
      load_elements(dtype_, data_ + begin * size_, buffer, static_cast<std::size_t>(count));
    } else {
      read_runs(begin, count, buffer);
    }
    return buffer;
  }

 private:
  void read_runs(std::int64_t begin, std::int64_t count, Real* buffer) const {
    Walk walk(strides_, begin);
    while (count > 0) {
      const std::int64_t run = std::min(walk.run(), count);
      read_run(data_ + walk.offset() * size_, walk.stride(), run, buffer);
      walk.advance(run);
      buffer += run;
      count -= run;
    }
  }

  void read_run(const std::byte* from, std::int64_t stride, std::int64_t count, Real* buffer) const {
    if (stride == 1) return load_elements(dtype_, from, buffer, static_cast<std::size_t>(count));
    if (stride == 0) {
      Real value;
      load_elements(dtype_, from, &value, 1);
      std::fill_n(buffer, count, value);
      return;
    }
    alignas(8) std::array<std::byte, 8 * kBlock> gathered;
    while (count > 0) {
      const std::int64_t part = std::min(count, kBlock);
      copy_strided(static_cast<std::size_t>(size_), from, stride, gathered.data(), 1, part);
      load_elements(dtype_, gathered.data(), buffer, static_cast<std::size_t>(part));
      from += part * stride * size_;
      buffer += part;
      count -= part;
    }
  }

  Strides strides_;
  DType dtype_;
  std::int64_t size_;
  const std::byte* data_;
};

// Writes Real into any tensor, whose elements must not overlap each other.
template <typename Real>
class BlockWriter {
 public:
  explicit BlockWriter(const Tensor& tensor)
      : strides_(tensor),
        dtype_(tensor.dtype),
        size_(static_cast<std::int64_t>(tensor.element_size())),
        data_(tensor.data()) {}

  // Where to put elements [begin, ...): the tensor itself if that is possible, else `buffer`.
  Real* target(std::int64_t begin, Real* buffer) const {
    return is_dense() && is_native(dtype_, buffer) ? reinterpret_cast<Real*>(data_) + begin : buffer;
  }

  // Stores what lies at target(begin, buffer).
  void write(std::int64_t begin, std::int64_t count, const Real* source) const {
    if (is_dense()) {
      if (!is_native(dtype_, source)) {
        store_elements(dtype_, source, data_ + begin * size_, static_cast<std::size_t>(count));
      } else if (reinterpret_cast<const Real*>(data_) + begin != source) {
        std::copy_n(source, count, reinterpret_cast<Real*>(data_) + begin);
      }
      return;
    }
    Walk walk(strides_, begin);
    while (count > 0) {
      const std::int64_t run = std::min(walk.run(), count);
      write_run(source, walk.stride(), run, data_ + walk.offset() * size_);
      walk.advance(run);
      source += run;
      count -= run;
    }
  }

 private:
  [[nodiscard]] bool is_dense() const {
    return strides_.rank == 0 || (strides_.rank == 1 && strides_.strides[0] == 1);
  }

  void write_run(const Real* source, std::int64_t stride, std::int64_t count, std::byte* to) const {
    if (stride == 1) return store_elements(dtype_, source, to, static_cast<std::size_t>(count));
    alignas(8) std::array<std::byte, 8 * kBlock> stored;
    while (count > 0) {
      const std::int64_t part = std::min(count, kBlock);
      store_elements(dtype_, source, stored.data(), static_cast<std::size_t>(part));
      copy_strided(static_cast<std::size_t>(size_), stored.data(), 1, to, stride, part);
      source += part;
      to += part * stride * size_;
      count -= part;
    }
  }

  Strides strides_;
  DType dtype_;
  std::int64_t size_;
  std::byte* data_;
};

}  // namespace fib::ops
