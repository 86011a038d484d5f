#pragma once

#include <map>
#include <tuple>
#include <type_traits>

#include "fib_torch/data.h"
#include "fib_torch/interface.h"

// How functions of an extension are found and called: PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run",
// &run); }. Arguments are converted as pybind11 and torch do; what a function throws becomes the error that
// they make of it.
namespace pybind11 {

namespace abi = fib::tvm_ffi;

// A value of a call: a tensor, a number, a bool, a string, or nothing. Lives as long as the call.
class object {
 public:
  object() = default;
  explicit object(const abi::Any& value) : value_(value) {}
  template <typename T>
  [[nodiscard]] T cast() const;
  [[nodiscard]] bool is_none() const { return value_.type_index == abi::kTypeNone; }
  [[nodiscard]] const abi::Any& value() const { return value_; }

 private:
  abi::Any value_;
};
using handle = object;

struct none : object {};

class error_already_set : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
#define FIB_TORCH_PYTHON_ERROR(Name)         \
  class Name : public std::runtime_error {   \
   public:                                   \
    using std::runtime_error::runtime_error; \
  };
FIB_TORCH_PYTHON_ERROR(value_error)
FIB_TORCH_PYTHON_ERROR(type_error)
FIB_TORCH_PYTHON_ERROR(index_error)
FIB_TORCH_PYTHON_ERROR(key_error)
FIB_TORCH_PYTHON_ERROR(cast_error)
#undef FIB_TORCH_PYTHON_ERROR

// All positional arguments from one on, and those by name, of which there are none.
class args {
 public:
  args() = default;
  explicit args(std::vector<object> values) : values_(std::move(values)) {}
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] bool empty() const { return values_.empty(); }
  [[nodiscard]] const object& operator[](std::size_t index) const {
    if (index >= values_.size()) throw index_error("tuple index out of range");
    return values_[index];
  }
  explicit operator bool() const { return true; }
  [[nodiscard]] auto begin() const { return values_.begin(); }
  [[nodiscard]] auto end() const { return values_.end(); }

 private:
  std::vector<object> values_;
};

class kwargs {
 public:
  [[nodiscard]] std::size_t size() const { return 0; }
  [[nodiscard]] bool empty() const { return true; }
  explicit operator bool() const { return true; }
  [[nodiscard]] bool contains(const char* /*name*/) const { return false; }
  [[nodiscard]] object operator[](const char* name) const { throw key_error(name); }
};

namespace detail {

// What converts an argument to T: `from` gives nothing where it does not fit. Without `convert` an argument
// must be of the kind itself. `name` is for messages.
template <typename T, typename = void>
struct Caster {
  static constexpr const char* name = "object";
  static std::optional<T> from(const abi::Any& /*value*/, bool /*convert*/) { return std::nullopt; }
};

template <>
struct Caster<bool> {
  static constexpr const char* name = "bool";
  static std::optional<bool> from(const abi::Any& value, bool convert) {
    if (value.type_index == abi::kTypeBool) return value.integer != 0;
    if (!convert) return std::nullopt;
    if (value.type_index == abi::kTypeNone) return false;
    if (value.type_index == abi::kTypeInt) return value.integer != 0;
    if (value.type_index == abi::kTypeFloat) return value.number != 0;
    return std::nullopt;
  }
};

template <typename T>
struct Caster<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>> {
  static constexpr const char* name = "int";
  static std::optional<T> from(const abi::Any& value, bool /*convert*/) {
    if (value.type_index != abi::kTypeInt && value.type_index != abi::kTypeBool) return std::nullopt;
    if constexpr (std::is_unsigned_v<T>) {
      if (value.integer < 0) return std::nullopt;
      if (static_cast<std::uint64_t>(value.integer) > std::numeric_limits<T>::max()) return std::nullopt;
    } else {
      if (value.integer < std::numeric_limits<T>::min() || value.integer > std::numeric_limits<T>::max())
        return std::nullopt;
    }
    return static_cast<T>(value.integer);
  }
};

template <typename T>
struct Caster<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  static constexpr const char* name = "float";
  static std::optional<T> from(const abi::Any& value, bool convert) {
    if (value.type_index == abi::kTypeFloat) return static_cast<T>(value.number);
    if (convert && (value.type_index == abi::kTypeInt || value.type_index == abi::kTypeBool))
      return static_cast<T>(value.integer);
    return std::nullopt;
  }
};

template <>
struct Caster<at::Scalar> {
  static constexpr const char* name = "number";
  static std::optional<at::Scalar> from(const abi::Any& value, bool /*convert*/) {
    if (value.type_index == abi::kTypeFloat) return at::Scalar(value.number);
    if (value.type_index == abi::kTypeInt) return at::Scalar(value.integer);
    if (value.type_index == abi::kTypeBool) return at::Scalar(value.integer != 0);
    return std::nullopt;
  }
};

template <>
struct Caster<std::string> {
  static constexpr const char* name = "str";
  static std::optional<std::string> from(const abi::Any& value, bool /*convert*/) {
    if (value.type_index == abi::kTypeRawString) return std::string(static_cast<const char*>(value.pointer));
    return std::nullopt;
  }
};

template <>
struct Caster<at::Tensor> {
  static constexpr const char* name = "torch.Tensor";
  static std::optional<at::Tensor> from(const abi::Any& value, bool /*convert*/) {
    if (value.type_index != abi::kTypeTensor) return std::nullopt;
    return tensor_of(value.object);
  }

 private:
  static at::Tensor tensor_of(abi::Object* object) {
    const auto& view = static_cast<const abi::TensorObject*>(object)->cell;
    auto impl = std::make_shared<at::detail::TensorImpl>();
    impl->dtype = at::detail::dtype_of(view.dtype);
    impl->sizes.assign(view.shape, view.shape + view.ndim);
    if (impl->dtype == at::ScalarType::Float4_e2m1fn_x2 && !impl->sizes.empty()) impl->sizes.back() /= 2;
    impl->strides = at::detail::contiguous_strides(impl->sizes);
    const bool cuda = view.device.type == abi::kCuda;
    static_cast<void>(TVMFFIObjectIncRef(object));
    impl->storage = std::make_shared<at::detail::Storage>(
        static_cast<std::byte*>(view.data) + view.byte_offset,
        cuda ? at::Device(at::kCUDA, static_cast<at::DeviceIndex>(view.device.id)) : at::Device(at::kCPU),
        [object] { static_cast<void>(TVMFFIObjectDecRef(object)); });
    return at::Tensor(std::move(impl));
  }
};

template <>
struct Caster<object> {
  static constexpr const char* name = "object";
  static std::optional<object> from(const abi::Any& value, bool /*convert*/) { return object(value); }
};

template <typename T>
struct Caster<std::optional<T>> {
  static constexpr const char* name = "Optional";
  static std::optional<std::optional<T>> from(const abi::Any& value, bool convert) {
    if (value.type_index == abi::kTypeNone) return std::optional<std::optional<T>>(std::in_place);
    auto inner = Caster<T>::from(value, convert);
    if (!inner) return std::nullopt;
    return std::optional<std::optional<T>>(std::in_place, std::move(*inner));
  }
};

// A number, a text or nothing as a value of a call: a default of a parameter, or a result.
template <typename T>
abi::Any any_of(const T& value) {
  abi::Any made;
  if constexpr (std::is_same_v<T, bool>) {
    made.type_index = abi::kTypeBool;
    made.integer = value ? 1 : 0;
  } else if constexpr (std::is_integral_v<T>) {
    made.type_index = abi::kTypeInt;
    made.integer = static_cast<std::int64_t>(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    made.type_index = abi::kTypeFloat;
    made.number = static_cast<double>(value);
  } else if constexpr (std::is_same_v<T, std::nullopt_t> || std::is_same_v<T, none>) {
    made.type_index = abi::kTypeNone;
  } else if constexpr (std::is_convertible_v<T, const char*>) {
    made.type_index = abi::kTypeRawString;
    made.pointer = const_cast<char*>(static_cast<const char*>(value));
  } else {
    static_assert(std::is_same_v<T, none>,
                  "fib's torch headers have no values of this type for arguments and results");
  }
  return made;
}
template <typename T>
abi::Any any_of(const std::optional<T>& value) {
  return value ? any_of(*value) : any_of(std::nullopt);
}

}  // namespace detail

template <typename T>
T object::cast() const {
  auto value = detail::Caster<std::decay_t<T>>::from(value_, true);
  if (!value) throw cast_error("Unable to cast Python instance to C++ type");
  return std::move(*value);
}

struct arg;
struct arg_v {
  std::string name;
  abi::Any value;
};
struct arg {
  std::string name;
  explicit arg(const char* text) : name(text) {}
  arg& noconvert(bool /*flag*/ = true) { return *this; }
  arg& none(bool /*flag*/ = true) { return *this; }
  template <typename T>
  arg_v operator=(const T& value) const {  // NOLINT: py::arg("x") = 1 makes a value of another type
    return {name, detail::any_of(value)};
  }
};
struct kw_only {};
struct pos_only {};

class gil_scoped_release {
 public:
  explicit gil_scoped_release(bool /*disassoc*/ = false) {}
  ~gil_scoped_release() {}  // NOLINT: so that a variable of it is used
  gil_scoped_release(const gil_scoped_release&) = delete;
  gil_scoped_release& operator=(const gil_scoped_release&) = delete;
};
class gil_scoped_acquire {
 public:
  gil_scoped_acquire() {}   // NOLINT: the same
  ~gil_scoped_acquire() {}  // NOLINT
  gil_scoped_acquire(const gil_scoped_acquire&) = delete;
  gil_scoped_acquire& operator=(const gil_scoped_acquire&) = delete;
};
template <typename... Guards>
struct call_guard {};
enum class return_value_policy { automatic, automatic_reference, take_ownership, copy, move, reference };

namespace detail {

[[noreturn]] inline void raise_type_error(const std::string& message) {
  c10::detail::raise<c10::TypeError>(message);
}

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

// One bound function: its overloads are tried in their order, first without conversions.
struct Function {
  std::vector<std::string> names;                 // of parameters, where they are told
  std::vector<std::optional<abi::Any>> defaults;  // by parameter
  std::size_t parameters = 0;
  bool takes_more = false;  // its last ones are args and kwargs
  std::string signature;
  // Whether the arguments fit; then it has been called.
  std::function<bool(const std::vector<abi::Any>&, bool convert, abi::Any& result)> call;
};

template <typename T>
constexpr bool is_rest = std::is_same_v<std::decay_t<T>, args> || std::is_same_v<std::decay_t<T>, kwargs>;

template <typename T>
std::optional<std::decay_t<T>> argument(const std::vector<abi::Any>& values, std::size_t index,
                                        bool convert) {
  using Value = std::decay_t<T>;
  if constexpr (std::is_same_v<Value, args>) {
    std::vector<object> rest;
    for (std::size_t i = index; i < values.size(); ++i) rest.emplace_back(values[i]);
    return args(std::move(rest));
  } else if constexpr (std::is_same_v<Value, kwargs>) {
    return kwargs();
  } else {
    return Caster<Value>::from(values[index], convert);
  }
}

template <typename Callable, typename Result, typename... Parameters, std::size_t... I>
bool call_with(const Callable& function, const std::vector<abi::Any>& values, bool convert, abi::Any& result,
               std::index_sequence<I...> /*indices*/) {
  std::tuple<std::optional<std::decay_t<Parameters>>...> converted{
      argument<Parameters>(values, I, convert)...};
  if (!(true && ... && std::get<I>(converted).has_value())) return false;
  if constexpr (std::is_void_v<Result>) {
    function(static_cast<Parameters&&>(*std::get<I>(converted))...);
    result = {};
  } else {
    result = result_of(function(static_cast<Parameters&&>(*std::get<I>(converted))...));
  }
  return true;
}

template <typename T>
std::string name_of_type() {
  if constexpr (is_rest<T>) return std::is_same_v<std::decay_t<T>, args> ? "*args" : "**kwargs";
  return Caster<std::decay_t<T>>::name;
}

inline void describe(Function& /*function*/) {}
template <typename Extra, typename... More>
void describe(Function& function, const Extra& extra, const More&... more) {
  using Kind = std::decay_t<Extra>;
  if constexpr (std::is_same_v<Kind, arg>) {
    function.names.push_back(extra.name);
    function.defaults.emplace_back();
  } else if constexpr (std::is_same_v<Kind, arg_v>) {
    function.names.push_back(extra.name);
    function.defaults.emplace_back(extra.value);
  }
  describe(function, more...);
}

template <typename Callable, typename Result, typename... Parameters, typename... Extra>
Function bound(Callable callable, Result (* /*type*/)(Parameters...), const Extra&... extra) {
  Function function;
  function.parameters = (std::size_t{0} + ... + (is_rest<Parameters> ? 0 : 1));
  function.takes_more = (false || ... || std::is_same_v<std::decay_t<Parameters>, args>);
  describe(function, extra...);
  std::vector<std::string> types = {name_of_type<Parameters>()...};
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::string name = i < function.names.size() ? function.names[i] : "arg" + std::to_string(i);
    const bool rest = types[i][0] == '*';
    function.signature += (i == 0 ? "" : ", ") + (rest ? types[i] : name + ": " + types[i]);
  }
  function.call = [callable](const std::vector<abi::Any>& values, bool convert, abi::Any& result) {
    return call_with<Callable, Result, Parameters...>(callable, values, convert, result,
                                                      std::index_sequence_for<Parameters...>{});
  };
  return function;
}

template <typename T>
struct MethodType;
template <typename C, typename Result, typename... Parameters>
struct MethodType<Result (C::*)(Parameters...) const> {
  using type = Result (*)(Parameters...);
};
template <typename C, typename Result, typename... Parameters>
struct MethodType<Result (C::*)(Parameters...)> {
  using type = Result (*)(Parameters...);
};

// Arguments of a call, completed by defaults; nothing where the function takes another number of them.
inline std::optional<std::vector<abi::Any>> completed(const Function& function, const abi::Any* given,
                                                      std::size_t count) {
  std::vector<abi::Any> values(given, given + count);
  if (count > function.parameters && !function.takes_more) return std::nullopt;
  for (std::size_t i = count; i < function.parameters; ++i) {
    const bool has = i < function.defaults.size() && function.defaults[i];
    if (!has) return std::nullopt;
    values.push_back(*function.defaults[i]);
  }
  return values;
}

inline std::string described(const abi::Any& value) {
  switch (value.type_index) {
    case abi::kTypeNone:
      return "None";
    case abi::kTypeBool:
      return value.integer != 0 ? "True" : "False";
    case abi::kTypeInt:
      return std::to_string(value.integer);
    case abi::kTypeFloat:
      return c10::str(value.number);
    case abi::kTypeTensor: {
      const auto tensor = *Caster<at::Tensor>::from(value, false);
      return c10::str("tensor of dtype ", tensor.scalar_type(), " and sizes ", tensor.sizes());
    }
    default:
      return "object";
  }
}

using Overloads = std::vector<Function>;

inline abi::Any call(const std::string& name, const Overloads& overloads, const abi::Any* given,
                     std::size_t count) {
  abi::Any result;
  for (const bool convert : {false, true}) {
    if (!convert && overloads.size() == 1) continue;
    for (const auto& function : overloads) {
      const auto values = completed(function, given, count);
      if (values && function.call(*values, convert, result)) return result;
    }
  }
  std::string message =
      name + "(): incompatible function arguments. The following argument types are supported:";
  for (std::size_t i = 0; i < overloads.size(); ++i)
    message += "\n    " + std::to_string(i + 1) + ". (" + overloads[i].signature + ")";
  message += "\n\nInvoked with: ";
  for (std::size_t i = 0; i < count; ++i) message += (i == 0 ? "" : ", ") + described(given[i]);
  raise_type_error(message);
}

// Runs `step` at the border to C: 0, or -1 with the raised error set, named as Python would name it.
template <typename Step>
int guarded(Step step) noexcept {
  const auto raised = [](const char* kind, const char* message) {
    TVMFFIErrorSetRaisedFromCStr(kind, message);
    return -1;
  };
  try {
    step();
    return 0;
  } catch (const c10::Error& error) {
    return raised(error.python_name(), error.what());
  } catch (const value_error& error) {
    return raised("ValueError", error.what());
  } catch (const type_error& error) {
    return raised("TypeError", error.what());
  } catch (const index_error& error) {
    return raised("IndexError", error.what());
  } catch (const key_error& error) {
    return raised("KeyError", error.what());
  } catch (const std::bad_alloc& error) {
    return raised("MemoryError", error.what());
  } catch (const std::domain_error& error) {
    return raised("ValueError", error.what());
  } catch (const std::invalid_argument& error) {
    return raised("ValueError", error.what());
  } catch (const std::length_error& error) {
    return raised("ValueError", error.what());
  } catch (const std::out_of_range& error) {
    return raised("IndexError", error.what());
  } catch (const std::range_error& error) {
    return raised("ValueError", error.what());
  } catch (const std::overflow_error& error) {
    return raised("OverflowError", error.what());
  } catch (const std::exception& error) {
    return raised("RuntimeError", error.what());
  } catch (...) {
    return raised("RuntimeError", "Caught an unknown exception!");
  }
}

// m.attr("x") = value; and m.doc() = "…": kept by Python, unused here.
struct Ignored {
  template <typename T>
  const Ignored& operator=(const T& /*value*/) const {  // NOLINT
    return *this;
  }
};

}  // namespace detail

class module_ {
 public:
  template <typename Callable, typename... Extra>
  module_& def(const char* name, Callable&& callable, const Extra&... extra) {
    using Kind = std::decay_t<Callable>;
    if constexpr (std::is_pointer_v<Kind> && std::is_function_v<std::remove_pointer_t<Kind>>) {
      functions_[name].push_back(detail::bound(callable, static_cast<Kind>(nullptr), extra...));
    } else {
      using Type = typename detail::MethodType<decltype(&Kind::operator())>::type;
      functions_[name].push_back(
          detail::bound(Kind(std::forward<Callable>(callable)), static_cast<Type>(nullptr), extra...));
    }
    return *this;
  }
  [[nodiscard]] detail::Ignored doc() const { return {}; }
  [[nodiscard]] detail::Ignored attr(const char* /*name*/) const { return {}; }

  // Null: there is none.
  [[nodiscard]] const std::pair<const std::string, detail::Overloads>* find(const char* name) const {
    const auto found = functions_.find(name);
    return found == functions_.end() ? nullptr : &*found;
  }

 private:
  std::map<std::string, detail::Overloads> functions_;
};
using module = module_;

template <typename... Arguments>
struct overload_cast_impl {
  template <typename Result>
  constexpr auto operator()(Result (*function)(Arguments...)) const {
    return function;
  }
};
template <typename... Arguments>
constexpr overload_cast_impl<Arguments...> overload_cast{};

namespace detail {

using Interface = fib::torch_headers::Interface;

inline int call_function(void* self, const abi::Any* given, std::int32_t count, abi::Any* result) {
  const auto& function = *static_cast<const std::pair<const std::string, Overloads>*>(self);
  return guarded(
      [&] { *result = call(function.first, function.second, given, static_cast<std::size_t>(count)); });
}

inline int full(const abi::Any* number, abi::DataType dtype, abi::Device device, abi::Any* tensor) {
  return guarded([&] {
    const auto where = device.type == abi::kCuda
                           ? at::Device(at::kCUDA, static_cast<at::DeviceIndex>(device.id))
                           : at::Device(at::kCPU);
    const auto value = *Caster<at::Scalar>::from(*number, true);
    *tensor = result_of(at::full({}, value, at::TensorOptions(at::detail::dtype_of(dtype)).device(where)));
  });
}

// The module, made when it is first asked for.
template <void (*define)(module_&)>
const module_& defined_module() {
  static const auto* const one = [] {
    auto* made = new module_;
    define(*made);
    return made;
  }();
  return *one;
}

template <void (*define)(module_&)>
const Interface* interface_of() {
  static constexpr Interface one = {[](const char* name, void** self, abi::SafeCall* call) {
                                      int missing = 0;
                                      const int failed = guarded([&] {
                                        const auto* function = defined_module<define>().find(name);
                                        missing = function == nullptr ? 1 : 0;
                                        *self = const_cast<void*>(static_cast<const void*>(function));
                                        *call = call_function;
                                      });
                                      return failed != 0 ? failed : missing;
                                    },
                                    full};
  return &one;
}

}  // namespace detail
}  // namespace pybind11

namespace py = pybind11;

#define FIB_TORCH_EXPORTED(name) C10_CONCATENATE(fib_torch_extension_, name)
#define PYBIND11_MODULE(name, variable, ...)                                                                 \
  static void fib_torch_define(::pybind11::module_&);                                                        \
  extern "C" __attribute__((visibility("default"))) const ::pybind11::detail::Interface* FIB_TORCH_EXPORTED( \
      name)() {                                                                                              \
    return ::pybind11::detail::interface_of<fib_torch_define>();                                             \
  }                                                                                                          \
  static void fib_torch_define(::pybind11::module_& variable)
