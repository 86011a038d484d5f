#include "model/workload.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>

#include "model/coerce.h"
#include "model/reader.h"

namespace fib::model {
namespace {

const std::map<std::string, InputKind, std::less<>> kKinds = {
    {"random", InputKind::random},
    {"scalar", InputKind::scalar},
    {"safetensors", InputKind::safetensors},
    {"custom", InputKind::custom},
};

std::string_view name_of(InputKind kind) {
  for (const auto& [name, known] : kKinds) {
    if (known == kind) return name;
  }
  return "random";
}

void read_kind(const json::Value& type, const std::string& path, ReadContext& context, InputSpec& input) {
  const auto found = type.kind == json::Kind::string ? kKinds.find(type.text) : kKinds.end();
  if (found == kKinds.end() || (found->second == InputKind::custom && context.mode == Mode::upstream)) {
    context.fail(path, expected_one_of({"random", "safetensors", "scalar"}));
  } else {
    input.kind = found->second;
  }
}

// Without a type, the keys decide: the kind that can use most of them, else random. Keys that do not fit
// their kind do not count.
InputKind inferred_kind(const json::Value& object) {
  const auto is_name = [&](std::string_view key) {
    const json::Value* value = object.find(key);
    return value != nullptr && value->kind == json::Kind::string && !value->text.empty();
  };
  if (is_name("path") && is_name("tensor_key")) return InputKind::safetensors;
  const json::Value* value = object.find("value");
  return value != nullptr && coerce_scalar(*value).value ? InputKind::scalar : InputKind::random;
}

Scalar read_scalar(const json::Value& value, const std::string& path, ReadContext& context) {
  Scalar scalar;
  const Coerced<AnyScalar> read = coerce_scalar(value);
  if (!read.value) {
    context.fail(path, read.error);
    return scalar;
  }
  scalar.token = value.text;
  if (const auto* integer = std::get_if<Integer>(&*read.value)) {
    scalar.value = integer->value;
    if (!integer->fits()) scalar.token = integer->digits;
  } else if (const auto* number = std::get_if<double>(&*read.value)) {
    scalar.value = *number;
  } else {
    scalar.value = std::get<bool>(*read.value);
  }
  return scalar;
}

InputSpec read_input(const json::Value& value, const std::string& path, ReadContext& context) {
  InputSpec input;
  ObjectReader object(value, path, context);
  if (!object.is_object()) return input;
  if (const json::Value* type = object.optional("type")) {
    read_kind(*type, object.path_of("type"), context, input);
  } else {
    input.kind = inferred_kind(value);
  }
  if (input.kind == InputKind::scalar) {
    const json::Value* number = object.required("value");
    if (number != nullptr) input.scalar = read_scalar(*number, object.path_of("value"), context);
  }
  if (input.kind == InputKind::safetensors) {
    input.path = object.text("path");
    input.tensor_key = object.text("tensor_key");
  }
  input.unknown = object.unknown();
  return input;
}

std::optional<double> read_limit(ObjectReader& object, std::string_view name, double most,
                                 ReadContext& context) {
  const json::Value* value = object.optional(name);
  if (value == nullptr || value->kind == json::Kind::null) return std::nullopt;
  const Coerced<double> number = coerce_double(*value);
  if (!number.value) {
    context.fail(object.path_of(name), number.error);
  } else if (!(*number.value >= 0 && *number.value <= most)) {
    context.fail(object.path_of(name), fmt::format("Input should be from 0 to {}", most));
  }
  return number.value;
}

WorkloadTolerance read_tolerance(const json::Value& value, const std::string& path, ReadContext& context) {
  constexpr double kMost = std::numeric_limits<double>::max();
  WorkloadTolerance tolerance;
  ObjectReader object(value, path, context);
  if (!object.is_object()) return tolerance;
  tolerance.max_atol = read_limit(object, "max_atol", kMost, context);
  tolerance.max_rtol = read_limit(object, "max_rtol", kMost, context);
  tolerance.required_matched_ratio = read_limit(object, "required_matched_ratio", 1, context);
  if (tolerance.required_matched_ratio == 0.0)
    context.fail(object.path_of("required_matched_ratio"), "Input should be greater than 0");
  tolerance.max_error_cap = read_limit(object, "max_error_cap", kMost, context);
  tolerance.unknown = object.unknown();
  return tolerance;
}

json::Value to_value(const WorkloadTolerance& tolerance) {
  json::Value object = json::make_object();
  const auto add = [&](const char* name, const std::optional<double>& limit) {
    if (limit) object.add(name, json::make_number(*limit));
  };
  add("max_atol", tolerance.max_atol);
  add("max_rtol", tolerance.max_rtol);
  add("required_matched_ratio", tolerance.required_matched_ratio);
  add("max_error_cap", tolerance.max_error_cap);
  add_unknown(object, tolerance.unknown);
  return object;
}

std::string text_of(const json::Value& value) {
  return json::dump(value, json::Form::compact, json::NonFinite::strings);
}

json::Value scalar_to_value(const Scalar& scalar) {
  if (const auto* boolean = std::get_if<bool>(&scalar.value)) return json::make_boolean(*boolean);
  if (const auto* number = std::get_if<double>(&scalar.value)) return json::make_number(*number);
  Integer integer(std::get<std::int64_t>(scalar.value));
  const std::size_t digits = scalar.token.find_first_not_of('-');
  const bool whole = digits != std::string::npos &&
                     scalar.token.find_first_not_of("0123456789", digits) == std::string::npos;
  const bool saturated = integer.value == std::numeric_limits<std::int64_t>::max() ||
                         integer.value == std::numeric_limits<std::int64_t>::min();
  if (saturated && whole) {  // JSON's numbers have no leading zeros
    const std::size_t first = std::min(scalar.token.find_first_not_of('0', digits), scalar.token.size() - 1);
    integer.digits = scalar.token.substr(0, digits) + scalar.token.substr(first);
  }
  return to_value(integer);
}

json::Value input_to_value(const InputSpec& input) {
  json::Value object = json::make_object();
  object.add("type", json::make_string(std::string(name_of(input.kind))));
  if (input.kind == InputKind::scalar) object.add("value", scalar_to_value(input.scalar));
  if (input.kind == InputKind::safetensors) {
    object.add("path", json::make_string(input.path));
    object.add("tensor_key", json::make_string(input.tensor_key));
  }
  add_unknown(object, input.unknown);
  return object;
}

}  // namespace

Workload read_workload_fields(const json::Value& value, const std::string& path, ReadContext& context) {
  Workload workload;
  ObjectReader object(value, path, context);
  if (!object.is_object()) return workload;
  read_map(object, "axes", context, MinLength::zero,
           [&](const auto& name, const json::Value& size, const auto& where) {
             workload.axes.emplace_back(name, read_count(size, where, context));
           });
  read_map(object, "inputs", context, MinLength::zero,
           [&](const auto& name, const json::Value& spec, const auto& where) {
             workload.inputs.emplace_back(name, read_input(spec, where, context));
           });
  constexpr std::size_t kMostNames = 1000;  // as a definition may have
  if (workload.axes.size() > kMostNames || workload.inputs.size() > kMostNames)
    context.fail(path, fmt::format("{} axes and {} inputs, more than {} of them", workload.axes.size(),
                                   workload.inputs.size(), kMostNames));
  workload.uuid = object.text("uuid");
  const json::Value* tolerance = value.find("tolerance");
  if (tolerance != nullptr && tolerance->kind != json::Kind::null && context.mode == Mode::lenient)
    workload.tolerance = read_tolerance(*object.optional("tolerance"), object.path_of("tolerance"), context);
  workload.unknown = object.unknown();
  return workload;
}

bool same_tolerance(const Workload& left, const Workload& right) {
  if (!left.tolerance || !right.tolerance) return !left.tolerance && !right.tolerance;
  const auto limits = [](const WorkloadTolerance& tolerance) {
    return std::tie(tolerance.max_atol, tolerance.max_rtol, tolerance.required_matched_ratio,
                    tolerance.max_error_cap);
  };
  return limits(*left.tolerance) == limits(*right.tolerance);
}

namespace {

std::string size_text(const Integer& value) { return text_of(to_value(value)); }

// Of an input, but for where its file lies.
std::string content_text(InputSpec input) {
  input.path.clear();
  input.unknown = {};
  // 3, 3.0 and 3e0 are one number to a float input; to another one they are refused or the same.
  if (const auto* number = std::get_if<double>(&input.scalar.value);
      number != nullptr && *number == std::trunc(*number) && std::abs(*number) < 1e15)
    input.scalar = {static_cast<std::int64_t>(*number), {}};
  return text_of(input_to_value(input));
}

}  // namespace

bool same_work(const Workload& left, const Workload& right) {
  const auto agree = [](const auto& of_left, const auto& of_right, auto&& text) {
    const auto& [few, many] = std::minmax(
        of_left, of_right, [](const auto& one, const auto& other) { return one.size() < other.size(); });
    std::map<std::string_view, std::string> texts;
    for (const auto& [name, value] : few) texts.emplace(name, text(value));
    return std::all_of(many.begin(), many.end(), [&](const auto& entry) {
      const auto known = texts.find(entry.first);
      return known == texts.end() || known->second == text(entry.second);
    });
  };
  return agree(left.axes, right.axes, size_text) && agree(left.inputs, right.inputs, content_text);
}

std::string work_key(const Workload& workload) {
  std::map<std::string, std::string> axes;
  std::map<std::string, std::string> inputs;
  for (const auto& [name, value] : workload.axes) axes.emplace(name, size_text(value));
  for (const auto& [name, value] : workload.inputs) inputs.emplace(name, content_text(value));
  std::string key = workload.uuid;
  for (const auto* part : {&axes, &inputs}) {
    key += '\n';
    for (const auto& [name, text] : *part) key += name + '=' + text + '\n';
  }
  return key;
}

Workload read_workload(const json::Value& value, Mode mode) {
  ReadContext context{mode, {}};
  Workload workload = read_workload_fields(value, "", context);
  context.finish();
  return workload;
}

Workload parse_workload(std::string_view text, Mode mode) { return read_workload(json::parse(text), mode); }

json::Value to_value(const Workload& workload, Mode mode) {
  json::Value object = json::make_object();
  json::Value axes = json::make_object();
  for (const auto& [name, size] : workload.axes) axes.add(name, to_value(size));
  object.add("axes", std::move(axes));
  json::Value inputs = json::make_object();
  for (const auto& [name, input] : workload.inputs) inputs.add(name, input_to_value(input));
  object.add("inputs", std::move(inputs));
  object.add("uuid", json::make_string(workload.uuid));
  if (workload.tolerance && mode == Mode::lenient) object.add("tolerance", to_value(*workload.tolerance));
  add_unknown(object, workload.unknown);
  return object;
}

std::string to_json(const Workload& workload, Mode mode) {
  const auto non_finite = mode == Mode::upstream ? json::NonFinite::null : json::NonFinite::strings;
  return json::dump(to_value(workload, mode), json::Form::compact, non_finite);
}

}  // namespace fib::model
