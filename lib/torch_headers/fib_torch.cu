// Copies, fills and moves of tensors in device memory. Compiled with every torch extension for CUDA that is built
// with fib's torch headers (fib_torch/runtime.h declares what is here).
#include <cuda_runtime.h>

#include "fib_torch/convert.h"

using namespace fib::torch_headers;
using fib::tvm_ffi::TensorView;

namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kMostBlocks = 65536;

unsigned blocks_for(std::int64_t threads) {
  const std::int64_t blocks = (threads + kThreads - 1) / kThreads;
  return static_cast<unsigned>(blocks < kMostBlocks ? blocks : kMostBlocks);
}

__device__ std::int64_t first_index() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ std::int64_t index_step() { return static_cast<std::int64_t>(gridDim.x) * blockDim.x; }

// Where the element of an index lies in either tensor.
__device__ void place_of(const Axes& axes, std::int64_t index, std::int64_t& to, std::int64_t& from) {
  to = 0;
  from = 0;
  for (int axis = axes.count - 1; axis >= 0; --axis) {
    const std::int64_t at = index % axes.sizes[axis];
    index /= axes.sizes[axis];
    to += at * axes.to[axis];
    from += at * axes.from[axis];
  }
}

template <typename From>
__device__ void store(void* to, std::int64_t at, std::uint32_t code, From value) {
  switch (code) {
#define FIB_TORCH_STORE(type, dtype_code, bits)                  \
  case code_of(dtype_code, bits):                                \
    static_cast<type*>(to)[at] = converted<type>(value);         \
    break;
    FIB_TORCH_CONVERTED(FIB_TORCH_STORE)
#undef FIB_TORCH_STORE
  }
}

// A number as the widest of its kind that holds it exactly.
template <typename From>
__device__ auto widened(From value) {
  if constexpr (std::is_same_v<From, double>) {
    return value;
  } else if constexpr (std::is_floating_point_v<From> || is_small<From>) {
    return static_cast<float>(value);
  } else {
    return converted<std::int64_t>(value);
  }
}

// Any dtypes, any strides.
__global__ void copy_elements(Axes axes, void* to, std::uint32_t to_code, const void* from,
                              std::uint32_t from_code) {
  for (std::int64_t i = first_index(); i < axes.elements; i += index_step()) {
    std::int64_t to_at = 0;
    std::int64_t from_at = 0;
    place_of(axes, i, to_at, from_at);
    switch (from_code) {
#define FIB_TORCH_LOAD(type, dtype_code, bits)                                      \
  case code_of(dtype_code, bits): {                                                 \
    const type value = static_cast<const type*>(from)[from_at];                     \
    store(to, to_at, to_code, widened(value));                                      \
    break;                                                                          \
  }
      FIB_TORCH_CONVERTED(FIB_TORCH_LOAD)
#undef FIB_TORCH_LOAD
    }
  }
}

// The same dtype, any strides: bits as they are, those of NaN and of dtypes that nothing is computed with too.
template <typename Bits>
__global__ void copy_bits(Axes axes, Bits* to, const Bits* from) {
  for (std::int64_t i = first_index(); i < axes.elements; i += index_step()) {
    std::int64_t to_at = 0;
    std::int64_t from_at = 0;
    place_of(axes, i, to_at, from_at);
    to[to_at] = from[from_at];
  }
}

template <typename Bits>
void copy_same(const Axes& axes, void* to, const void* from, cudaStream_t stream) {
  copy_bits<<<blocks_for(axes.elements), kThreads, 0, stream>>>(axes, static_cast<Bits*>(to),
                                                               static_cast<const Bits*>(from));
}

// Four elements at once, of tensors in one piece.
template <typename T>
struct alignas(4 * sizeof(T)) Four {
  T at[4];
};
template <typename To, typename From>
__global__ void copy_pieces(std::int64_t elements, To* to, const From* from) {
  const std::int64_t fours = elements / 4;
  for (std::int64_t i = first_index(); i < fours; i += index_step()) {
    const Four<From> four = reinterpret_cast<const Four<From>*>(from)[i];
    Four<To> result;
#pragma unroll
    for (int k = 0; k < 4; ++k) result.at[k] = converted<To>(four.at[k]);
    reinterpret_cast<Four<To>*>(to)[i] = result;
  }
  const std::int64_t rest = 4 * fours + first_index();
  if (rest < elements) to[rest] = converted<To>(from[rest]);
}

template <typename To, typename From>
bool copy_as_pieces(const Axes& axes, const TensorView& to, const TensorView& from, cudaStream_t stream) {
  const auto is_aligned = [](const void* data, std::size_t bytes) {
    return reinterpret_cast<std::uintptr_t>(data) % bytes == 0;
  };
  if (!is_aligned(to.data, sizeof(Four<To>)) || !is_aligned(from.data, sizeof(Four<From>))) return false;
  copy_pieces<<<blocks_for(axes.elements / 4 + 4), kThreads, 0, stream>>>(
      axes.elements, static_cast<To*>(to.data), static_cast<const From*>(from.data));
  return true;
}

// The conversions that are frequent; false: another way is needed.
bool copy_one_piece(const Axes& axes, const TensorView& to, const TensorView& from, cudaStream_t stream) {
  constexpr auto kFloat = code_of(fib::tvm_ffi::kFloat, 32);
  constexpr auto kHalf = code_of(fib::tvm_ffi::kFloat, 16);
  constexpr auto kBFloat = code_of(fib::tvm_ffi::kBfloat, 16);
  const auto to_code = code_of(to.dtype);
  const auto from_code = code_of(from.dtype);
  if (to_code == kFloat && from_code == kHalf) return copy_as_pieces<float, c10::Half>(axes, to, from, stream);
  if (to_code == kFloat && from_code == kBFloat)
    return copy_as_pieces<float, c10::BFloat16>(axes, to, from, stream);
  if (to_code == kHalf && from_code == kFloat) return copy_as_pieces<c10::Half, float>(axes, to, from, stream);
  if (to_code == kBFloat && from_code == kFloat)
    return copy_as_pieces<c10::BFloat16, float>(axes, to, from, stream);
  return false;
}

template <typename Bits>
__global__ void fill_elements(Axes axes, Bits* to, Bits value) {
  for (std::int64_t i = first_index(); i < axes.elements; i += index_step()) {
    std::int64_t at = 0;
    std::int64_t unused = 0;
    place_of(axes, i, at, unused);
    to[at] = value;
  }
}

// The bytes of one element as an unsigned integer.
template <typename Bits>
void fill_with(const Axes& axes, void* to, const void* value, cudaStream_t stream) {
  Bits bits = 0;
  memcpy(&bits, value, sizeof bits);
  fill_elements<<<blocks_for(axes.elements), kThreads, 0, stream>>>(axes, static_cast<Bits*>(to), bits);
}

const char* sentence_of(cudaError_t error) {
  if (error == cudaSuccess) return nullptr;
  static_cast<void>(cudaGetLastError());
  return cudaGetErrorString(error);
}

}  // namespace

extern "C" {

const char* fib_torch_cuda_copy(const TensorView* to, const TensorView* from, void* stream) {
  const auto queue = static_cast<cudaStream_t>(stream);
  const Axes axes = joined_axes(*to, *from);
  const bool same = to->dtype.code == from->dtype.code && to->dtype.bits == from->dtype.bits;
  if (is_one_piece(axes)) {
    if (same) {
      const auto bytes = static_cast<std::size_t>(axes.elements * bytes_of(to->dtype));
      return sentence_of(cudaMemcpyAsync(to->data, from->data, bytes, cudaMemcpyDeviceToDevice, queue));
    }
    if (copy_one_piece(axes, *to, *from, queue)) return sentence_of(cudaGetLastError());
  }
  if (same) {
    switch (bytes_of(to->dtype)) {
      case 1:
        copy_same<std::uint8_t>(axes, to->data, from->data, queue);
        break;
      case 2:
        copy_same<std::uint16_t>(axes, to->data, from->data, queue);
        break;
      case 4:
        copy_same<std::uint32_t>(axes, to->data, from->data, queue);
        break;
      case 8:
        copy_same<std::uint64_t>(axes, to->data, from->data, queue);
        break;
      case 16:
        copy_same<uint4>(axes, to->data, from->data, queue);
        break;
    }
    return sentence_of(cudaGetLastError());
  }
  copy_elements<<<blocks_for(axes.elements), kThreads, 0, queue>>>(axes, to->data, code_of(to->dtype), from->data,
                                                                  code_of(from->dtype));
  return sentence_of(cudaGetLastError());
}

const char* fib_torch_cuda_fill(const TensorView* to, const void* value, void* stream) {
  const auto queue = static_cast<cudaStream_t>(stream);
  const Axes axes = joined_axes(*to, *to);
  const auto size = static_cast<std::size_t>(bytes_of(to->dtype));
  bool zero = true;
  for (std::size_t i = 0; i < size; ++i) zero = zero && static_cast<const unsigned char*>(value)[i] == 0;
  if (zero && is_one_piece(axes))
    return sentence_of(
        cudaMemsetAsync(to->data, 0, static_cast<std::size_t>(axes.elements) * size, queue));
  if (size == 1) fill_with<std::uint8_t>(axes, to->data, value, queue);
  if (size == 2) fill_with<std::uint16_t>(axes, to->data, value, queue);
  if (size == 4) fill_with<std::uint32_t>(axes, to->data, value, queue);
  if (size == 8) fill_with<std::uint64_t>(axes, to->data, value, queue);
  return sentence_of(cudaGetLastError());
}

const char* fib_torch_cuda_move(void* to, const void* from, std::size_t bytes, void* stream) {
  const auto queue = static_cast<cudaStream_t>(stream);
  const cudaError_t error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, queue);
  return sentence_of(error == cudaSuccess ? cudaStreamSynchronize(queue) : error);
}

int fib_torch_cuda_device() {
  int device = 0;
  return cudaGetDevice(&device) == cudaSuccess ? device : 0;
}

}  // extern "C"
