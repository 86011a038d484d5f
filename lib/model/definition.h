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

// One symbolic dimension: a constant, a variable that every workload gives a value, or (lenient mode, from
// SOL-ExecBench) an expression over these.
struct Axis {
  std::optional<Integer> value;           // of a constant
  std::optional<std::string> expression;  // see axis_expression.h
  bool type_given = true;                 // the "type" key was present (it is written back only then)
  NullableText description;
  Unknown unknown;

  [[nodiscard]] bool is_const() const { return value.has_value(); }
  [[nodiscard]] bool is_var() const { return !value && !expression; }
};

// One input or output.
struct TensorSpec {
  std::string name;
  // Axis names, in lenient mode also sizes ("1"); nothing: a Python scalar; empty: a 0-D tensor.
  std::optional<std::vector<std::string>> shape;
  std::string dtype;  // one of the format's names, "float32", "bool", ...
  NullableText description;
  Unknown unknown;  // for example "optional"

  [[nodiscard]] bool is_scalar() const { return !shape.has_value(); }
};

// What to compute.
struct Definition {
  std::string name;
  std::string op_type;  // "unknown" where it was not given, which lenient mode takes
  bool op_type_given = true;
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

// SHA-256 (64 hex digits) over everything that decides what is computed and on which inputs, every part with
// its length: axes, inputs and outputs with shapes, dtypes and members that the format does not know,
// constraints, and the reference. Not name, op type, tags and descriptions.
[[nodiscard]] std::string content_sha256(const Definition& definition);

// Reads one document. Throws ParseError: all field errors, or the first broken rule of the model.
[[nodiscard]] Definition parse_definition(std::string_view text, Mode mode = Mode::lenient);
[[nodiscard]] Definition read_definition(const json::Value& value, Mode mode = Mode::lenient);

// Only the keys that were present are written, in the format's order. No final newline.
[[nodiscard]] json::Value to_value(const Definition& definition, Mode mode = Mode::lenient);
[[nodiscard]] std::string to_json(const Definition& definition, json::Form form = json::Form::indented,
                                  Mode mode = Mode::lenient);

// The size that an entry of a shape says itself ("1"); nothing for the name of an axis. Throws Error when it
// does not fit 64 bits.
[[nodiscard]] std::optional<std::int64_t> literal_size(std::string_view entry);

// The names of the variable axes, in the definition's order.
[[nodiscard]] std::vector<std::string> var_axes(const Definition& definition);

// Values of all axes: the constants, `variables` (a workload's axes), and what follows from them. Throws
// Error naming the axis when a variable axis has no value, when `variables` names no axis or contradicts a
// constant or an expression, when an expression has no value, or when a value is beyond int64_t.
[[nodiscard]] AxisValues axis_values(const Definition& definition, const Ordered<Integer>& variables);

// The tensor's sizes; nothing for a scalar. Throws Error when `values` lacks an axis and when a size does not
// fit 64 bits.
[[nodiscard]] std::optional<std::vector<std::int64_t>> shape_of(const TensorSpec& tensor,
                                                                const AxisValues& values);

// Shapes in the order of definition.inputs, and the values of the variable axes that follow from them. An
// entry may be nothing for a scalar input. Constants and expressions are not compared. Throws Error with the
// format's messages: wrong rank, contradicting values, variable axes that no input shows.
[[nodiscard]] AxisValues axis_values_from_shapes(
    const Definition& definition, const std::vector<std::optional<std::vector<std::int64_t>>>& input_shapes);

}  // namespace fib::model
