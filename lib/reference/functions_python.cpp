#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "ops/elementwise.h"
#include "reference/arguments.h"
#include "reference/numbers.h"
#include "reference/operators.h"
#include "util/text.h"

// Python's own functions.
namespace fib::reference {
namespace {

double parse_float(const std::string& text) {
  const std::string digits(util::trimmed(text));
  char* end = nullptr;
  const double value = std::strtod(digits.c_str(), &end);
  if (digits.empty() || *end != '\0') throw Error("\"{}\" is not a number", text);
  return value;
}

Value int_function(const Runtime&, const Arguments& a) {
  if (!a.has("x")) return std::int64_t{0};
  const Value& x = a.value("x");
  const auto* text = x.get<std::string>();
  const auto* tensor = x.get<Tensor>();
  const bool real =
      text != nullptr || x.is<double>() || (tensor != nullptr && tensor::is_floating(tensor->dtype));
  if (!real) return to_index(x);
  const double value = std::trunc(text != nullptr ? parse_float(*text) : to_double(x));
  if (!(std::abs(value) < 0x1p63)) throw Error("{} does not fit an integer of 64 bits", value);
  return static_cast<std::int64_t>(value);
}

Value float_function(const Runtime&, const Arguments& a) {
  if (!a.has("x")) return 0.0;
  const auto* text = a.value("x").get<std::string>();
  return text != nullptr ? parse_float(*text) : a.real("x");
}

Value bool_function(const Runtime&, const Arguments& a) { return a.has("x") && is_true(a.value("x")); }
Value str_function(const Runtime&, const Arguments& a) {
  return a.has("object") ? to_text(a.value("object")) : "None";
}

Value len(const Runtime&, const Arguments& a) {
  const Value& object = a.value("object");
  if (const auto* text = object.get<std::string>()) return static_cast<std::int64_t>(text->size());
  if (const auto* range = object.get<RangeValue>()) return range->length();
  if (const auto* tensor = object.get<Tensor>()) return tensor->size(0);
  return static_cast<std::int64_t>(items_of(object).size());
}

Value range(const Runtime&, const Arguments& a) {
  RangeValue range;
  range.stop = a.integer("start");
  if (a.has("stop")) {
    range.start = range.stop;
    range.stop = a.integer("stop");
  }
  range.step = a.integer_or("step", 1);
  if (range.step == 0) throw Error("range cannot step by 0");
  return range;
}

template <python::CompareOp better>
Value best_of(const Runtime& runtime, const Arguments& a) {
  const std::vector<Value> items = a.rest().size() == 1 ? items_of(a.rest().front()) : a.rest();
  if (items.empty()) throw Error("{} of nothing does not exist", a.function_name());
  Value best = items.front();
  for (const Value& item : items) {
    if (is_true(compare(runtime, better, item, best))) best = item;
  }
  return best;
}

Value abs(const Runtime& runtime, const Arguments& a) {
  const Value& x = a.value("x");
  if (const auto* tensor = x.get<Tensor>()) return unary(runtime, ops::unary_op("abs"), *tensor);
  if (x.is<double>()) return std::abs(to_double(x));
  return to_index(x) < 0 ? number_unary(python::UnaryOp::kNegate, x) : Value(to_index(x));
}

Value sum(const Runtime& runtime, const Arguments& a) {
  Value total = a.has("start") ? a.value("start") : Value(std::int64_t{0});
  for (const Value& item : items_of(a.value("iterable")))
    total = binary_operator(runtime, python::BinaryOp::kAdd, total, item);
  return total;
}

Value round(const Runtime&, const Arguments& a) {
  const double x = a.real("x");
  if (a.has("ndigits")) {
    const double scale = std::pow(10.0, static_cast<double>(a.integer("ndigits")));
    return std::nearbyint(x * scale) / scale;
  }
  if (!(std::abs(x) < 0x1p63)) throw Error("{} does not fit an integer of 64 bits", x);
  return static_cast<std::int64_t>(std::nearbyint(x));
}

Value print(const Runtime&, const Arguments& a) {
  std::string line;
  for (const Value& value : a.rest()) line += (line.empty() ? "" : " ") + to_text(value);
  std::fputs((line + "\n").c_str(), stdout);
  return None{};
}

Value enumerate(const Runtime&, const Arguments& a) {
  std::vector<Value> pairs;
  std::int64_t index = a.integer_or("start", 0);
  for (const Value& item : items_of(a.value("iterable"))) pairs.push_back(make_tuple({Value(index++), item}));
  return make_list(std::move(pairs));
}

Value zip(const Runtime&, const Arguments& a) {
  std::vector<std::vector<Value>> columns;
  for (const Value& value : a.rest()) columns.push_back(items_of(value));
  std::size_t length = columns.empty() ? 0 : columns.front().size();
  for (const auto& column : columns) length = std::min(length, column.size());
  std::vector<Value> rows;
  for (std::size_t i = 0; i < length; ++i) {
    std::vector<Value> row;
    for (const auto& column : columns) row.push_back(column[i]);
    rows.push_back(make_tuple(std::move(row)));
  }
  return make_list(std::move(rows));
}

Value list(const Runtime&, const Arguments& a) {
  return make_list(a.has("iterable") ? items_of(a.value("iterable")) : std::vector<Value>{});
}

Value tuple(const Runtime&, const Arguments& a) {
  return make_tuple(a.has("iterable") ? items_of(a.value("iterable")) : std::vector<Value>{});
}

Value reversed(const Runtime&, const Arguments& a) {
  std::vector<Value> items = items_of(a.value("sequence"));
  std::reverse(items.begin(), items.end());
  return make_list(std::move(items));
}

Value sorted(const Runtime& runtime, const Arguments& a) {
  std::vector<Value> items = items_of(a.value("iterable"));
  const bool reverse = a.flag_or("reverse", false);
  std::stable_sort(items.begin(), items.end(), [&](const Value& x, const Value& y) {
    return is_true(compare(runtime, reverse ? python::CompareOp::kGt : python::CompareOp::kLt, x, y));
  });
  return make_list(std::move(items));
}

Value any(const Runtime&, const Arguments& a) {
  const std::vector<Value> items = items_of(a.value("iterable"));
  return std::any_of(items.begin(), items.end(), is_true);
}

Value all(const Runtime&, const Arguments& a) {
  const std::vector<Value> items = items_of(a.value("iterable"));
  return std::all_of(items.begin(), items.end(), is_true);
}

// The types are the functions that make their values: int, float, torch.Tensor, ...
bool is_instance(const Value& object, const Value& type) {
  if (const auto* types = sequence_of(type)) {
    return std::any_of(types->begin(), types->end(), [&](const Value& t) { return is_instance(object, t); });
  }
  const auto* builtin = type.get<const Builtin*>();
  if (builtin == nullptr)
    throw Error("isinstance with a type other than Python's and torch.Tensor is not supported");
  const std::string& wanted = (*builtin)->name;
  if (wanted == "int" && object.is<bool>()) return true;
  return wanted == type_name(object) || (wanted == "torch.Tensor" && object.is<Tensor>());
}

Value isinstance(const Runtime&, const Arguments& a) {
  return a.has("object") && is_instance(a.value("object"), a.value("type"));
}

Value tensor_type(const Runtime&, const Arguments& a) {
  throw Error("calling {} is not supported by the native reference engine", a.function_name());
}

Value append(const Runtime&, const Arguments& a) {
  (*a.value("list").get<ListPtr>())->push_back(a.has("item") ? a.value("item") : Value(None{}));
  return None{};
}

Value extend(const Runtime&, const Arguments& a) {
  const std::vector<Value> items = items_of(a.value("items"));
  std::vector<Value>& target = **a.value("list").get<ListPtr>();
  target.insert(target.end(), items.begin(), items.end());
  return None{};
}

Value pop(const Runtime&, const Arguments& a) {
  std::vector<Value>& items = **a.value("list").get<ListPtr>();
  const auto size = static_cast<std::int64_t>(items.size());
  const std::int64_t index = a.integer_or("index", -1);
  const std::int64_t at = index < 0 ? index + size : index;
  if (at < 0 || at >= size) throw Error("pop index {} is out of range for a list of {}", index, size);
  Value item = items[static_cast<std::size_t>(at)];
  items.erase(items.begin() + at);
  return item;
}

const DictData& dict_of(const Arguments& a) { return **a.value("dict").get<DictPtr>(); }

Value dict_get(const Runtime&, const Arguments& a) {
  for (const auto& [key, value] : dict_of(a).items) {
    if (are_equal(key, a.value("key"))) return value;
  }
  return a.has("default") ? a.value("default") : Value(None{});
}

Value dict_keys(const Runtime&, const Arguments& a) { return make_list(items_of(a.value("dict"))); }

Value dict_values(const Runtime&, const Arguments& a) {
  std::vector<Value> values;
  for (const auto& item : dict_of(a).items) values.push_back(item.second);
  return make_list(std::move(values));
}

Value dict_items(const Runtime&, const Arguments& a) {
  std::vector<Value> items;
  for (const auto& [key, value] : dict_of(a).items) items.push_back(make_tuple({key, value}));
  return make_list(std::move(items));
}

Value size_numel(const Runtime&, const Arguments& a) {
  std::int64_t count = 1;
  for (const std::int64_t size : integers_of(items_of(a.value("tuple")))) count *= size;
  return count;
}

constexpr std::array kPythonFunctions = {
    BuiltinRow{"int", kPython, "x?", int_function},
    BuiltinRow{"float", kPython, "x?", float_function},
    BuiltinRow{"bool", kPython, "x?", bool_function},
    BuiltinRow{"str", kPython, "object?", str_function},
    BuiltinRow{"len", kPython, "object", len},
    BuiltinRow{"range", kPython, "start stop? step?", range},
    BuiltinRow{"min", kPython, "*values", best_of<python::CompareOp::kLt>},
    BuiltinRow{"max", kPython, "*values", best_of<python::CompareOp::kGt>},
    BuiltinRow{"abs", kPython, "x", abs},
    BuiltinRow{"sum", kPython, "iterable start?", sum},
    BuiltinRow{"round", kPython, "x ndigits?", round},
    BuiltinRow{"print", kPython, "*values", print},
    BuiltinRow{"enumerate", kPython, "iterable start?", enumerate},
    BuiltinRow{"zip", kPython, "*iterables", zip},
    BuiltinRow{"list", kPython, "iterable?", list},
    BuiltinRow{"tuple", kPython, "iterable?", tuple},
    BuiltinRow{"reversed", kPython, "sequence", reversed},
    BuiltinRow{"sorted", kPython, "iterable reverse?", sorted},
    BuiltinRow{"any", kPython, "iterable", any},
    BuiltinRow{"all", kPython, "iterable", all},
    BuiltinRow{"isinstance", kPython, "object? type", isinstance},
    BuiltinRow{"Tensor", kTorch, "*arguments", tensor_type},
    BuiltinRow{"Size", kTorch, "iterable?", tuple},
    BuiltinRow{"list.append", kPython, "list item?", append},
    BuiltinRow{"list.extend", kPython, "list items", extend},
    BuiltinRow{"list.pop", kPython, "list index?", pop},
    BuiltinRow{"dict.get", kPython, "dict key default?", dict_get},
    BuiltinRow{"dict.keys", kPython, "dict", dict_keys},
    BuiltinRow{"dict.values", kPython, "dict", dict_values},
    BuiltinRow{"dict.items", kPython, "dict", dict_items},
    BuiltinRow{"tuple.numel", kPython, "tuple", size_numel},
};

}  // namespace

std::span<const BuiltinRow> python_functions() { return kPythonFunctions; }

}  // namespace fib::reference
