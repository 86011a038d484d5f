#include "model/definition.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "model/axis_expression.h"
#include "util/hash.h"

namespace fib::model {
namespace {

std::int64_t computable(const std::string& name, const Integer& value) {
  if (value.fits()) return value.value;
  throw Error("axis \"{}\" is {}, more than a 64-bit integer holds; use a smaller size", name, value.digits);
}

void check_known(const Definition& definition, const std::string& name, const Integer& value) {
  const Axis* axis = find(definition.axes, name);
  if (axis == nullptr) {
    throw Error("axis \"{}\" is not an axis of definition \"{}\"; remove it from the workload", name,
                definition.name);
  }
  if (axis->is_const() && *axis->value != value) {
    throw Error("axis \"{}\" is {} in definition \"{}\" and {} in the workload; constants cannot be changed",
                name, axis->value->value, definition.name, value.value);
  }
}

// Adds the axes that follow from those in `values`. `given` may name them too, with the same value.
void add_expressions(const Definition& definition, const Ordered<Integer>& given, AxisValues& values) {
  AxisValues following;
  for (const auto& [name, axis] : definition.axes) {
    if (!axis.expression) continue;
    const std::int64_t value = axis_expression_value(*axis.expression, values);
    const Integer* said = find(given, name);
    if (said != nullptr && *said != Integer(value)) {
      throw Error("axis \"{}\" is {} = {} in definition \"{}\" and {} in the workload", name,
                  *axis.expression, value, definition.name, said->value);
    }
    following.emplace(name, value);
  }
  values.merge(following);
}

void add_axis(util::Sha256& hash, const std::string& name, const Axis& axis) {
  hash.add(name);
  if (axis.is_const()) {
    hash.add("const").add(axis.value->fits() ? std::to_string(axis.value->value) : axis.value->digits);
  } else {
    hash.add(axis.is_var() ? "var" : "expr").add(axis.expression.value_or(""));
  }
}

void add_tensor(util::Sha256& hash, const TensorSpec& tensor) {
  hash.add(tensor.name).add(tensor.dtype).add(tensor.is_scalar() ? "scalar" : "tensor");
  const auto shape = tensor.shape.value_or(std::vector<std::string>());
  hash.add(static_cast<std::uint64_t>(shape.size()));
  for (const std::string& entry : shape) hash.add(entry);
  hash.add(static_cast<std::uint64_t>(tensor.unknown.size()));
  for (const auto& [name, value] : tensor.unknown)
    hash.add(name).add(json::dump(value, json::Form::compact, json::NonFinite::strings));
}

using Shape = std::vector<std::int64_t>;

// Notes the sizes of the variable axes that one input shows.
void bind_input(const Definition& definition, const TensorSpec& input, const Shape& shape,
                AxisValues& values) {
  const auto& names = *input.shape;
  if (names.size() != shape.size()) {
    throw Error("Input '{}''s defined dimension is {} but the actual dimension is {}", input.name,
                names.size(), shape.size());
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Axis* axis = find(definition.axes, names[i]);
    if (axis == nullptr || !axis->is_var()) continue;
    const auto [bound, is_new] = values.emplace(names[i], shape[i]);
    if (!is_new && bound->second != shape[i]) {
      throw Error("Axis '{}' has different values for different input tensors: {} and {}", names[i],
                  bound->second, shape[i]);
    }
  }
}

}  // namespace

std::string content_sha256(const Definition& definition) {
  util::Sha256 hash;
  hash.add("fib definition 1").add(static_cast<std::uint64_t>(definition.axes.size()));
  for (const auto& [name, axis] : definition.axes) add_axis(hash, name, axis);
  for (const auto* tensors : {&definition.inputs, &definition.outputs}) {
    hash.add(static_cast<std::uint64_t>(tensors->size()));
    for (const TensorSpec& tensor : *tensors) add_tensor(hash, tensor);
  }
  const auto constraints = definition.constraints.value_or(std::vector<std::string>());
  hash.add(static_cast<std::uint64_t>(constraints.size()));
  for (const std::string& constraint : constraints) hash.add(constraint);
  return hash.add(definition.reference).hex();
}

std::optional<std::int64_t> literal_size(std::string_view entry) {
  if (entry.empty() || entry.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  std::int64_t size = 0;
  const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), size);
  if (error != std::errc()) throw Error("the size {} in a shape is more than 64 bits hold", entry);
  return size;
}

std::vector<std::string> var_axes(const Definition& definition) {
  std::vector<std::string> names;
  for (const auto& [name, axis] : definition.axes) {
    if (axis.is_var()) names.push_back(name);
  }
  return names;
}

AxisValues axis_values(const Definition& definition, const Ordered<Integer>& variables) {
  for (const auto& [name, value] : variables) check_known(definition, name, value);
  AxisValues values;
  for (const auto& [name, axis] : definition.axes) {
    if (axis.expression) continue;
    const Integer* value = axis.is_const() ? &*axis.value : find(variables, name);
    if (value == nullptr) {
      throw Error("axis \"{}\" of definition \"{}\" has no value; add it to the workload's axes", name,
                  definition.name);
    }
    values.emplace(name, computable(name, *value));
  }
  add_expressions(definition, variables, values);
  return values;
}

std::optional<Shape> shape_of(const TensorSpec& tensor, const AxisValues& values) {
  if (tensor.is_scalar()) return std::nullopt;
  Shape shape;
  for (const std::string& name : *tensor.shape) {
    const auto value = values.find(name);
    const auto size = value != values.end() ? value->second : literal_size(name);
    if (!size) throw Error("Missing value for variable axis '{}'", name);
    shape.push_back(*size);
  }
  return shape;
}

AxisValues axis_values_from_shapes(const Definition& definition,
                                   const std::vector<std::optional<Shape>>& input_shapes) {
  if (input_shapes.size() != definition.inputs.size()) {
    throw Error("definition \"{}\" has {} inputs but {} shapes were given", definition.name,
                definition.inputs.size(), input_shapes.size());
  }
  AxisValues values;
  for (std::size_t i = 0; i < input_shapes.size(); ++i) {
    const TensorSpec& input = definition.inputs[i];
    if (!input.is_scalar()) bind_input(definition, input, input_shapes[i].value_or(Shape()), values);
  }
  std::vector<std::string> missing;
  for (const std::string& name : var_axes(definition)) {
    if (!values.contains(name)) missing.push_back("'" + name + "'");
  }
  if (!missing.empty()) throw Error("Missing values for variable axes: {{{}}}", fmt::join(missing, ", "));
  return values;
}

}  // namespace fib::model
