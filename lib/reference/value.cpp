#include "reference/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ops/elementwise.h"
#include "reference/registry.h"
#include "util/error.h"

namespace fib::reference {
namespace {

struct TypeName {
  std::string operator()(const None&) const { return "NoneType"; }
  std::string operator()(bool) const { return "bool"; }
  std::string operator()(std::int64_t) const { return "int"; }
  std::string operator()(double) const { return "float"; }
  std::string operator()(const std::string&) const { return "str"; }
  std::string operator()(const Tensor&) const { return "Tensor"; }
  std::string operator()(const TuplePtr&) const { return "tuple"; }
  std::string operator()(const ListPtr&) const { return "list"; }
  std::string operator()(const DictPtr&) const { return "dict"; }
  std::string operator()(const RangeValue&) const { return "range"; }
  std::string operator()(const SliceValue&) const { return "slice"; }
  std::string operator()(const EllipsisValue&) const { return "ellipsis"; }
  std::string operator()(DType) const { return "torch.dtype"; }
  std::string operator()(const DeviceValue&) const { return "torch.device"; }
  std::string operator()(const ContextValue&) const { return "context manager"; }
  std::string operator()(const FunctionPtr&) const { return "function"; }
  std::string operator()(const Builtin*) const { return "builtin function"; }
  std::string operator()(const MethodPtr&) const { return "builtin method"; }
  std::string operator()(const ModuleValue&) const { return "module"; }
  std::string operator()(const DTypeInfo&) const { return "torch.finfo"; }
};

constexpr std::uint64_t kMost = std::uint64_t{1} << 62;  // a longer range is never walked to its end

void check_length(std::int64_t length) {
  constexpr std::int64_t kMostItems = 1 << 24;
  if (length > kMostItems) throw Error("a sequence of more than {} items is not supported", kMostItems);
}

std::string join(const std::vector<Value>& items) {
  std::string text;
  for (const Value& item : items) {
    const auto* string = item.get<std::string>();
    text += (text.empty() ? "" : ", ") + (string != nullptr ? "'" + *string + "'" : to_text(item));
  }
  return text;
}

std::string float_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return fmt::format("{}", value).find_first_of(".e") == std::string::npos ? fmt::format("{}.0", value)
                                                                           : fmt::format("{}", value);
}

std::string tensor_text(const Tensor& tensor) {
  if (tensor.rank() == 0) return fmt::format("tensor({})", to_text(item_of(tensor)));
  return fmt::format("tensor(shape={}, dtype=torch.{})", tensor::to_string(tensor.shape),
                     tensor::name_of(tensor.dtype));
}

}  // namespace

std::int64_t RangeValue::length() const {
  // In unsigned arithmetic, where no difference overflows.
  const auto distance = [](std::int64_t high, std::int64_t low) {
    return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) - 1;
  };
  const auto count = [](std::uint64_t steps) {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(steps, kMost)) + 1;
  };
  if (step > 0) return stop > start ? count(distance(stop, start) / static_cast<std::uint64_t>(step)) : 0;
  return start > stop ? count(distance(start, stop) / (std::uint64_t{0} - static_cast<std::uint64_t>(step)))
                      : 0;
}

Value make_tuple(std::vector<Value> items, std::vector<std::string> names) {
  return std::make_shared<const TupleData>(TupleData{std::move(items), std::move(names)});
}

Value make_list(std::vector<Value> items) { return std::make_shared<std::vector<Value>>(std::move(items)); }

Value make_size(const Shape& shape) { return make_tuple({shape.begin(), shape.end()}); }

std::string type_name(const Value& value) { return std::visit(TypeName{}, value.kind); }

std::string to_text(const Value& value) {
  if (value.is<None>()) return "None";
  if (const auto* b = value.get<bool>()) return *b ? "True" : "False";
  if (const auto* i = value.get<std::int64_t>()) return std::to_string(*i);
  if (const auto* d = value.get<double>()) return float_text(*d);
  if (const auto* s = value.get<std::string>()) return *s;
  if (const auto* t = value.get<Tensor>()) return tensor_text(*t);
  if (const auto* dtype = value.get<DType>()) return fmt::format("torch.{}", tensor::name_of(*dtype));
  if (value.is<DeviceValue>()) return "cpu";
  if (const auto* list = value.get<ListPtr>()) return "[" + join(**list) + "]";
  if (const auto* tuple = value.get<TuplePtr>())
    return "(" + join((*tuple)->items) + ((*tuple)->items.size() == 1 ? ",)" : ")");
  return "<" + type_name(value) + ">";
}

bool is_true(const Value& value) {
  if (value.is<None>()) return false;
  if (const auto* b = value.get<bool>()) return *b;
  if (const auto* i = value.get<std::int64_t>()) return *i != 0;
  if (const auto* d = value.get<double>()) return *d != 0;
  if (const auto* s = value.get<std::string>()) return !s->empty();
  if (const auto* range = value.get<RangeValue>()) return range->length() != 0;
  if (const auto* dict = value.get<DictPtr>()) return !(*dict)->items.empty();
  if (const auto* items = sequence_of(value)) return !items->empty();
  const auto* tensor = value.get<Tensor>();
  if (tensor == nullptr) return true;
  if (tensor->numel() != 1) {
    throw Error("a tensor of shape {} is neither true nor false; use any() or all()",
                tensor::to_string(tensor->shape));
  }
  return item_as_double(*tensor) != 0;
}

bool is_number(const Value& value) {
  return value.is<bool>() || value.is<std::int64_t>() || value.is<double>();
}

std::vector<Value> items_of(const Value& value) {
  if (const auto* items = sequence_of(value)) return *items;
  std::vector<Value> result;
  if (const auto* range = value.get<RangeValue>()) {
    check_length(range->length());
    for (std::int64_t i = 0; i < range->length(); ++i) result.emplace_back(range->start + i * range->step);
    return result;
  }
  if (const auto* dict = value.get<DictPtr>()) {
    for (const auto& item : (*dict)->items) result.push_back(item.first);
    return result;
  }
  if (const auto* text = value.get<std::string>()) {
    for (const char c : *text) result.emplace_back(std::string(1, c));
    return result;
  }
  const auto* tensor = value.get<Tensor>();
  if (tensor == nullptr) throw Error("a value of type {} cannot be iterated over", type_name(value));
  if (tensor->rank() == 0) throw Error("a tensor without dimensions cannot be iterated over");
  check_length(tensor->size(0));
  for (std::int64_t i = 0; i < tensor->size(0); ++i) result.emplace_back(select(*tensor, 0, i));
  return result;
}

double to_double(const Value& value) {
  if (const auto* d = value.get<double>()) return *d;
  if (const auto* i = value.get<std::int64_t>()) return static_cast<double>(*i);
  if (const auto* b = value.get<bool>()) return *b ? 1.0 : 0.0;
  if (const auto* tensor = value.get<Tensor>()) return item_as_double(*tensor);
  throw Error("a number is needed, not a value of type {}", type_name(value));
}

std::int64_t to_index(const Value& value) {
  if (const auto* i = value.get<std::int64_t>()) return *i;
  if (const auto* b = value.get<bool>()) return *b ? 1 : 0;
  const auto* tensor = value.get<Tensor>();
  if (tensor != nullptr && !tensor::is_floating(tensor->dtype)) return item_as_int(*tensor);
  throw Error("an integer is needed, not a value of type {}", type_name(value));
}

Value item_of(const Tensor& tensor) {
  if (tensor.dtype == DType::kBool) return item_as_int(tensor) != 0;
  if (tensor::is_floating(tensor.dtype)) return item_as_double(tensor);
  return item_as_int(tensor);
}

const std::vector<Value>* sequence_of(const Value& value) {
  if (const auto* tuple = value.get<TuplePtr>()) return &(*tuple)->items;
  if (const auto* list = value.get<ListPtr>()) return list->get();
  return nullptr;
}

bool are_equal(const Value& a, const Value& b) {
  if (is_number(a) && is_number(b)) {
    const bool integers = !a.is<double>() && !b.is<double>();
    return integers ? to_index(a) == to_index(b) : to_double(a) == to_double(b);
  }
  if (a.kind.index() != b.kind.index()) return false;
  if (const auto* s = a.get<std::string>()) return *s == *b.get<std::string>();
  if (const auto* dtype = a.get<DType>()) return *dtype == *b.get<DType>();
  if (const auto* builtin = a.get<const Builtin*>()) return *builtin == *b.get<const Builtin*>();
  if (const auto* items = sequence_of(a)) {
    const std::vector<Value>& others = *sequence_of(b);
    return std::equal(items->begin(), items->end(), others.begin(), others.end(), are_equal);
  }
  return a.is<None>() || a.is<DeviceValue>() || a.is<EllipsisValue>();
}

}  // namespace fib::reference
