#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/reduce.h"
#include "reference/registry.h"
#include "util/error.h"

namespace fib::reference {

using KeywordValues = std::vector<std::pair<std::string, Value>>;

// The arguments of one call of a built-in function, bound to its parameters. The getters convert, and throw
// Error naming the parameter when the value does not fit. A parameter given as None counts as absent.
class Arguments {
 public:
  // Throws Error for too many, missing and unknown arguments. Arguments that only say where a tensor lives or
  // how gradients work (device, requires_grad, ...) are ignored.
  Arguments(const Builtin& builtin, std::vector<Value> positional, KeywordValues keywords);

  [[nodiscard]] const std::string& function_name() const { return builtin_.name; }

  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
  // Throws when absent.
  [[nodiscard]] const Value& value(std::string_view name) const;
  [[nodiscard]] Tensor tensor(std::string_view name) const;
  [[nodiscard]] std::vector<Tensor> tensors(std::string_view name) const;
  // A tensor or a Python number.
  [[nodiscard]] ops::Operand operand(const Runtime& runtime, std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] std::int64_t integer_or(std::string_view name, std::int64_t otherwise) const;
  [[nodiscard]] double real(std::string_view name) const;
  [[nodiscard]] double real_or(std::string_view name, double otherwise) const;
  [[nodiscard]] bool flag_or(std::string_view name, bool otherwise) const;
  [[nodiscard]] std::optional<DType> dtype(std::string_view name = "dtype") const;
  [[nodiscard]] std::string text(std::string_view name) const;
  // One integer or a sequence of them; empty when absent.
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view name) const;
  [[nodiscard]] ops::KeepDim keepdim() const {
    return flag_or("keepdim", false) ? ops::KeepDim::kYes : ops::KeepDim::kNo;
  }
  // What a "*name" parameter took.
  [[nodiscard]] const std::vector<Value>& rest() const { return rest_; }

 private:
  [[nodiscard]] std::size_t position(std::string_view name) const;
  [[nodiscard]] const Value* find(std::string_view name) const;
  [[nodiscard]] Error wrong(std::string_view name, const char* needed, const Value& value) const;
  void bind_keyword(std::pair<std::string, Value> keyword);

  const Builtin& builtin_;
  std::vector<std::optional<Value>> bound_;
  std::vector<Value> rest_;
};

// A number as an operand of an operation.
[[nodiscard]] ops::Operand number_operand(const Runtime& runtime, const Value& number);

// Shapes and dims given as f(2, 3), f((2, 3)) or f([2, 3]).
[[nodiscard]] std::vector<std::int64_t> integers_of(const std::vector<Value>& values);

}  // namespace fib::reference
