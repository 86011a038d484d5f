#pragma once

#include <fib.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/definition.h"
#include "tensor/dtype.h"
#include "tvm_ffi/abi.h"

// The arguments of a program's call, held against a definition.
namespace fib::arguments {

constexpr std::size_t kMostAxes = 24;       // of a definition, constant ones aside
constexpr std::size_t kMostArguments = 64;  // of a call

// What tells calls of one definition apart.
struct Case {
  std::array<std::int64_t, kMostAxes> axes{};  // values of Signature::axes(), in that order; the rest is 0
  std::int32_t device_type =
      tvm_ffi::kCpu;  // of all tensors, as DLPack has it; of the first with Placement::any
  std::int32_t device_id = 0;

  friend bool operator==(const Case&, const Case&) = default;
};

// How arguments fit.
enum class Fit { fits, wrong, strided, unaligned };

// Where the tensors of a call may lie: all on one device, which solutions expect, or each on any.
enum class Placement { one_device, any };

// One input or output.
struct Parameter {
  struct Dimension {
    bool is_axis = false;
    std::int64_t value = 0;  // the axis's place in Signature::axes(), or the size
  };
  std::string name;
  bool scalar = false;  // an input without a shape; such outputs are tensors without axes
  tensor::DType dtype{};
  tvm_ffi::DataType data_type{};
  std::vector<Dimension> shape;
};

// A definition's inputs and outputs, ready to be compared with arguments. Immutable; any thread.
class Signature {
 public:
  // Throws Error when the definition has a dtype that DLPack does not have, or more axes or arguments than
  // above.
  explicit Signature(const model::Definition& definition);

  // Variable axes in the definition's order, then those that are expressions.
  [[nodiscard]] const std::vector<std::string>& axes() const { return axes_; }
  [[nodiscard]] std::size_t variable_axes() const { return variable_axes_; }
  [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }  // inputs, outputs
  [[nodiscard]] std::size_t inputs() const { return inputs_; }
  [[nodiscard]] std::size_t outputs() const { return parameters_.size() - inputs_; }

  // Compares `count` arguments, which are the inputs, or the inputs and outputs: kinds, dtypes, ranks, sizes,
  // devices, strides and addresses; fills `found`. With Placement::any devices may differ, and the one in
  // `found` is that of the first tensor. Axes that no argument shows stay 0: calls without outputs may have
  // such. Whether axes that are expressions have their values is not looked at (axis_values() does).
  // Allocates nothing.
  [[nodiscard]] Fit match(const fib_value* arguments, std::size_t count, Case& found,
                          Placement placement = Placement::one_device) const noexcept;

  // What match() does not like, in a sentence; "" when it fits.
  [[nodiscard]] std::string explain(const fib_value* arguments, std::size_t count,
                                    Placement placement = Placement::one_device) const;

  // The values of all axes of a case, constants included. Throws Error when an axis that is an expression has
  // another value than that of its expression.
  [[nodiscard]] model::AxisValues axis_values(const Case& found) const;

  // The case on that device with these values of the variable axes. Throws Error as model::axis_values().
  [[nodiscard]] Case case_of(const model::Ordered<model::Integer>& variables, std::int32_t device_type,
                             std::int32_t device_id) const;

  [[nodiscard]] std::vector<std::int64_t> shape_of(const Parameter& parameter, const Case& found) const;

 private:
  struct Matching;  // how far a comparison has come
  [[nodiscard]] static bool is_elsewhere(const fib_tensor& tensor, const Matching& matching) noexcept;
  [[nodiscard]] Fit match_one(std::size_t place, const fib_value& value, Matching& matching) const noexcept;
  [[nodiscard]] std::string explain_one(std::size_t place, const fib_value& value, Matching& matching) const;

  model::Definition definition_;  // without its reference
  std::vector<std::string> axes_;
  std::size_t variable_axes_ = 0;
  std::vector<Parameter> parameters_;
  std::size_t inputs_ = 0;
};

}  // namespace fib::arguments

// Cases are keys of hash tables.
template <>
struct std::hash<fib::arguments::Case> {
  std::size_t operator()(const fib::arguments::Case& key) const noexcept;
};
