#pragma once

#include <cstddef>
#include <cstdint>

#include "fib_torch/core.h"

// Elements by their indices, on host and device: a[i][j].
namespace at {

template <typename T>
struct DefaultPtrTraits {
  using PtrType = T*;
};
template <typename T>
struct RestrictPtrTraits {
  using PtrType = T* __restrict__;
};

// Sizes and strides lie with the tensor.
template <typename T, std::size_t N, template <typename> class PtrTraits = DefaultPtrTraits,
          typename index_t = std::int64_t>
class TensorAccessor {
 public:
  using PtrType = typename PtrTraits<T>::PtrType;
  C10_HOST_DEVICE TensorAccessor(PtrType data, const index_t* sizes, const index_t* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  [[nodiscard]] C10_HOST_DEVICE index_t size(index_t axis) const { return sizes_[axis]; }
  [[nodiscard]] C10_HOST_DEVICE index_t stride(index_t axis) const { return strides_[axis]; }
  [[nodiscard]] C10_HOST_DEVICE PtrType data() const { return data_; }
  [[nodiscard]] C10_HOST IntArrayRef sizes() const { return IntArrayRef(sizes_, N); }
  [[nodiscard]] C10_HOST IntArrayRef strides() const { return IntArrayRef(strides_, N); }
  C10_HOST_DEVICE decltype(auto) operator[](index_t i) const {
    if constexpr (N == 1) {
      return (data_[strides_[0] * i]);
    } else {
      return TensorAccessor<T, N - 1, PtrTraits, index_t>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
    }
  }

 private:
  PtrType data_;
  const index_t* sizes_;
  const index_t* strides_;
};

// Sizes and strides lie in it, so that a kernel can be given one.
template <typename T, std::size_t N, template <typename> class PtrTraits = DefaultPtrTraits,
          typename index_t = std::int64_t>
class GenericPackedTensorAccessor {
 public:
  using PtrType = typename PtrTraits<T>::PtrType;
  template <typename source_t>
  C10_HOST GenericPackedTensorAccessor(PtrType data, const source_t* sizes, const source_t* strides)
      : data_(data) {
    for (std::size_t i = 0; i < N; ++i) {
      sizes_[i] = static_cast<index_t>(sizes[i]);
      strides_[i] = static_cast<index_t>(strides[i]);
    }
  }
  [[nodiscard]] C10_HOST_DEVICE index_t size(index_t axis) const { return sizes_[axis]; }
  [[nodiscard]] C10_HOST_DEVICE index_t stride(index_t axis) const { return strides_[axis]; }
  [[nodiscard]] C10_HOST_DEVICE PtrType data() const { return data_; }
  C10_HOST_DEVICE decltype(auto) operator[](index_t i) const {
    return TensorAccessor<T, N, PtrTraits, index_t>(data_, sizes_, strides_)[i];
  }

 private:
  PtrType data_;
  index_t sizes_[N];
  index_t strides_[N];
};

template <typename T, std::size_t N, template <typename> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, PtrTraits, std::int32_t>;
template <typename T, std::size_t N, template <typename> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, PtrTraits, std::int64_t>;
template <typename T, std::size_t N, template <typename> class PtrTraits = DefaultPtrTraits,
          typename index_t = std::int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, PtrTraits, index_t>;

}  // namespace at
