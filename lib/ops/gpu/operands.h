#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <string>

#include "ops/gpu/arguments.h"
#include "ops/tensor.h"

// From tensors to what kernels are given.
namespace fib::ops::gpu {

// Whether an operation on these tensors shall run on the GPU: `work` (about the number of elements) is large,
// or a tensor lives there already.
[[nodiscard]] bool wanted(const Runtime& runtime, std::int64_t work,
                          std::initializer_list<const Tensor*> tensors);

// The name of the type to compute in, as kernels are compiled or called by: "float", "double" or "i64".
[[nodiscard]] std::string real_of(DType dtype);
[[nodiscard]] std::size_t real_size(DType dtype);

// A program of kernels/ops/ for tensors of these dtypes and walks of `count` elements, computed as
// `compute` is.
[[nodiscard]] Program program_of(const char* file, std::initializer_list<DType> types, i64 count,
                                 DType compute);
inline void define(Program& program, const char* name, const std::string& value) {
  program.defines.emplace_back(name, value);
}

// The integer dtype of a tensor's element size: kernels that move bits are compiled once for each size.
[[nodiscard]] DType type_of_bits(const Tensor& tensor);

// The bytes of its storage that a tensor spans.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};
[[nodiscard]] Span span_of(const Tensor& tensor);

// A tensor for a kernel, without strides; its bytes are brought to the device. False when there is no memory.
[[nodiscard]] bool to_read(const Runtime& runtime, const Tensor& tensor, View& view);
// Likewise for the tensor that the kernel writes, all of whose elements it gives; to be called last.
[[nodiscard]] bool to_write(const Runtime& runtime, const Tensor& tensor, View& view);

// Gives the views of a walk their strides, with neighbouring dimensions joined where all tensors let it. They
// have one shape. False when too many dimensions remain.
[[nodiscard]] bool lay_out(std::initializer_list<const Tensor*> tensors, i64& count, i32& rank, i64* shape,
                           View* views);

// The walk through a result and what it is made of.
template <std::size_t kSources>
std::optional<Walk<kSources + 1>> walk_of(const Runtime& runtime, const Tensor& target,
                                          const std::array<const Tensor*, kSources>& sources) {
  Walk<kSources + 1> walk{};
  std::array<const Tensor*, kSources + 1> all{&target};
  for (std::size_t i = 0; i < kSources; ++i) all[i + 1] = sources[i];
  const auto layout = [&]<std::size_t... i>(std::index_sequence<i...>) {
    return lay_out({all[i]...}, walk.count, walk.rank, walk.shape, walk.view);
  };
  if (!layout(std::make_index_sequence<kSources + 1>())) return std::nullopt;
  for (std::size_t i = 0; i < kSources; ++i) {
    if (!to_read(runtime, *sources[i], walk.view[i + 1])) return std::nullopt;
  }
  if (!to_write(runtime, target, walk.view[0])) return std::nullopt;
  return walk;
}

// The walk through one tensor that is read.
[[nodiscard]] std::optional<Walk<1>> walk_of(const Runtime& runtime, const Tensor& source);

// Enough blocks for one thread an element, or as many as keep the device busy.
[[nodiscard]] unsigned blocks_for(const Runtime& runtime, std::int64_t elements);

// Memory of the device for the time of one operation; address 0 when there is none.
class Scratch {
 public:
  Scratch(const Runtime& runtime, std::size_t bytes) : gpu_(*runtime.gpu), block_(gpu_.allocate(bytes)) {}
  ~Scratch() {
    if (block_.address != 0) gpu_.release(block_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] DeviceAddress address() const { return block_.address; }

 private:
  Gpu& gpu_;
  DeviceBlock block_;
};

}  // namespace fib::ops::gpu
