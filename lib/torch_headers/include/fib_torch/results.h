#pragma once

#include "fib_torch/values.h"

// How what a function returns becomes a value of a call.
namespace pybind11::detail {

// Results. Tensors go out contiguous: outputs are.
struct Exported : abi::ManagedTensorVersioned {
  explicit Exported(at::Tensor kept) : owner(std::move(kept)) {
    tensor = owner.described();
    shape.assign(owner.sizes().begin(), owner.sizes().end());
    if (owner.scalar_type() == at::ScalarType::Float4_e2m1fn_x2) {
      tensor.dtype = {abi::kFloat4E2M1FN, 4, 1};
      if (!shape.empty()) shape.back() *= 2;
    }
    strides = at::detail::contiguous_strides(shape);
    tensor.shape = shape.data();
    tensor.strides = strides.data();
    deleter = [](abi::ManagedTensorVersioned* self) { delete static_cast<Exported*>(self); };
  }
  at::Tensor owner;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
};

struct Sequence : abi::SequenceObject {
  std::vector<abi::Any> values;
};

inline void release(abi::Any& value) {
  if (value.type_index >= abi::kTypeFirstObject) static_cast<void>(TVMFFIObjectDecRef(value.object));
  value = {};
}

inline abi::Any result_of(std::vector<abi::Any> values) {
  auto* sequence = new Sequence;
  sequence->references = (std::uint64_t{1} << 32U) + 1;
  sequence->type_index = abi::kTypeArray;
  sequence->deleter = [](void* self, int flags) {
    auto* all = static_cast<Sequence*>(static_cast<abi::Object*>(self));
    if ((flags & abi::kDeleteObject) != 0) {
      for (auto& value : all->values) release(value);
      all->values.clear();
    }
    if ((flags & abi::kDeleteMemory) != 0) delete all;
  };
  sequence->values = std::move(values);
  sequence->cell.data = sequence->values.data();
  sequence->cell.size = static_cast<std::int64_t>(sequence->values.size());
  sequence->cell.capacity = sequence->cell.size;
  abi::Any result;
  result.type_index = abi::kTypeArray;
  result.object = sequence;
  return result;
}

inline abi::Any result_of(const at::Tensor& tensor) {
  abi::Any result;
  if (!tensor.defined()) return result;
  auto* exported = new Exported(tensor.contiguous());
  void* handle = nullptr;
  if (TVMFFITensorFromDLPackVersioned(exported, 0, 0, &handle) != 0) {
    delete exported;
    at::detail::throw_raised();
  }
  result.type_index = abi::kTypeTensor;
  result.object = static_cast<abi::Object*>(handle);
  return result;
}

template <typename T>
struct IsPairOrTuple : std::false_type {};
template <typename... Parts>
struct IsPairOrTuple<std::tuple<Parts...>> : std::true_type {};
template <typename A, typename B>
struct IsPairOrTuple<std::pair<A, B>> : std::true_type {};

template <typename T>
struct IsList : std::false_type {};
template <typename T>
struct IsList<std::vector<T>> : std::true_type {};
template <typename T, std::size_t N>
struct IsList<std::array<T, N>> : std::true_type {};

template <typename T>
abi::Any result_of(const std::optional<T>& value);

// Numbers go out as numbers; what no output can be (a string, a map) as a pointer to nothing.
template <typename T>
abi::Any result_of(const T& value) {
  if constexpr (IsPairOrTuple<T>::value) {
    std::vector<abi::Any> parts;
    std::apply([&](const auto&... part) { (parts.push_back(result_of(part)), ...); }, value);
    return result_of(std::move(parts));
  } else if constexpr (IsList<T>::value) {
    std::vector<abi::Any> parts;
    for (const auto& part : value) parts.push_back(result_of(part));
    return result_of(std::move(parts));
  } else if constexpr (std::is_same_v<T, object>) {
    c10::detail::raise<c10::Error>("fib's torch headers return no objects of Python");
  } else {
    return any_of(value);
  }
}
template <typename T>
abi::Any result_of(const std::optional<T>& value) {
  return value ? result_of(*value) : abi::Any{};
}

}  // namespace pybind11::detail
