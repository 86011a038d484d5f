#pragma once

#include "fib_torch/core.h"

// How a tensor is to be made.
namespace c10 {

class TensorOptions {
 public:
  TensorOptions() = default;
  TensorOptions(ScalarType dtype) : dtype_(dtype) {}
  TensorOptions(TypeMeta dtype) : dtype_(dtype.toScalarType()) {}
  TensorOptions(Device device) : device_(device) {}
  TensorOptions(DeviceType type) : device_(Device(type)) {}
  TensorOptions(Layout layout) : layout_(layout) {}
  TensorOptions(MemoryFormat format) : memory_format_(format) {}

  [[nodiscard]] TensorOptions dtype(ScalarType dtype) const {
    return with([&](auto& o) { o.dtype_ = dtype; });
  }
  [[nodiscard]] TensorOptions dtype(TypeMeta dtype) const { return this->dtype(dtype.toScalarType()); }
  [[nodiscard]] TensorOptions dtype(optional<ScalarType> dtype) const {
    return with([&](auto& o) { o.dtype_ = dtype; });
  }
  template <typename T>
  [[nodiscard]] TensorOptions dtype() const {
    return dtype(CppTypeToScalarType<T>::value);
  }
  [[nodiscard]] TensorOptions device(Device device) const {
    return with([&](auto& o) { o.device_ = device; });
  }
  [[nodiscard]] TensorOptions device(DeviceType type) const { return device(Device(type)); }
  [[nodiscard]] TensorOptions device(DeviceType type, DeviceIndex index) const {
    return device(Device(type, index));
  }
  [[nodiscard]] TensorOptions device(optional<Device> device) const {
    return with([&](auto& o) { o.device_ = device; });
  }
  [[nodiscard]] TensorOptions device_index(DeviceIndex index) const { return device(Device(kCUDA, index)); }
  [[nodiscard]] TensorOptions layout(Layout layout) const {
    return with([&](auto& o) { o.layout_ = layout; });
  }
  [[nodiscard]] TensorOptions requires_grad(bool value) const {
    return with([&](auto& o) { o.requires_grad_ = value; });
  }
  [[nodiscard]] TensorOptions memory_format(MemoryFormat format) const {
    return with([&](auto& o) { o.memory_format_ = format; });
  }

  [[nodiscard]] TypeMeta dtype() const { return dtype_.value_or(kFloat); }
  [[nodiscard]] Device device() const { return device_.value_or(Device(kCPU)); }
  [[nodiscard]] DeviceIndex device_index() const { return device().index(); }
  [[nodiscard]] Layout layout() const { return kStrided; }
  [[nodiscard]] bool requires_grad() const { return requires_grad_.value_or(false); }
  [[nodiscard]] bool pinned_memory() const { return false; }
  [[nodiscard]] bool has_dtype() const { return dtype_.has_value(); }
  [[nodiscard]] bool has_device() const { return device_.has_value(); }
  [[nodiscard]] bool has_layout() const { return layout_.has_value(); }
  [[nodiscard]] bool has_requires_grad() const { return requires_grad_.has_value(); }
  [[nodiscard]] optional<ScalarType> dtype_opt() const { return dtype_; }
  [[nodiscard]] optional<Device> device_opt() const { return device_; }
  [[nodiscard]] optional<MemoryFormat> memory_format_opt() const { return memory_format_; }

  // What the other one says goes first.
  [[nodiscard]] TensorOptions merge_in(const TensorOptions& other) const {
    TensorOptions both = *this;
    if (other.dtype_) both.dtype_ = other.dtype_;
    if (other.device_) both.device_ = other.device_;
    if (other.layout_) both.layout_ = other.layout_;
    if (other.requires_grad_) both.requires_grad_ = other.requires_grad_;
    if (other.memory_format_) both.memory_format_ = other.memory_format_;
    return both;
  }

 private:
  template <typename Change>
  [[nodiscard]] TensorOptions with(Change change) const {
    TensorOptions changed = *this;
    change(changed);
    return changed;
  }

  optional<ScalarType> dtype_;
  optional<Device> device_;
  optional<Layout> layout_;
  optional<bool> requires_grad_;
  optional<MemoryFormat> memory_format_;
};

inline std::ostream& operator<<(std::ostream& out, const TensorOptions& options) {
  const auto usual = [](bool given) { return given ? "" : " (default)"; };
  out << "TensorOptions(dtype=" << options.dtype() << usual(options.has_dtype())
      << ", device=" << options.device() << usual(options.has_device()) << ", layout=" << options.layout()
      << usual(options.has_layout()) << ", requires_grad=" << (options.requires_grad() ? "true" : "false")
      << usual(options.has_requires_grad()) << ", pinned_memory=false" << usual(false) << ", memory_format=";
  if (options.memory_format_opt()) return out << *options.memory_format_opt() << ")";
  return out << "(nullopt))";
}

inline TensorOptions dtype(ScalarType dtype) { return TensorOptions(dtype); }
inline TensorOptions dtype(TypeMeta dtype) { return TensorOptions(dtype); }
inline TensorOptions device(Device device) { return TensorOptions(device); }
inline TensorOptions device(DeviceType type) { return TensorOptions(type); }
inline TensorOptions layout(Layout layout) { return TensorOptions(layout); }
inline TensorOptions requires_grad(bool value = true) { return TensorOptions().requires_grad(value); }

}  // namespace c10
