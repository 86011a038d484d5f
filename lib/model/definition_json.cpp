#include <algorithm>
#include <set>

#include "model/axis_expression.h"
#include "model/coerce.h"
#include "model/definition.h"
#include "model/reader.h"
#include "python/parser.h"

namespace fib::model {
namespace {

const std::vector<std::string_view> kDtypes = {
    "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float4_e2m1",
    "int64",   "int32",   "int16",    "int8",          "bool",
};
// SOL-ExecBench's; the second cannot be run.
const std::vector<std::string_view> kSiblingDtypes = {"float64", "float4_e2m1fn_x2"};

bool holds(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Whether an axis without a type is a constant: when it has a value. Upstream takes an unusable value for no
// value.
bool looks_const(ObjectReader& object, Mode mode) {
  const json::Value* value = object.optional("value");
  if (value == nullptr) return false;
  const std::optional<Integer> size = coerce_integer(*value).value;
  return mode == Mode::lenient || (size && size->value >= 0);
}

enum class AxisType { constant, variable, expression };

AxisType read_axis_type(ObjectReader& object, ReadContext& context, Axis& axis) {
  const json::Value* type = object.optional("type");
  axis.type_given = type != nullptr;
  if (type == nullptr) return looks_const(object, context.mode) ? AxisType::constant : AxisType::variable;
  const std::string name = type->kind == json::Kind::string ? type->text : "";
  if (name == "const") return AxisType::constant;
  if (name == "expr" && context.mode == Mode::lenient) return AxisType::expression;
  if (name != "var") context.fail(object.path_of("type"), expected_one_of({"const", "var"}));
  return AxisType::variable;
}

Axis read_axis(const json::Value& value, const std::string& path, ReadContext& context) {
  Axis axis;
  ObjectReader object(value, path, context);
  if (!object.is_object()) return axis;
  const AxisType type = read_axis_type(object, context, axis);
  if (type == AxisType::constant) {
    const json::Value* size = object.required("value");
    axis.value = size != nullptr ? read_count(*size, object.path_of("value"), context) : Integer();
  }
  if (type == AxisType::expression) axis.expression = object.text("expression");
  axis.description = object.nullable_text("description");
  axis.unknown = object.unknown();
  return axis;
}

std::string read_dtype(const std::string& text, const std::string& path, ReadContext& context) {
  // The name before September 2025.
  if (context.mode == Mode::lenient && text == "float8_e4m3") return "float8_e4m3fn";
  const bool known = holds(kDtypes, text) || (context.mode == Mode::lenient && holds(kSiblingDtypes, text));
  if (!known) context.fail(path, expected_one_of(kDtypes));
  return text;
}

TensorSpec read_tensor(const std::string& name, const json::Value& value, const std::string& path,
                       ReadContext& context) {
  TensorSpec tensor;
  tensor.name = name;
  ObjectReader object(value, path, context);
  if (!object.is_object()) return tensor;
  const json::Value* shape = object.required("shape");
  if (shape != nullptr && shape->kind != json::Kind::null) {
    tensor.shape = read_texts(*shape, object.path_of("shape"), context, MinLength::one);
  }
  if (const json::Value* dtype = object.required("dtype")) {
    const bool is_text = dtype->kind == json::Kind::string;
    tensor.dtype = read_dtype(is_text ? dtype->text : "", object.path_of("dtype"), context);
  }
  tensor.description = object.nullable_text("description");
  tensor.unknown = object.unknown();
  return tensor;
}

std::vector<TensorSpec> read_tensors(ObjectReader& parent, std::string_view field, ReadContext& context) {
  std::vector<TensorSpec> tensors;
  read_map(parent, field, context, MinLength::one,
           [&](const auto& name, const json::Value& value, const auto& path) {
             tensors.push_back(read_tensor(name, value, path, context));
           });
  return tensors;
}

// Before September 2025 the key was "type". SOL-ExecBench does without.
void read_op_type(ObjectReader& object, const json::Value& value, Definition& definition,
                  ReadContext& context) {
  const bool lenient = context.mode == Mode::lenient && value.find("op_type") == nullptr;
  const bool old = lenient && value.find("type") != nullptr;
  definition.op_type_given = !lenient || old;
  definition.op_type = definition.op_type_given ? object.text(old ? "type" : "op_type") : "unknown";
}

[[noreturn]] void refuse_definition(const std::string& message) { throw ParseError({{"", message}}); }

// Far above what people write; some checks look at each one for each other one.
void check_counts(const Definition& definition) {
  constexpr std::size_t kMost = 1000;
  constexpr std::size_t kMostDimensions = 64;
  constexpr std::size_t kMostOfAll = 4096;
  const auto expect = [](std::string_view what, std::size_t count, std::size_t most) {
    if (count > most) refuse_definition(fmt::format("{}: {} of them, more than {}", what, count, most));
  };
  expect("Axes", definition.axes.size(), kMost);
  expect("Inputs", definition.inputs.size(), kMost);
  expect("Outputs", definition.outputs.size(), kMost);
  if (definition.constraints) expect("Constraints", definition.constraints->size(), kMost);
  std::size_t all = 0;
  for (const auto* tensors : {&definition.inputs, &definition.outputs}) {
    for (const TensorSpec& tensor : *tensors) {
      if (tensor.is_scalar()) continue;
      expect(fmt::format("Dimensions of \"{}\"", tensor.name), tensor.shape->size(), kMostDimensions);
      all += tensor.shape->size();
    }
  }
  expect("Dimensions of all tensors", all, kMostOfAll);
}

// Python, read, takes a hundred times as much memory; expressions and constraints are computed for each
// workload.
void check_sizes(const Definition& definition) {
  constexpr std::size_t kMostReference = 1 << 20;
  constexpr std::size_t kMostExpressions = 16 * 1024;
  constexpr std::size_t kMostConstraints = 32 * 1024;
  const auto expect = [](std::string_view what, std::size_t bytes, std::size_t most) {
    if (bytes > most) refuse_definition(fmt::format("{}: {} bytes, more than {}", what, bytes, most));
  };
  std::size_t expressions = 0;
  std::size_t constraints = 0;
  for (const auto& [name, axis] : definition.axes)
    expressions += axis.expression ? axis.expression->size() : 0;
  for (const std::string& constraint : definition.constraints.value_or(std::vector<std::string>{}))
    constraints += constraint.size();
  expect("Reference", definition.reference.size(), kMostReference);
  expect("Expressions of all axes", expressions, kMostExpressions);
  expect("All constraints", constraints, kMostConstraints);
}

// Expressions may use constants and variables only, so that their order does not matter.
void check_expressions(const Definition& definition) {
  std::set<std::string> names;
  for (const auto& [name, axis] : definition.axes) {
    if (!axis.expression) names.insert(name);
  }
  for (const auto& [name, axis] : definition.axes) {
    if (!axis.expression) continue;
    try {
      check_axis_expression(*axis.expression, names);
    } catch (const Error& error) {
      refuse_definition(fmt::format("Axis \"{}\": {}", name, error.what()));
    }
  }
}

void check_axes(const Definition& definition, const std::vector<TensorSpec>& tensors, std::string_view kind,
                Mode mode) {
  for (const TensorSpec& tensor : tensors) {
    if (tensor.is_scalar()) continue;
    for (const std::string& axis : *tensor.shape) {
      if (find(definition.axes, axis) != nullptr || (mode == Mode::lenient && literal_size(axis))) continue;
      refuse_definition(fmt::format("{} \"{}\" references undefined axis \"{}\"", kind, tensor.name, axis));
    }
  }
}

void check_names(const Definition& definition) {
  for (const TensorSpec& output : definition.outputs) {
    const auto same = [&](const TensorSpec& input) { return input.name == output.name; };
    if (std::any_of(definition.inputs.begin(), definition.inputs.end(), same)) {
      refuse_definition("Input and output names must not overlap");
    }
  }
}

void check_reference(const Definition& definition) {
  try {
    const python::Module module = python::parse_module(definition.reference);
    if (python::find_function(module, "run") != nullptr) return;
  } catch (const python::SyntaxError& error) {
    refuse_definition(std::string("Reference must be valid Python code: ") + error.what());
  }
  refuse_definition("Reference must define a top-level function named 'run'");
}

void check_constraints(const Definition& definition) {
  if (!definition.constraints) return;
  for (const std::string& constraint : *definition.constraints) {
    try {
      static_cast<void>(python::parse_expression(constraint));
    } catch (const python::SyntaxError& error) {
      refuse_definition(std::string("Constraints must be valid Python expressions: ") + error.what());
    }
  }
}

json::Value axis_to_value(const Axis& axis) {
  json::Value object = json::make_object();
  const char* type = axis.is_const() ? "const" : axis.expression ? "expr" : "var";
  if (axis.type_given) object.add("type", json::make_string(type));
  if (axis.is_const()) object.add("value", to_value(*axis.value));
  if (axis.expression) object.add("expression", json::make_string(*axis.expression));
  add_nullable(object, "description", axis.description);
  add_unknown(object, axis.unknown);
  return object;
}

json::Value tensors_to_value(const std::vector<TensorSpec>& tensors) {
  json::Value map = json::make_object();
  for (const TensorSpec& tensor : tensors) {
    json::Value object = json::make_object();
    object.add("shape", tensor.is_scalar() ? json::make_null() : to_value(*tensor.shape));
    object.add("dtype", json::make_string(tensor.dtype));
    add_nullable(object, "description", tensor.description);
    add_unknown(object, tensor.unknown);
    map.add(tensor.name, std::move(object));
  }
  return map;
}

}  // namespace

Definition read_definition(const json::Value& value, Mode mode) {
  ReadContext context{mode, {}};
  Definition definition;
  ObjectReader object(value, "", context);
  context.finish();
  definition.name = object.text("name");
  read_op_type(object, value, definition, context);
  read_map(object, "axes", context, MinLength::one,
           [&](const auto& name, const json::Value& axis, const auto& path) {
             definition.axes.emplace_back(name, read_axis(axis, path, context));
           });
  definition.inputs = read_tensors(object, "inputs", context);
  definition.outputs = read_tensors(object, "outputs", context);
  definition.reference = object.text("reference");
  definition.tags = object.texts("tags");
  definition.description = object.nullable_text("description");
  definition.constraints = object.texts("constraints");
  definition.unknown = object.unknown();
  context.finish();
  check_counts(definition);
  check_sizes(definition);
  check_expressions(definition);
  check_axes(definition, definition.inputs, "Input", mode);
  check_axes(definition, definition.outputs, "Output", mode);
  check_names(definition);
  check_reference(definition);
  check_constraints(definition);
  return definition;
}

Definition parse_definition(std::string_view text, Mode mode) {
  return read_definition(json::parse(text), mode);
}

json::Value to_value(const Definition& definition, Mode /*mode*/) {
  json::Value object = json::make_object();
  object.add("name", json::make_string(definition.name));
  if (definition.op_type_given) object.add("op_type", json::make_string(definition.op_type));
  json::Value axes = json::make_object();
  for (const auto& [name, axis] : definition.axes) axes.add(name, axis_to_value(axis));
  object.add("axes", std::move(axes));
  object.add("inputs", tensors_to_value(definition.inputs));
  object.add("outputs", tensors_to_value(definition.outputs));
  object.add("reference", json::make_string(definition.reference));
  if (definition.tags) object.add("tags", to_value(*definition.tags));
  add_nullable(object, "description", definition.description);
  if (definition.constraints) object.add("constraints", to_value(*definition.constraints));
  add_unknown(object, definition.unknown);
  return object;
}

std::string to_json(const Definition& definition, json::Form form, Mode mode) {
  return json::dump(to_value(definition, mode), form, json::NonFinite::strings);
}

}  // namespace fib::model
