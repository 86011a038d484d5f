#pragma once

#include <cstdlib>
#include <cstring>

#include "fib_torch/overlap.h"

// New tensors, and what reads and writes their elements.
namespace at {

namespace detail {

inline Device with_index(Device device) {
  if (device.is_cpu()) return Device(kCPU);
  TORCH_CHECK(fib_torch_cuda_device != nullptr, "this extension was built without CUDA");
  if (!device.has_index()) device.set_index(static_cast<DeviceIndex>(fib_torch_cuda_device()));
  return device;
}

inline void* stream_of(Device device) { return TVMFFIEnvGetStream(abi::kCuda, device.index()); }

// Memory of the environment's, which has it in the order of the stream.
inline std::shared_ptr<Storage> device_memory(std::size_t bytes, Device device) {
  auto count = static_cast<std::int64_t>(bytes);
  std::int64_t stride = 1;
  abi::TensorView prototype;
  prototype.device = {abi::kCuda, device.index()};
  prototype.ndim = 1;
  prototype.dtype = {abi::kUInt, 8, 1};
  prototype.shape = &count;
  prototype.strides = &stride;
  void* tensor = nullptr;
  if (TVMFFIEnvTensorAlloc(&prototype, &tensor) != 0) throw_raised();
  void* data = static_cast<abi::TensorObject*>(tensor)->cell.data;
  return std::make_shared<Storage>(data, bytes, device,
                                   [tensor] { static_cast<void>(TVMFFIObjectDecRef(tensor)); });
}

inline std::shared_ptr<Storage> host_memory(std::size_t bytes) {
  constexpr std::size_t kAlignment = 64;
  if (bytes == 0) return std::make_shared<Storage>(nullptr, 0, Device(kCPU), nullptr);
  void* data = nullptr;
  TORCH_CHECK(
      ::posix_memalign(&data, kAlignment, bytes) == 0,
      "[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: can't allocate memory: you tried to allocate ",
      bytes, " bytes.");
  return std::make_shared<Storage>(data, bytes, Device(kCPU), [data] { std::free(data); });
}

inline void check_requires_grad(bool wanted, ScalarType dtype) {
  TORCH_CHECK(!wanted || isFloatingType(dtype),
              "Only Tensors of floating point and complex dtype can require gradients");
}

inline void check_not_negative(IntArrayRef sizes) {
  for (const auto size : sizes)
    TORCH_CHECK(size >= 0, "Trying to create tensor with negative dimension ", size, ": ", sizes);
}

inline Tensor made(IntArrayRef sizes, std::vector<std::int64_t> strides, std::size_t bytes,
                   const TensorOptions& options) {
  auto impl = std::make_shared<TensorImpl>();
  impl->dtype = options.dtype().toScalarType();
  impl->sizes = sizes.vec();
  impl->strides = std::move(strides);
  impl->requires_grad = options.requires_grad();
  check_requires_grad(impl->requires_grad, impl->dtype);
  const Device device = with_index(options.device());
  impl->storage = device.is_cuda() ? device_memory(bytes, device) : host_memory(bytes);
  return Tensor(std::move(impl));
}

inline Tensor made_contiguous(IntArrayRef sizes, const TensorOptions& options) {
  check_not_negative(sizes);
  auto strides = contiguous_strides(sizes);
  const auto bytes = bytes_spanned(sizes, strides, options.dtype().itemsize());
  TORCH_CHECK(bytes, "Storage size calculation overflowed with sizes=", sizes);
  return made(sizes, std::move(strides), *bytes, options);
}

// A number as an element.
struct Element {
  alignas(8) unsigned char bytes[8] = {};
};

template <typename T>
Element element_as(const Scalar& value) {
  Element element;
  if constexpr (std::is_same_v<T, Float4_e2m1fn_x2>) {
    raise<NotImplementedError>("\"fill_cpu\" not implemented for 'Float4_e2m1fn_x2'");
  } else {
    const T one = value.to<T>();
    std::memcpy(element.bytes, &one, sizeof one);
  }
  return element;
}

template <typename T>
Scalar scalar_of(const Element& element) {
  if constexpr (std::is_same_v<T, Float4_e2m1fn_x2>) {
    raise<NotImplementedError>("\"_local_scalar_dense_cpu\" not implemented for 'Float4_e2m1fn_x2'");
  } else {
    T value;
    std::memcpy(&value, element.bytes, sizeof value);
    if constexpr (std::is_arithmetic_v<T>) return Scalar(value);
    return Scalar(static_cast<float>(value));
  }
}

inline Element element_of(const Scalar& value, ScalarType dtype) {
  return with_type(dtype, [&](auto type) { return element_as<typename decltype(type)::cpp>(value); });
}

inline Scalar scalar_of(const Element& element, ScalarType dtype) {
  return with_type(dtype, [&](auto type) { return scalar_of<typename decltype(type)::cpp>(element); });
}

// The strides that torch gives a tensor made like another one: the order of its axes in memory, densely.
inline std::vector<std::int64_t> preserved_strides(const Tensor& tensor) {
  if (tensor.is_non_overlapping_and_dense()) return tensor.strides().vec();
  const auto count = static_cast<std::size_t>(tensor.dim());
  std::vector<std::size_t> order(count);  // the fastest axis first
  for (std::size_t i = 0; i < count; ++i) order[i] = count - 1 - i;
  // 1: `a` goes behind `b`; -1: before; 0: they cannot be told apart.
  const auto compared = [&](std::size_t a, std::size_t b) {
    const auto stride_a = tensor.strides()[a];
    const auto stride_b = tensor.strides()[b];
    if (stride_a == 0 || stride_b == 0) return 0;
    if (stride_a != stride_b) return stride_a < stride_b ? -1 : 1;
    return tensor.sizes()[a] > tensor.sizes()[b] ? 1 : 0;
  };
  for (std::size_t i = 1; i < count; ++i) {
    std::size_t behind = i;
    for (std::size_t before = i; before-- > 0;) {
      const int order_of_two = compared(order[before], order[behind]);
      if (order_of_two > 0) {
        std::swap(order[before], order[behind]);
        behind = before;
      } else if (order_of_two < 0) {
        break;
      }
    }
  }
  std::vector<std::int64_t> strides(count);
  std::int64_t step = 1;
  for (const auto axis : order) {
    strides[axis] = step;
    step *= std::max<std::int64_t>(tensor.sizes()[axis], 1);
  }
  return strides;
}

}  // namespace detail

inline Tensor empty(IntArrayRef sizes, const TensorOptions& options = {},
                    optional<MemoryFormat> format = nullopt) {
  format = detail::format_of(options, format);
  detail::check_not_negative(sizes);
  TORCH_CHECK(format != MemoryFormat::Preserve, "unsupported memory format Preserve");
  return detail::made_contiguous(sizes, options);
}
inline Tensor empty_strided(IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options = {}) {
  detail::check_not_negative(sizes);
  const auto bytes = detail::storage_bytes(sizes, strides, options.dtype().itemsize());
  return detail::made(sizes, strides.vec(), bytes, options);
}
inline Tensor full(IntArrayRef sizes, const Scalar& value, const TensorOptions& options = {}) {
  const ScalarType usual = value.isFloatingPoint() ? kFloat : value.isBoolean() ? kBool : kLong;
  auto tensor = detail::made_contiguous(sizes, options.has_dtype() ? options : options.dtype(usual));
  tensor.fill_(value);
  return tensor;
}
inline Tensor zeros(IntArrayRef sizes, const TensorOptions& options = {}) {
  auto tensor = detail::made_contiguous(sizes, options);
  tensor.zero_();
  return tensor;
}
inline Tensor ones(IntArrayRef sizes, const TensorOptions& options = {}) {
  auto tensor = detail::made_contiguous(sizes, options);
  tensor.fill_(1);
  return tensor;
}
inline Tensor scalar_tensor(const Scalar& value, const TensorOptions& options = {}) {
  auto tensor = detail::made_contiguous({}, options);
  tensor.fill_(value);
  return tensor;
}

inline Tensor empty_like(const Tensor& tensor, const TensorOptions& options = {},
                         optional<MemoryFormat> format = nullopt) {
  const auto all = TensorOptions(tensor.scalar_type()).device(tensor.device()).merge_in(options);
  if (detail::format_of(options, format) == MemoryFormat::Contiguous)
    return detail::made_contiguous(tensor.sizes(), all);
  return empty_strided(tensor.sizes(), detail::preserved_strides(tensor), all);
}
inline Tensor zeros_like(const Tensor& tensor, const TensorOptions& options = {},
                         optional<MemoryFormat> format = nullopt) {
  auto made = empty_like(tensor, options, format);
  made.zero_();
  return made;
}
inline Tensor ones_like(const Tensor& tensor, const TensorOptions& options = {},
                        optional<MemoryFormat> format = nullopt) {
  auto made = empty_like(tensor, options, format);
  made.fill_(1);
  return made;
}
inline Tensor full_like(const Tensor& tensor, const Scalar& value, const TensorOptions& options = {},
                        optional<MemoryFormat> format = nullopt) {
  auto made = empty_like(tensor, options, format);
  made.fill_(value);
  return made;
}

// Over memory of the caller's; `end` gets it when no tensor needs it any more.
template <typename End, typename = std::enable_if_t<std::is_invocable_v<End, void*>>>
Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, const End& end,
                 const TensorOptions& options = {}) {
  detail::check_not_negative(sizes);
  const auto bytes = detail::storage_bytes(sizes, strides, options.dtype().itemsize());
  auto impl = std::make_shared<detail::TensorImpl>();
  impl->dtype = options.dtype().toScalarType();
  impl->sizes = sizes.vec();
  impl->strides = strides.vec();
  impl->requires_grad = options.requires_grad();
  detail::check_requires_grad(impl->requires_grad, impl->dtype);
  impl->storage = std::make_shared<detail::Storage>(data, bytes, detail::with_index(options.device()),
                                                    [data, end] { end(data); });
  return Tensor(std::move(impl));
}
template <typename End, typename = std::enable_if_t<std::is_invocable_v<End, void*>>>
Tensor from_blob(void* data, IntArrayRef sizes, const End& end, const TensorOptions& options = {}) {
  return from_blob(data, sizes, detail::contiguous_strides(sizes), end, options);
}
inline Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides,
                        const TensorOptions& options = {}) {
  return from_blob(
      data, sizes, strides, [](void* /*memory*/) {}, options);
}
inline Tensor from_blob(void* data, IntArrayRef sizes, const TensorOptions& options = {}) {
  return from_blob(data, sizes, detail::contiguous_strides(sizes), options);
}

namespace detail {

// The sizes that two tensors have together, axes of size 1 stretched.
inline std::vector<std::int64_t> broadcast_sizes(IntArrayRef a, IntArrayRef b) {
  std::vector<std::int64_t> both(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < both.size(); ++i) {
    const auto size_in = [&](IntArrayRef sizes) {
      return i < sizes.size() ? sizes[sizes.size() - 1 - i] : 1;
    };
    const auto size_a = size_in(a);
    const auto size_b = size_in(b);
    const auto axis = both.size() - 1 - i;
    TORCH_CHECK(size_a == size_b || size_a == 1 || size_b == 1, "The size of tensor a (", size_a,
                ") must match the size of tensor b (", size_b, ") at non-singleton dimension ", axis);
    both[axis] = size_a == 1 ? size_b : size_a;
  }
  return both;
}

}  // namespace detail

inline const Tensor& Tensor::fill_(const Scalar& value) const {
  const auto element = detail::element_of(value, scalar_type());
  if (numel() == 0) return *this;
  const auto view = described();
  if (is_cuda()) {
    detail::check_cuda(fib_torch_cuda_fill(&view, element.bytes, detail::stream_of(device())));
  } else {
    fib_torch_fill(&view, element.bytes);
  }
  return *this;
}

inline const Tensor& Tensor::copy_(const Tensor& source, bool /*non_blocking*/) const {
  TORCH_CHECK(source.defined(),
              "Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument #1 'src'");
  if (is_same(source) || detail::is_same_data(*this, source)) return *this;
  detail::check_no_internal_overlap(*this);
  detail::check_no_partial_overlap(*this, source);
  const auto both = detail::broadcast_sizes(sizes(), source.sizes());
  TORCH_CHECK(sizes() == IntArrayRef(both), "output with shape ", sizes(),
              " doesn't match the broadcast shape ", IntArrayRef(both));
  const auto more = static_cast<std::size_t>(std::max<std::int64_t>(source.dim() - dim(), 0));  // of size 1
  const Tensor from =
      source.as_strided(source.sizes().slice(more), source.strides().slice(more)).expand(sizes());
  if (numel() == 0) return *this;
  if (device() == source.device()) {
    const auto to_view = described();
    const auto from_view = from.described();
    if (is_cuda()) {
      detail::check_cuda(fib_torch_cuda_copy(&to_view, &from_view, detail::stream_of(device())));
    } else {
      fib_torch_copy(&to_view, &from_view);
    }
    return *this;
  }
  // Between devices bytes move as they are; conversions and strides are done on either side.
  const Tensor packed = from.to(scalar_type()).contiguous();
  const Tensor target = is_contiguous() ? *this : empty(sizes(), options());
  const Device cuda = is_cuda() ? device() : source.device();
  detail::check_cuda(
      fib_torch_cuda_move(target.data_ptr(), packed.data_ptr(), packed.nbytes(), detail::stream_of(cuda)));
  if (!is_same(target)) copy_(target);
  return *this;
}

inline const Tensor& Tensor::requires_grad_(bool value) const {
  check_defined();
  detail::check_requires_grad(value, scalar_type());
  impl().requires_grad = value;
  return *this;
}

inline Tensor& Tensor::operator=(const Tensor& values) && {
  copy_(values);
  return *this;
}
inline Tensor& Tensor::operator=(Tensor&& values) && {  // NOLINT: it copies elements
  copy_(values);
  return *this;
}
inline Tensor& Tensor::operator=(const Scalar& value) && {
  fill_(value);
  return *this;
}

inline Tensor Tensor::clone(optional<MemoryFormat> format) const {
  auto copy = empty_like(*this, TensorOptions(), format);
  copy.copy_(*this);
  copy.impl().requires_grad = requires_grad();
  return copy;
}

inline Tensor Tensor::contiguous(MemoryFormat format) const {
  if (is_contiguous()) return *this;
  TORCH_CHECK(format != MemoryFormat::Preserve,
              "preserve memory format is unsupported by the contiguous operator");
  return clone(MemoryFormat::Contiguous);
}

inline Tensor Tensor::to(const TensorOptions& options, bool non_blocking, bool copy,
                         optional<MemoryFormat> format) const {
  TORCH_CHECK(!options.requires_grad(),
              "Operators taking TensorOptions cannot take a TensorOptions with options.requires_grad set as "
              "true. This isn't implemented yet.");
  format = detail::format_of(options, format);
  check_defined();
  const ScalarType dtype = options.dtype_opt().value_or(scalar_type());
  const Device device = options.has_device() ? detail::with_index(options.device()) : this->device();
  const bool keeps_format = format != MemoryFormat::Contiguous || !detail::is_channels_last(*this);
  if (!copy && dtype == scalar_type() && device == this->device() && keeps_format) return *this;
  auto made = empty_like(*this, TensorOptions(dtype).device(device), format);
  made.copy_(*this, non_blocking);
  made.impl().requires_grad = requires_grad() && isFloatingType(dtype);
  return made;
}

inline Scalar Tensor::item() const {
  TORCH_CHECK(numel() == 1, "a Tensor with ", numel(), " elements cannot be converted to Scalar");
  detail::Element element;
  if (is_cuda()) {
    detail::check_cuda(
        fib_torch_cuda_move(element.bytes, data_ptr(), itemsize(), detail::stream_of(device())));
  } else {
    std::memcpy(element.bytes, data_ptr(), itemsize());
  }
  return detail::scalar_of(element, scalar_type());
}

namespace detail {

// The options of a tensor, as far as others do not say more. What is made by them needs no gradient.
inline TensorOptions like(const Tensor& tensor, const TensorOptions& more) {
  return TensorOptions(tensor.scalar_type()).device(tensor.device()).merge_in(more).requires_grad(false);
}

}  // namespace detail

inline Tensor Tensor::new_empty(IntArrayRef new_sizes, const TensorOptions& more) const {
  return detail::made_contiguous(new_sizes, detail::like(*this, more));
}
inline Tensor Tensor::new_zeros(IntArrayRef new_sizes, const TensorOptions& more) const {
  return zeros(new_sizes, detail::like(*this, more));
}
inline Tensor Tensor::new_full(IntArrayRef new_sizes, const Scalar& value, const TensorOptions& more) const {
  return full(new_sizes, value, detail::like(*this, more));
}

}  // namespace at
