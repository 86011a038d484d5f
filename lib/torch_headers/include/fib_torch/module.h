#pragma once

#include <map>

#include "fib_torch/interface.h"
#include "fib_torch/results.h"

// How functions of an extension are found and called: PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run",
// &run); }. Arguments are converted as pybind11 and torch do; what a function throws becomes the error that
// they make of it.
namespace pybind11 {

struct arg;
struct arg_v {
  std::string name;
  abi::Any value;
  bool converts = true;
};
struct arg {
  std::string name;
  bool converts = true;
  explicit arg(const char* text) : name(text) {}
  arg& noconvert(bool flag = true) {
    converts = !flag;
    return *this;
  }
  arg& none(bool /*flag*/ = true) { return *this; }
  template <typename T>
  arg_v operator=(const T& value) const {  // NOLINT: py::arg("x") = 1 makes a value of another type
    return {name, detail::any_of(value), converts};
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

// One bound function: its overloads are tried in their order, first without conversions.
struct Function {
  std::vector<std::string> names;                 // of parameters, where they are told
  std::vector<std::optional<abi::Any>> defaults;  // by parameter
  std::vector<bool> converts;                     // whether a parameter takes what must be converted
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
bool call_with(const Callable& function, const std::vector<abi::Any>& values,
               const std::vector<bool>& converts, abi::Any& result, std::index_sequence<I...> /*indices*/) {
  std::tuple<std::optional<std::decay_t<Parameters>>...> converted{
      argument<Parameters>(values, I, converts[I])...};
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
  if constexpr (is_rest<T>) {
    return std::is_same_v<std::decay_t<T>, args> ? "*args" : "**kwargs";
  } else {
    return Caster<std::decay_t<T>>::name;
  }
}

inline void describe(Function& /*function*/) {}
template <typename Extra, typename... More>
void describe(Function& function, const Extra& extra, const More&... more) {
  using Kind = std::decay_t<Extra>;
  if constexpr (std::is_same_v<Kind, arg>) {
    function.names.push_back(extra.name);
    function.defaults.emplace_back();
    function.converts.push_back(extra.converts);
  } else if constexpr (std::is_same_v<Kind, arg_v>) {
    function.names.push_back(extra.name);
    function.defaults.emplace_back(extra.value);
    function.converts.push_back(extra.converts);
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
  auto allowed = function.converts;
  allowed.resize(sizeof...(Parameters), true);
  function.call = [callable, allowed](const std::vector<abi::Any>& values, bool convert, abi::Any& result) {
    const auto converts = convert ? allowed : std::vector<bool>(allowed.size(), false);
    return call_with<Callable, Result, Parameters...>(callable, values, converts, result,
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
  c10::detail::raise<c10::TypeError>(message);
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
    const at::Scalar value = number->type_index == abi::kTypeFloat  ? at::Scalar(number->number)
                             : number->type_index == abi::kTypeBool ? at::Scalar(number->integer != 0)
                                                                    : at::Scalar(number->integer);
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
