#include <algorithm>
#include <limits>

#include "ops/elementwise.h"
#include "reference/interpreter.h"

// Assignment to names and sequences, and x[...].
namespace fib::reference {
namespace {

// The positions a Python slice picks from a sequence.
std::vector<std::size_t> positions(const SliceValue& slice, std::int64_t size) {
  const std::int64_t step = slice.step.value_or(1);
  if (step == 0) throw Error("a slice cannot step by 0");
  const std::int64_t low = step > 0 ? 0 : -1;
  const std::int64_t high = step > 0 ? size : size - 1;
  const auto clip = [&](std::int64_t at) { return std::clamp(at < 0 ? at + size : at, low, high); };
  const std::int64_t start = slice.start ? clip(*slice.start) : (step > 0 ? low : high);
  const std::int64_t stop = slice.stop ? clip(*slice.stop) : (step > 0 ? high : low);
  std::vector<std::size_t> result;
  for (std::int64_t i = start; step > 0 ? i < stop : i > stop;) {
    result.push_back(static_cast<std::size_t>(i));
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  return result;
}

std::size_t position(const Value& index, std::size_t size) {
  const std::int64_t at = to_index(index);
  const auto count = static_cast<std::int64_t>(size);
  if (at < -count || at >= count) throw Error("index {} is out of range for a sequence of {}", at, count);
  return static_cast<std::size_t>(at < 0 ? at + count : at);
}

template <typename Sequence>
Sequence sliced(const Sequence& items, const SliceValue& slice) {
  Sequence result;
  for (const std::size_t i : positions(slice, static_cast<std::int64_t>(items.size())))
    result.push_back(items[i]);
  return result;
}

Value* find_key(DictData& dict, const Value& key) {
  for (auto& [existing, value] : dict.items) {
    if (are_equal(existing, key)) return &value;
  }
  return nullptr;
}

Value sequence_item(const Value& object, const Value& index) {
  const std::vector<Value>& items = *sequence_of(object);
  if (const auto* slice = index.get<SliceValue>()) {
    return object.is<ListPtr>() ? make_list(sliced(items, *slice)) : make_tuple(sliced(items, *slice));
  }
  return items[position(index, items.size())];
}

}  // namespace

void Interpreter::assign(const python::Expr& target, const Value& value) {
  if (const auto* name = std::get_if<python::Name>(&target.node)) return scope_->set(name->id, value);
  if (const auto* tuple = std::get_if<python::Tuple>(&target.node))
    return assign_items(tuple->elements, value);
  if (const auto* list = std::get_if<python::List>(&target.node)) return assign_items(list->elements, value);
  if (const auto* attribute = std::get_if<python::Attribute>(&target.node))
    return assign_attribute(*attribute);
  const auto* item = std::get_if<python::Subscript>(&target.node);
  if (item == nullptr) throw not_supported("this target of an assignment");
  const Value object = evaluate(*item->value);
  assign_subscript(object, evaluate(*item->index), value);
}

void Interpreter::assign_items(const python::Exprs& targets, const Value& value) {
  const std::vector<Value> items = items_of(value);
  const auto is_starred = [](const python::ExprPtr& e) {
    return std::holds_alternative<python::Starred>(e->node);
  };
  const auto star = std::find_if(targets.begin(), targets.end(), is_starred);
  const bool starred = star != targets.end();
  const std::size_t needed = targets.size() - (starred ? 1 : 0);
  if (items.size() < needed || (!starred && items.size() > needed)) {
    throw Error("{} values cannot be unpacked into {} names", items.size(), targets.size());
  }
  const auto before = static_cast<std::size_t>(star - targets.begin());
  const std::size_t taken = items.size() - needed;  // by the starred name
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (i == before) {
      const auto first = items.begin() + static_cast<std::ptrdiff_t>(before);
      assign(*std::get<python::Starred>(targets[i]->node).value,
             make_list({first, first + static_cast<std::ptrdiff_t>(taken)}));
    } else {
      assign(*targets[i], items[i < before ? i : i + taken - 1]);
    }
  }
}

ops::IndexPart Interpreter::to_index_part(const Value& value) {
  if (const auto* tensor = value.get<Tensor>()) return *tensor;
  if (const auto* slice = value.get<SliceValue>())
    return ops::SliceIndex{slice->start, slice->stop, slice->step.value_or(1)};
  if (value.is<None>()) return ops::NewAxis{};
  if (value.is<EllipsisValue>()) return ops::EllipsisIndex{};
  if (value.is<bool>()) throw not_supported("a bool as an index of a tensor");
  if (!value.is<ListPtr>() && !value.is<RangeValue>() && !value.is<TuplePtr>()) return to_index(value);
  const std::vector<Value> items = items_of(value);
  const bool mask = !items.empty() && items.front().is<bool>();
  Tensor indices = make_empty(runtime_, DType::kInt64, {static_cast<std::int64_t>(items.size())});
  auto* data = reinterpret_cast<std::int64_t*>(indices.data());
  for (const Value& item : items) *data++ = to_index(item);
  return mask ? converted(runtime_, indices, DType::kBool) : indices;
}

ops::Index Interpreter::to_tensor_index(const Value& index) {
  const auto* tuple = index.get<TuplePtr>();
  if (tuple == nullptr) return {to_index_part(index)};
  ops::Index result;
  for (const Value& part : (*tuple)->items) result.push_back(to_index_part(part));
  return result;
}

Value Interpreter::subscript(const Value& object, const Value& index) {
  if (const auto* tensor = object.get<Tensor>()) return get_index(runtime_, *tensor, to_tensor_index(index));
  if (sequence_of(object) != nullptr) return sequence_item(object, index);
  if (const auto* text = object.get<std::string>()) {
    if (const auto* slice = index.get<SliceValue>()) return sliced(*text, *slice);
    return std::string(1, (*text)[position(index, text->size())]);
  }
  if (const auto* dict = object.get<DictPtr>()) {
    if (const Value* value = find_key(**dict, index)) return *value;
    throw Error("the dict has no key {}", to_text(index));
  }
  if (const auto* range = object.get<RangeValue>(); range != nullptr && !index.is<SliceValue>()) {
    return range->start +
           static_cast<std::int64_t>(position(index, static_cast<std::size_t>(range->length()))) *
               range->step;
  }
  throw Error("a value of type {} cannot be indexed", type_name(object));
}

void Interpreter::assign_subscript(const Value& object, const Value& index, const Value& value) {
  if (const auto* tensor = object.get<Tensor>()) {
    if (!value.is<Tensor>() && !is_number(value))
      throw Error("a value of type {} cannot be stored in a tensor", type_name(value));
    const Tensor source = value.is<Tensor>() ? *value.get<Tensor>() : number_operand(runtime_, value).tensor;
    return set_index(runtime_, *tensor, to_tensor_index(index), source);
  }
  if (const auto* list = object.get<ListPtr>(); list != nullptr && !index.is<SliceValue>()) {
    (**list)[position(index, (*list)->size())] = value;
    return;
  }
  const auto* dict = object.get<DictPtr>();
  if (dict == nullptr) throw Error("items of a value of type {} cannot be assigned", type_name(object));
  if (Value* existing = find_key(**dict, index)) {
    *existing = value;
  } else {
    (*dict)->items.emplace_back(index, value);
  }
}

}  // namespace fib::reference
