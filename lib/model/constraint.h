#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "python/ast.h"

// Evaluates the constraints of definitions: comparisons of integer expressions over axes,
// `tensor.shape[i]` and `tensor[i].item()`, joined by `and` and `or`.
namespace fib::model {

// What names stand for. Each function gives nothing when the value is not known (or is no integer).
class ConstraintValues {
 public:
  virtual ~ConstraintValues() = default;
  [[nodiscard]] virtual std::optional<std::int64_t> value(const std::string& name) const = 0;
  // The size of dimension `index` of a tensor; negative indices count from the end.
  [[nodiscard]] virtual std::optional<std::int64_t> size(const std::string& tensor,
                                                         std::int64_t index) const = 0;
  // Element `index` of a tensor with one dimension.
  [[nodiscard]] virtual std::optional<std::int64_t> element(const std::string& tensor,
                                                            std::int64_t index) const = 0;
};

enum class ConstraintVerdict { holds, broken, unknown };

struct ConstraintJudgement {
  ConstraintVerdict verdict = ConstraintVerdict::unknown;
  std::string comparison;  // of a broken one, with values: "100 == 96"
};

// Unknown when a value is, when a result does not fit 64 bits or divides by zero, and for any other Python.
[[nodiscard]] ConstraintJudgement judge_constraint(const python::Expr& constraint,
                                                   const ConstraintValues& values);

// The value of an integer expression; nothing where a constraint with it would be unknown.
[[nodiscard]] std::optional<std::int64_t> number_of(const python::Expr& expression,
                                                    const ConstraintValues& values);

// The names that `constraint` looks up, in order, each once; functions that it calls by name do not count.
[[nodiscard]] std::vector<std::string> names_in_constraint(const python::Expr& constraint);

}  // namespace fib::model
