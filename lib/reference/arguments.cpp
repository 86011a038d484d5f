#include "reference/arguments.h"

#include <algorithm>
#include <array>

#include "ops/elementwise.h"
#include "util/error.h"

namespace fib::reference {
namespace {

constexpr std::array<std::string_view, 8> kIgnored = {"device",        "requires_grad", "non_blocking",
                                                      "memory_format", "pin_memory",    "layout",
                                                      "generator",     "stacklevel"};

}  // namespace

ops::Operand number_operand(const Runtime& runtime, const Value& number) {
  if (const auto* d = number.get<double>()) return {scalar_tensor(runtime, DType::kFloat64, *d), true};
  if (const auto* b = number.get<bool>())
    return {scalar_tensor(runtime, DType::kBool, std::int64_t{*b}), true};
  return {scalar_tensor(runtime, DType::kInt64, to_index(number)), true};
}

std::vector<std::int64_t> integers_of(const std::vector<Value>& values) {
  std::vector<std::int64_t> result;
  if (values.size() == 1 && sequence_of(values.front()) != nullptr)
    return integers_of(*sequence_of(values.front()));
  for (const Value& value : values) result.push_back(to_index(value));
  return result;
}

Arguments::Arguments(const Builtin& builtin, std::vector<Value> positional, KeywordValues keywords)
    : builtin_(builtin), bound_(builtin.parameters.size()) {
  std::size_t next = 0;
  for (Value& value : positional) {
    if (next < bound_.size() && builtin.parameters[next].rest) {
      rest_.push_back(std::move(value));
    } else if (next < bound_.size()) {
      bound_[next++] = std::move(value);
    } else {
      throw Error("{} takes at most {} arguments", builtin.name, bound_.size());
    }
  }
  for (auto& keyword : keywords) bind_keyword(std::move(keyword));
  for (std::size_t i = 0; i < bound_.size(); ++i) {
    const BuiltinParameter& parameter = builtin.parameters[i];
    const bool given = bound_[i].has_value() || (parameter.rest && !rest_.empty());
    if (!given && !parameter.optional && !parameter.rest)
      throw Error("{} needs an argument \"{}\"", builtin.name, parameter.name);
  }
}

void Arguments::bind_keyword(std::pair<std::string, Value> keyword) {
  for (std::size_t i = 0; i < bound_.size(); ++i) {
    const BuiltinParameter& parameter = builtin_.parameters[i];
    // numpy's names, which torch accepts.
    const bool alias = (keyword.first == "axis" && parameter.name == "dim") ||
                       (keyword.first == "keepdims" && parameter.name == "keepdim");
    if (keyword.first != parameter.name && !alias) continue;
    if (bound_[i] || (parameter.rest && !rest_.empty()))
      throw Error("{} got \"{}\" twice", builtin_.name, parameter.name);
    if (parameter.rest)
      rest_.push_back(std::move(keyword.second));
    else
      bound_[i] = std::move(keyword.second);
    return;
  }
  if (std::find(kIgnored.begin(), kIgnored.end(), keyword.first) != kIgnored.end()) return;
  throw Error("{} with the argument \"{}\" is not supported by the native reference engine", builtin_.name,
              keyword.first);
}

std::size_t Arguments::position(std::string_view name) const {
  for (std::size_t i = 0; i < bound_.size(); ++i) {
    if (builtin_.parameters[i].name == name) return i;
  }
  throw Error("{} has no parameter \"{}\"", builtin_.name, name);
}

const Value* Arguments::find(std::string_view name) const {
  const std::optional<Value>& value = bound_[position(name)];
  return value && !value->is<None>() ? &*value : nullptr;
}

Error Arguments::wrong(std::string_view name, const char* needed, const Value& value) const {
  return Error("{} needs {} for \"{}\", not a value of type {}", builtin_.name, needed, name,
               type_name(value));
}

const Value& Arguments::value(std::string_view name) const {
  const Value* found = find(name);
  if (found == nullptr) throw Error("{} needs an argument \"{}\"", builtin_.name, name);
  return *found;
}

Tensor Arguments::tensor(std::string_view name) const {
  const Value& found = value(name);
  if (const auto* tensor = found.get<Tensor>()) return *tensor;
  throw wrong(name, "a tensor", found);
}

std::vector<Tensor> Arguments::tensors(std::string_view name) const {
  const Value& found = value(name);
  std::vector<Tensor> result;
  for (const Value& item : items_of(found)) {
    const auto* tensor = item.get<Tensor>();
    if (tensor == nullptr) throw wrong(name, "tensors", item);
    result.push_back(*tensor);
  }
  return result;
}

ops::Operand Arguments::operand(const Runtime& runtime, std::string_view name) const {
  const Value& found = value(name);
  if (const auto* tensor = found.get<Tensor>()) return {*tensor, false};
  if (!is_number(found)) throw wrong(name, "a tensor or a number", found);
  return number_operand(runtime, found);
}

std::int64_t Arguments::integer(std::string_view name) const {
  const Value& found = value(name);
  if (found.is<double>() || (!is_number(found) && !found.is<Tensor>()))
    throw wrong(name, "an integer", found);
  return to_index(found);
}

std::int64_t Arguments::integer_or(std::string_view name, std::int64_t otherwise) const {
  return has(name) ? integer(name) : otherwise;
}

double Arguments::real(std::string_view name) const {
  const Value& found = value(name);
  if (!is_number(found) && !found.is<Tensor>()) throw wrong(name, "a number", found);
  return to_double(found);
}

double Arguments::real_or(std::string_view name, double otherwise) const {
  return has(name) ? real(name) : otherwise;
}

bool Arguments::flag_or(std::string_view name, bool otherwise) const {
  return has(name) ? is_true(value(name)) : otherwise;
}

std::optional<DType> Arguments::dtype(std::string_view name) const {
  if (!has(name)) return std::nullopt;
  const auto* dtype = value(name).get<DType>();
  if (dtype == nullptr) throw wrong(name, "a dtype", value(name));
  return *dtype;
}

std::string Arguments::text(std::string_view name) const {
  const auto* text = value(name).get<std::string>();
  if (text == nullptr) throw wrong(name, "a string", value(name));
  return *text;
}

std::vector<std::int64_t> Arguments::integers(std::string_view name) const {
  if (!has(name)) return {};
  const Value& found = value(name);
  if (const auto* items = sequence_of(found)) return integers_of(*items);
  return {integer(name)};
}

}  // namespace fib::reference
