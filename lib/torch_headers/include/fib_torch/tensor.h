#pragma once

#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include "fib_torch/accessor.h"
#include "fib_torch/indices.h"
#include "fib_torch/options.h"
#include "fib_torch/runtime.h"

namespace at {

namespace detail {

// Memory, and what happens when nobody needs it any more.
struct Storage {
  Storage(void* memory, std::size_t size, Device where, std::function<void()> end)
      : data(memory), bytes(size), device(where), end_(std::move(end)) {}
  ~Storage() {
    if (end_) end_();
  }
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  void* data;
  std::size_t bytes;
  Device device;

 private:
  std::function<void()> end_;
};

struct TensorImpl {
  std::shared_ptr<Storage> storage;
  std::int64_t offset = 0;  // elements
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;  // elements
  ScalarType dtype = ScalarType::Undefined;
  bool requires_grad = false;
};

inline std::int64_t product(IntArrayRef sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

std::vector<std::int64_t> contiguous_strides(IntArrayRef sizes);
// The axis that a number, which may count from the end, means.
std::int64_t wrapped_axis(std::int64_t axis, std::int64_t count);

}  // namespace detail

// What Tensor::type() gives: a dtype with a kind of device.
class DeprecatedTypeProperties {
 public:
  DeprecatedTypeProperties(ScalarType dtype, Device device) : dtype_(dtype), device_(device) {}
  [[nodiscard]] ScalarType scalarType() const { return dtype_; }
  [[nodiscard]] bool is_cuda() const { return device_.is_cuda(); }
  [[nodiscard]] DeviceType device_type() const { return device_.type(); }
  [[nodiscard]] TensorOptions options() const { return TensorOptions(dtype_).device(device_); }
  [[nodiscard]] std::string toString() const {
    return str(device_.is_cuda() ? "CUDA" : "CPU", dtype_, "Type");
  }
  friend bool operator==(const DeprecatedTypeProperties& a, const DeprecatedTypeProperties& b) {
    return a.dtype_ == b.dtype_ && a.device_.type() == b.device_.type();
  }
  friend bool operator!=(const DeprecatedTypeProperties& a, const DeprecatedTypeProperties& b) {
    return !(a == b);
  }

 private:
  ScalarType dtype_;
  Device device_;
};

// A counted reference to a tensor, as in torch: copies share it. Without autograd.
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(std::shared_ptr<detail::TensorImpl> impl) : impl_(std::move(impl)) {}

  // What it is.
  [[nodiscard]] bool defined() const { return impl_ != nullptr; }
  void reset() { impl_.reset(); }
  [[nodiscard]] bool is_same(const Tensor& other) const { return impl_ == other.impl_; }
  [[nodiscard]] std::int64_t dim() const { return static_cast<std::int64_t>(impl().sizes.size()); }
  [[nodiscard]] std::int64_t ndimension() const { return dim(); }
  [[nodiscard]] IntArrayRef sizes() const { return impl().sizes; }
  [[nodiscard]] IntArrayRef strides() const {
    TORCH_CHECK(defined(), "strides() called on an undefined Tensor");
    return impl().strides;
  }
  [[nodiscard]] std::int64_t size(std::int64_t axis) const {
    return impl().sizes[static_cast<std::size_t>(detail::wrapped_axis(axis, dim()))];
  }
  [[nodiscard]] std::int64_t stride(std::int64_t axis) const {
    return impl().strides[static_cast<std::size_t>(detail::wrapped_axis(axis, dim()))];
  }
  [[nodiscard]] std::int64_t numel() const { return detail::product(sizes()); }
  [[nodiscard]] std::int64_t storage_offset() const { return impl().offset; }
  [[nodiscard]] std::size_t itemsize() const { return elementSize(scalar_type()); }
  [[nodiscard]] std::int64_t element_size() const { return static_cast<std::int64_t>(itemsize()); }
  [[nodiscard]] std::size_t nbytes() const { return static_cast<std::size_t>(numel()) * itemsize(); }
  [[nodiscard]] ScalarType scalar_type() const { return impl().dtype; }
  [[nodiscard]] TypeMeta dtype() const { return impl_ ? TypeMeta(impl_->dtype) : TypeMeta(); }
  [[nodiscard]] Device device() const {
    TORCH_CHECK(defined(), "tensor does not have a device");
    return impl().storage->device;
  }
  [[nodiscard]] DeviceIndex get_device() const {
    return device().is_cuda() ? device().index() : DeviceIndex{-1};
  }
  [[nodiscard]] Layout layout() const { return kStrided; }
  [[nodiscard]] bool is_cuda() const { return defined() && device().is_cuda(); }
  [[nodiscard]] bool is_cpu() const { return defined() && device().is_cpu(); }
  [[nodiscard]] bool is_sparse() const { return false; }
  [[nodiscard]] bool is_quantized() const { return false; }
  [[nodiscard]] bool is_complex() const { return false; }
  [[nodiscard]] bool is_floating_point() const { return isFloatingType(scalar_type()); }
  [[nodiscard]] bool is_contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
  [[nodiscard]] bool is_non_overlapping_and_dense() const;
  [[nodiscard]] bool requires_grad() const { return impl().requires_grad; }
  [[nodiscard]] DeprecatedTypeProperties type() const { return {scalar_type(), device()}; }
  [[nodiscard]] std::string toString() const { return defined() ? type().toString() : "UndefinedType"; }
  [[nodiscard]] TensorOptions options() const {
    return TensorOptions(scalar_type()).device(device()).layout(kStrided);
  }

  // Where its elements are.
  [[nodiscard]] void* data_ptr() const;
  [[nodiscard]] const void* const_data_ptr() const { return data_ptr(); }
  [[nodiscard]] void* mutable_data_ptr() const { return data_ptr(); }
  // Of the dtypes that torch has alone, as there: another type is what no library defines.
  template <typename T>
  [[nodiscard]] T* data_ptr() const;
  template <typename T>
  [[nodiscard]] const T* const_data_ptr() const {
    return data_ptr<std::remove_const_t<T>>();
  }
  template <typename T>
  [[nodiscard]] T* mutable_data_ptr() const {
    return data_ptr<T>();
  }
  template <typename T>
  [[nodiscard]] T* data() const {
    return data_ptr<T>();
  }
  // An accessor has no part in the tensor, which must outlive it: those that a call has just given have none.
  template <typename T, std::size_t N>
  [[nodiscard]] TensorAccessor<T, N> accessor() const& {
    static_assert(N > 0, "accessor is used for indexing tensor, for scalars use *data_ptr<T>()");
    check_axes(N);
    return TensorAccessor<T, N>(data_ptr<std::remove_const_t<T>>(), sizes().data(), strides().data());
  }
  template <typename T, std::size_t N>
  TensorAccessor<T, N> accessor() && = delete;
  template <typename T, std::size_t N, template <typename> class PtrTraits = DefaultPtrTraits,
            typename index_t = std::int64_t>
  [[nodiscard]] GenericPackedTensorAccessor<T, N, PtrTraits, index_t> generic_packed_accessor() const& {
    static_assert(N > 0, "accessor is used for indexing tensor, for scalars use *data_ptr<T>()");
    check_axes(N);
    T* elements = data_ptr<std::remove_const_t<T>>();
    return GenericPackedTensorAccessor<T, N, PtrTraits, index_t>(
        static_cast<typename PtrTraits<T>::PtrType>(elements), sizes().data(), strides().data());
  }
  template <typename T, std::size_t N, template <typename> class PtrTraits = DefaultPtrTraits,
            typename index_t = std::int64_t>
  GenericPackedTensorAccessor<T, N, PtrTraits, index_t> generic_packed_accessor() && = delete;
  template <typename T, std::size_t N, template <typename> class PtrTraits = DefaultPtrTraits>
  [[nodiscard]] PackedTensorAccessor32<T, N, PtrTraits> packed_accessor32() const& {
    TORCH_CHECK(numel() <= static_cast<std::int64_t>(std::numeric_limits<std::int32_t>::max()),
                "numel needs to be smaller than int32_t max; otherwise, please use packed_accessor64");
    return generic_packed_accessor<T, N, PtrTraits, std::int32_t>();
  }
  template <typename T, std::size_t N, template <typename> class PtrTraits = DefaultPtrTraits>
  PackedTensorAccessor32<T, N, PtrTraits> packed_accessor32() && = delete;
  template <typename T, std::size_t N, template <typename> class PtrTraits = DefaultPtrTraits>
  [[nodiscard]] PackedTensorAccessor64<T, N, PtrTraits> packed_accessor64() const& {
    return generic_packed_accessor<T, N, PtrTraits, std::int64_t>();
  }
  template <typename T, std::size_t N, template <typename> class PtrTraits = DefaultPtrTraits>
  PackedTensorAccessor64<T, N, PtrTraits> packed_accessor64() && = delete;
  template <typename T, std::size_t N, template <typename> class PtrTraits = DefaultPtrTraits,
            typename index_t = std::int64_t>
  [[nodiscard]] GenericPackedTensorAccessor<T, N, PtrTraits, index_t> packed_accessor() const& {
    return generic_packed_accessor<T, N, PtrTraits, index_t>();
  }
  template <typename T, std::size_t N, template <typename> class PtrTraits = DefaultPtrTraits,
            typename index_t = std::int64_t>
  GenericPackedTensorAccessor<T, N, PtrTraits, index_t> packed_accessor() && = delete;

  // The same elements in another order or with other sizes.
  [[nodiscard]] Tensor detach() const {
    auto other = with(storage_offset(), sizes().vec(), strides().vec());
    other.impl().requires_grad = false;
    return other;
  }
  [[nodiscard]] Tensor data() const { return detach(); }
  [[nodiscard]] Tensor as_strided(IntArrayRef new_sizes, IntArrayRef new_strides,
                                  optional<std::int64_t> offset = nullopt) const;
  [[nodiscard]] Tensor view(IntArrayRef new_sizes) const;
  [[nodiscard]] Tensor view(ScalarType dtype) const;
  [[nodiscard]] Tensor view_as(const Tensor& other) const { return view(other.sizes()); }
  [[nodiscard]] Tensor reshape(IntArrayRef new_sizes) const;
  [[nodiscard]] Tensor reshape_as(const Tensor& other) const { return reshape(other.sizes()); }
  [[nodiscard]] Tensor flatten(std::int64_t first = 0, std::int64_t last = -1) const;
  [[nodiscard]] Tensor squeeze() const;
  [[nodiscard]] Tensor squeeze(std::int64_t axis) const;
  [[nodiscard]] Tensor unsqueeze(std::int64_t axis) const;
  [[nodiscard]] Tensor transpose(std::int64_t a, std::int64_t b) const;
  [[nodiscard]] Tensor t() const;
  [[nodiscard]] Tensor permute(IntArrayRef axes) const;
  [[nodiscard]] Tensor select(std::int64_t axis, std::int64_t index) const;
  [[nodiscard]] Tensor operator[](std::int64_t index) const { return select(0, index); }
  [[nodiscard]] Tensor slice(std::int64_t axis = 0, optional<std::int64_t> begin = nullopt,
                             optional<std::int64_t> end = nullopt, std::int64_t step = 1) const;
  [[nodiscard]] Tensor narrow(std::int64_t axis, std::int64_t begin, std::int64_t length) const;
  [[nodiscard]] Tensor index(ArrayRef<indexing::TensorIndex> indices) const;
  [[nodiscard]] Tensor index(std::initializer_list<indexing::TensorIndex> indices) const {
    return index(ArrayRef<indexing::TensorIndex>(indices));
  }
  // NOLINTNEXTLINE(modernize-use-nodiscard)
  Tensor& index_put_(std::initializer_list<indexing::TensorIndex> indices, const Tensor& values);
  // NOLINTNEXTLINE(modernize-use-nodiscard)
  Tensor& index_put_(std::initializer_list<indexing::TensorIndex> indices, const Scalar& value);
  [[nodiscard]] Tensor expand(IntArrayRef new_sizes, bool implicit = false) const;
  [[nodiscard]] Tensor expand_as(const Tensor& other) const { return expand(other.sizes()); }
  [[nodiscard]] std::vector<Tensor> split(std::int64_t size, std::int64_t axis = 0) const;
  [[nodiscard]] std::vector<Tensor> chunk(std::int64_t count, std::int64_t axis = 0) const;
  [[nodiscard]] std::vector<Tensor> unbind(std::int64_t axis = 0) const;

  // Other elements.
  Tensor& operator=(const Tensor&) & = default;
  Tensor& operator=(Tensor&&) & noexcept = default;
  // To what a call has just given, x[0] say, elements are assigned.
  Tensor& operator=(const Tensor& values) &&;
  Tensor& operator=(Tensor&& values) &&;
  Tensor& operator=(const Scalar& value) &&;
  Tensor(const Tensor&) = default;
  Tensor(Tensor&&) noexcept = default;
  ~Tensor() = default;
  // NOLINTNEXTLINE(modernize-use-nodiscard)
  const Tensor& copy_(const Tensor& source, bool non_blocking = false) const;
  const Tensor& fill_(const Scalar& value) const;         // NOLINT(modernize-use-nodiscard)
  const Tensor& zero_() const { return fill_(0); }        // NOLINT(modernize-use-nodiscard)
  const Tensor& requires_grad_(bool value = true) const;  // NOLINT(modernize-use-nodiscard)
  const Tensor& set_requires_grad(bool value) const { return requires_grad_(value); }  // NOLINT
  [[nodiscard]] Tensor contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
  [[nodiscard]] Tensor clone(optional<MemoryFormat> format = nullopt) const;
  [[nodiscard]] Tensor to(const TensorOptions& options, bool non_blocking = false, bool copy = false,
                          optional<MemoryFormat> format = nullopt) const;
  [[nodiscard]] Tensor to(ScalarType dtype, bool non_blocking = false, bool copy = false,
                          optional<MemoryFormat> format = nullopt) const {
    return to(TensorOptions(dtype), non_blocking, copy, format);
  }
  [[nodiscard]] Tensor to(Device device, ScalarType dtype, bool non_blocking = false,
                          bool copy = false) const {
    return to(TensorOptions(dtype).device(device), non_blocking, copy);
  }
  [[nodiscard]] Tensor to(const Tensor& other, bool non_blocking = false, bool copy = false) const {
    return to(TensorOptions(other.scalar_type()).device(other.device()), non_blocking, copy);
  }
  [[nodiscard]] Tensor toType(ScalarType dtype) const { return to(dtype); }
  [[nodiscard]] Tensor type_as(const Tensor& other) const { return to(other); }
  [[nodiscard]] Tensor cpu() const { return to(TensorOptions(kCPU)); }
  [[nodiscard]] Tensor cuda() const { return to(TensorOptions(kCUDA)); }
  [[nodiscard]] Scalar item() const;
  template <typename T>
  [[nodiscard]] T item() const {
    return item().to<T>();
  }

  [[nodiscard]] Tensor new_empty(IntArrayRef sizes, const TensorOptions& options = {}) const;
  [[nodiscard]] Tensor new_zeros(IntArrayRef sizes, const TensorOptions& options = {}) const;
  [[nodiscard]] Tensor new_full(IntArrayRef sizes, const Scalar& value,
                                const TensorOptions& options = {}) const;

  // Whether both have the same memory, whatever parts of it.
  [[nodiscard]] bool is_alias_of(const Tensor& other) const {
    return defined() && other.defined() && impl().storage == other.impl().storage;
  }

  // Described for the runtime; valid while the tensor is and keeps its sizes.
  [[nodiscard]] detail::abi::TensorView described() const;

 private:
  [[nodiscard]] detail::TensorImpl& impl() const {
    // What can be asked of an undefined tensor, torch answers as of an empty one.
    static detail::TensorImpl none = [] {
      detail::TensorImpl made;
      made.sizes = {0};
      made.strides = {1};
      return made;
    }();
    return impl_ ? *impl_ : none;
  }
  [[nodiscard]] Tensor with(std::int64_t offset, std::vector<std::int64_t> sizes,
                            std::vector<std::int64_t> strides) const;
  // Where its first element is or, of an empty one, would be.
  [[nodiscard]] void* storage_at_offset() const;
  void check_defined() const {
    TORCH_CHECK(
        defined(),
        "Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument #0 'self'");
  }
  void check_axes(std::size_t expected) const {
    TORCH_CHECK(dim() == static_cast<std::int64_t>(expected), "TensorAccessor expected ", expected,
                " dims but tensor has ", dim());
  }

  std::shared_ptr<detail::TensorImpl> impl_;
};

#define FIB_TORCH_DATA_PTR(cpp, name, number)                                                   \
  template <>                                                                                   \
  inline cpp* Tensor::data_ptr<cpp>() const {                                                   \
    TORCH_CHECK(scalar_type() == ScalarType::name, "expected scalar type " #name " but found ", \
                scalar_type());                                                                 \
    return static_cast<cpp*>(storage_at_offset());                                              \
  }
FIB_TORCH_DTYPES(FIB_TORCH_DATA_PTR)
#undef FIB_TORCH_DATA_PTR

using TensorList = c10::ArrayRef<Tensor>;

}  // namespace at
