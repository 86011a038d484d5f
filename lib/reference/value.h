#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ops/promote.h"
#include "python/ast.h"

namespace fib::reference {

using ops::DType;
using ops::Runtime;
using ops::Shape;
using ops::Tensor;

struct Builtin;
struct Value;
class Scope;

struct None {};
struct EllipsisValue {};
struct DeviceValue {};   // torch.device(...): every tensor is on the CPU
struct ContextValue {};  // torch.no_grad(): does nothing, as a decorator or in a with statement

struct RangeValue {
  std::int64_t start = 0;
  std::int64_t stop = 0;
  std::int64_t step = 1;
  [[nodiscard]] std::int64_t length() const;
};

struct SliceValue {
  std::optional<std::int64_t> start;
  std::optional<std::int64_t> stop;
  std::optional<std::int64_t> step;
};

// Tuples never change; copies of a list or dict are the same object, as in Python.
struct TupleData {
  std::vector<Value> items;
  std::vector<std::string> names;  // of named tuples such as torch.max's (values, indices); else empty
};
struct DictData {
  std::vector<std::pair<Value, Value>> items;
};
using TuplePtr = std::shared_ptr<const TupleData>;
using ListPtr = std::shared_ptr<std::vector<Value>>;
using DictPtr = std::shared_ptr<DictData>;

// A function of the reference itself: a def or a lambda. `closure` is the scope it was defined in, which the
// interpreter keeps alive.
struct FunctionData {
  std::string name;
  const std::vector<python::Parameter>* parameters = nullptr;
  const python::Block* body = nullptr;       // of a def
  const python::Expr* expression = nullptr;  // of a lambda
  Scope* closure = nullptr;
  std::vector<Value> defaults;  // one for each parameter that has one, in order
};
using FunctionPtr = std::shared_ptr<const FunctionData>;

// "torch", "torch.nn.functional", "math", ...
struct ModuleValue {
  std::string path;
};

struct MethodData;  // a built-in method with its object
using MethodPtr = std::shared_ptr<const MethodData>;

// torch.finfo(dtype) or torch.iinfo(dtype).
struct DTypeInfo {
  DType dtype = DType::kFloat32;
};

struct Value {
  using Kind = std::variant<None, bool, std::int64_t, double, std::string, Tensor, TuplePtr, ListPtr, DictPtr,
                            RangeValue, SliceValue, EllipsisValue, DType, DeviceValue, ContextValue,
                            FunctionPtr, const Builtin*, MethodPtr, ModuleValue, DTypeInfo>;
  Kind kind;

  Value() = default;
  Value(Kind k) : kind(std::move(k)) {}  // NOLINT: values are made from what they hold
  template <typename T>
  requires(std::is_constructible_v<Kind, T> && !std::is_same_v<std::decay_t<T>, Value>)
      Value(T&& value)  // NOLINT
      : kind(std::forward<T>(value)) {}

  template <typename T>
  [[nodiscard]] bool is() const {
    return std::holds_alternative<T>(kind);
  }
  template <typename T>
  [[nodiscard]] const T* get() const {
    return std::get_if<T>(&kind);
  }
};

struct MethodData {
  Value self;
  const Builtin* builtin = nullptr;
};

[[nodiscard]] Value make_tuple(std::vector<Value> items, std::vector<std::string> names = {});
[[nodiscard]] Value make_list(std::vector<Value> items);
[[nodiscard]] Value make_size(const Shape& shape);

// "int", "Tensor", "NoneType", ...: as Python calls the type.
[[nodiscard]] std::string type_name(const Value& value);

// As Python's str() shows it; tensors only by shape and dtype.
[[nodiscard]] std::string to_text(const Value& value);

// Python's truth of a value. Throws Error for a tensor of more than one element.
[[nodiscard]] bool is_true(const Value& value);

[[nodiscard]] bool is_number(const Value& value);  // bool, int, float

// The items of a tuple, list, range, dict (its keys) or tensor (its first dimension). Throws Error for
// others.
[[nodiscard]] std::vector<Value> items_of(const Value& value);

// The number as Python's float() or operator.index() sees it; tensors of one element count too. Throw Error.
[[nodiscard]] double to_double(const Value& value);
[[nodiscard]] std::int64_t to_index(const Value& value);

// The only element as a Python bool, int or float.
[[nodiscard]] Value item_of(const Tensor& tensor);

// The items of a tuple or list; null for other values.
[[nodiscard]] const std::vector<Value>* sequence_of(const Value& value);

// Python's == for values other than tensors.
[[nodiscard]] bool are_equal(const Value& a, const Value& b);

}  // namespace fib::reference
