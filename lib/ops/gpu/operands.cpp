#include "ops/gpu/operands.h"

#include <algorithm>
#include <cstring>

#include "ops/convert_elements.h"

namespace fib::ops::gpu {
namespace {

// More blocks than the device holds at once let it balance the end; more than that are loops' business.
constexpr std::int64_t kBlocksPerMultiprocessor = 32;
constexpr std::int64_t kElementsPerBlock = 256;

constexpr bool same(DType dtype, ElementType type) {
  return static_cast<int>(dtype) == static_cast<int>(type);
}
static_assert(same(DType::kFloat64, kFloat64) && same(DType::kFloat32, kFloat32) &&
              same(DType::kFloat16, kFloat16) && same(DType::kBFloat16, kBFloat16) &&
              same(DType::kFloat8E4M3FN, kFloat8E4M3FN) && same(DType::kFloat8E5M2, kFloat8E5M2) &&
              same(DType::kFloat4E2M1, kFloat4E2M1) && same(DType::kInt64, kInt64) &&
              same(DType::kInt32, kInt32) && same(DType::kInt16, kInt16) && same(DType::kInt8, kInt8) &&
              same(DType::kUInt8, kUInt8) && same(DType::kBool, kBool));

constexpr i64 kMost32Bit = (i64{1} << 31U) - 1;

DeviceAddress first_element(DeviceAddress storage, const Tensor& tensor) {
  return storage + static_cast<DeviceAddress>(tensor.offset) * tensor.element_size();
}

bool joins(std::initializer_list<const Tensor*> tensors, int outer, int inner) {
  return std::all_of(tensors.begin(), tensors.end(),
                     [&](const Tensor* t) { return t->stride(outer) == t->stride(inner) * t->size(inner); });
}

}  // namespace

bool wanted(const Runtime& runtime, std::int64_t work, std::initializer_list<const Tensor*> tensors) {
  if (!runtime.gpu) return false;
  return work >= runtime.gpu_from || std::any_of(tensors.begin(), tensors.end(), [](const Tensor* t) {
           return t->storage->lives_on_device();
         });
}

std::string real_of(DType dtype) {
  return with_compute_type(dtype, [](auto real) -> std::string {
    if (std::is_same_v<decltype(real), float>) return "float";
    return std::is_same_v<decltype(real), double> ? "double" : "i64";
  });
}

std::size_t real_size(DType dtype) {
  return with_compute_type(dtype, [](auto real) { return sizeof real; });
}

Program program_of(const char* file, std::initializer_list<DType> types, i64 count, DType compute) {
  Program program{file, {{"FIB_REAL", real_of(compute)}, {"FIB_INDEX", count <= kMost32Bit ? "u32" : "u64"}}};
  int view = 0;
  for (const DType dtype : types)
    define(program, ("FIB_TYPE" + std::to_string(view++)).c_str(), std::to_string(static_cast<int>(dtype)));
  return program;
}

DType type_of_bits(const Tensor& tensor) {
  const std::size_t size = tensor.element_size();
  return size == 1 ? DType::kUInt8 : size == 2 ? DType::kInt16 : size == 4 ? DType::kInt32 : DType::kInt64;
}

Span span_of(const Tensor& tensor) {
  std::int64_t last = tensor.offset;
  for (int dim = 0; dim < tensor.rank(); ++dim) last += (tensor.size(dim) - 1) * tensor.stride(dim);
  const std::size_t size = tensor.element_size();
  return {static_cast<std::size_t>(tensor.offset) * size, static_cast<std::size_t>(last + 1) * size};
}

bool to_read(const Runtime& runtime, const Tensor& tensor, View& view) {
  view.type = static_cast<i64>(tensor.dtype);
  const Span span = span_of(tensor);
  const std::size_t size = tensor.element_size();
  if (span.end - span.begin == size && !tensor.storage->lives_on_device()) {
    // One element, whatever the shape says: not worth a transfer.
    std::memcpy(&view.immediate, tensor.read(), size);
    return true;
  }
  const DeviceAddress storage = tensor.storage->on_device(runtime.gpu, span.begin, span.end);
  view.data = first_element(storage, tensor);
  return storage != 0;
}

bool to_write(const Runtime& runtime, const Tensor& tensor, View& view) {
  view.type = static_cast<i64>(tensor.dtype);
  const Span span = span_of(tensor);
  const bool all = span.end - span.begin == static_cast<std::size_t>(tensor.numel()) * tensor.element_size();
  const DeviceAddress storage = tensor.storage->for_device(runtime.gpu, span.begin, span.end, all);
  view.data = first_element(storage, tensor);
  return storage != 0;
}

bool lay_out(std::initializer_list<const Tensor*> tensors, i64& count, i32& rank, i64* shape, View* views) {
  const Tensor& first = **tensors.begin();
  count = first.numel();
  rank = 0;
  int inner = -1;  // the dimension that the last of `shape` ends with
  for (int dim = 0; dim < first.rank(); ++dim) {
    if (first.size(dim) == 1) continue;
    const bool joined = inner >= 0 && joins(tensors, inner, dim);
    if (!joined && rank == kMostDims) return false;
    if (!joined) shape[rank++] = 1;
    shape[rank - 1] *= first.size(dim);
    std::size_t view = 0;
    for (const Tensor* t : tensors) views[view++].strides[rank - 1] = t->stride(dim);
    inner = dim;
  }
  return true;
}

std::optional<Walk<1>> walk_of(const Runtime& runtime, const Tensor& source) {
  Walk<1> walk{};
  if (!lay_out({&source}, walk.count, walk.rank, walk.shape, walk.view)) return std::nullopt;
  if (!to_read(runtime, source, walk.view[0])) return std::nullopt;
  return walk;
}

unsigned blocks_for(const Runtime& runtime, std::int64_t elements) {
  const std::int64_t most = kBlocksPerMultiprocessor * runtime.gpu->multiprocessors();
  return static_cast<unsigned>(
      std::clamp<std::int64_t>((elements + kElementsPerBlock - 1) / kElementsPerBlock, 1, most));
}

}  // namespace fib::ops::gpu
