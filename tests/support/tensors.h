#pragma once

#include <fib.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <vector>

#include "tvm_ffi/dtypes.h"

namespace fib::testing {

// A contiguous tensor of zeros on the CPU, aligned to 64 bytes, as other programs hand it over.
class HostTensor {
 public:
  HostTensor(tensor::DType dtype, std::vector<std::int64_t> shape) : shape_(std::move(shape)) {
    const auto count =
        std::accumulate(shape_.begin(), shape_.end(), std::int64_t{1}, std::multiplies<std::int64_t>());
    const std::size_t bytes = (tensor::bytes_of(dtype, static_cast<std::size_t>(count)) + 64) / 64 * 64;
    memory_.reset(std::aligned_alloc(64, bytes));
    std::fill_n(static_cast<std::byte*>(memory_.get()), bytes, std::byte{0});
    const auto type = *tvm_ffi::data_type_of(dtype);
    view_.data = memory_.get();
    view_.device_type = tvm_ffi::kCpu;
    view_.ndim = static_cast<std::int32_t>(shape_.size());
    view_.dtype_code = type.code;
    view_.dtype_bits = type.bits;
    view_.dtype_lanes = type.lanes;
    view_.shape = shape_.data();
  }
  HostTensor(const HostTensor&) = delete;
  HostTensor& operator=(const HostTensor&) = delete;

  [[nodiscard]] fib_tensor& view() { return view_; }
  template <typename T>
  [[nodiscard]] T* data() {
    return static_cast<T*>(view_.data);
  }
  [[nodiscard]] fib_value value() const {
    fib_value result{};
    result.kind = FIB_TENSOR;
    result.u.tensor = &view_;
    return result;
  }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }  // NOLINT: aligned_alloc's
  };
  std::vector<std::int64_t> shape_;
  std::unique_ptr<void, Free> memory_;
  fib_tensor view_{};
};

inline fib_value integer(std::int64_t number) {
  fib_value result{};
  result.kind = FIB_INTEGER;
  result.u.integer = number;
  return result;
}

inline fib_value real(double number) {
  fib_value result{};
  result.kind = FIB_FLOAT;
  result.u.number = number;
  return result;
}

inline fib_value boolean(bool yes) {
  fib_value result{};
  result.kind = FIB_BOOL;
  result.u.integer = yes ? 1 : 0;
  return result;
}

}  // namespace fib::testing
