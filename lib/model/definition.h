#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/errors.h"
#include "model/fields.h"

namespace fib::model {

// One symbolic dimension: a constant, or a variable that every workload gives a value.
struct Axis {
  std::optional<Integer> value;  // nothing: a variable axis
  bool type_given = true;        // the "type" key was present (it is written back only then)
  NullableText description;
  Unknown unknown;

  [[nodiscard]] bool is_const() const { return value.has_value(); }
};

// One input or output.
struct TensorSpec {
  std::string name;
  std::optional<std::vector<std::string>> shape;  // axis names; nothing: a Python scalar; empty: a 0-D tensor
  std::string dtype;                              // one of the format's names, "float32", "bool", ...
  NullableText description;
  Unknown unknown;  // for example "optional"

  [[nodiscard]] bool is_scalar() const { return !shape.has_value(); }
};

// What to compute.
struct Definition {
  std::string name;
  std::string op_type;
  Ordered<Axis> axes;
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;
  std::string reference;  // Python source with a top-level function `run`
  std::optional<std::vector<std::string>> tags;
  NullableText description;
  std::optional<std::vector<std::string>> constraints;  // Python expressions
  Unknown unknown;
};

using AxisValues = std::map<std::string, std::int64_t>;

// Reads one document. Throws ParseError: all field errors, or the first broken rule of the model.
[[nodiscard]] Definition parse_definition(std::string_view text, Mode mode = Mode::lenient);
[[nodiscard]] Definition read_definition(const json::Value& value, Mode mode = Mode::lenient);

// Only the keys that were present are written, in the format's order. No final newline.
[[nodiscard]] json::Value to_value(const Definition& definition, Mode mode = Mode::lenient);
[[nodiscard]] std::string to_json(const Definition& definition, json::Layout layout = json::Layout::indented,
                                  Mode mode = Mode::lenient);

// The names of the variable axes, in the definition's order.
[[nodiscard]] std::vector<std::string> var_axes(const Definition& definition);

// Values of all axes: the constants, and `variables` (a workload's axes) for the others. Throws Error naming
// the axis when a variable axis has no value, when `variables` names no axis or contradicts a constant, or
// when a value is beyond int64_t.
[[nodiscard]] AxisValues axis_values(const Definition& definition, const Ordered<Integer>& variables);

// The tensor's sizes; nothing for a scalar. Throws Error when `values` lacks an axis.
[[nodiscard]] std::optional<std::vector<std::int64_t>> shape_of(const TensorSpec& tensor,
                                                                const AxisValues& values);

// Shapes in the order of definition.inputs, and the values of the variable axes that follow from them. An
// entry may be nothing for a scalar input. Constants are not compared. Throws Error with the format's
// messages: wrong rank, contradicting values, variable axes that no input shows.
[[nodiscard]] AxisValues axis_values_from_shapes(
    const Definition& definition, const std::vector<std::optional<std::vector<std::int64_t>>>& input_shapes);

}  // namespace fib::model
