#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "ops/tensor_math.h"
#include "reference/arguments.h"

namespace fib::reference {
namespace {

Tensor filled(const Runtime& runtime, DType dtype, const Shape& shape, const Value& value) {
  Tensor result = make_empty(runtime, dtype, shape);
  copy_into(runtime, number_operand(runtime, value).tensor, result);
  return result;
}

// What torch.full and torch.tensor make of a Python number.
DType dtype_of_number(const Value& number) {
  if (number.is<bool>()) return DType::kBool;
  return number.is<double>() ? DType::kFloat32 : DType::kInt64;
}

Value zeros(const Runtime& runtime, const Arguments& a) {
  return make_zeros(runtime, a.dtype().value_or(DType::kFloat32), integers_of(a.rest()));
}

Value ones(const Runtime& runtime, const Arguments& a) {
  return filled(runtime, a.dtype().value_or(DType::kFloat32), integers_of(a.rest()), std::int64_t{1});
}

// The fill value may be a tensor of one element.
Value plain_number(const Value& value) {
  const auto* tensor = value.get<Tensor>();
  return tensor != nullptr ? item_of(*tensor) : value;
}

Value full(const Runtime& runtime, const Arguments& a) {
  const Value value = plain_number(a.value("fill_value"));
  return filled(runtime, a.dtype().value_or(dtype_of_number(value)), a.integers("size"), value);
}

Value zeros_like(const Runtime& runtime, const Arguments& a) {
  const Tensor input = a.tensor("input");
  return make_zeros(runtime, a.dtype().value_or(input.dtype), input.shape);
}

Value ones_like(const Runtime& runtime, const Arguments& a) {
  const Tensor input = a.tensor("input");
  return filled(runtime, a.dtype().value_or(input.dtype), input.shape, std::int64_t{1});
}

Value full_like(const Runtime& runtime, const Arguments& a) {
  const Tensor input = a.tensor("input");
  return filled(runtime, a.dtype().value_or(input.dtype), input.shape, plain_number(a.value("fill_value")));
}

Value new_zeros(const Runtime& runtime, const Arguments& a) {
  return make_zeros(runtime, a.dtype().value_or(a.tensor("input").dtype), integers_of(a.rest()));
}

Value new_ones(const Runtime& runtime, const Arguments& a) {
  return filled(runtime, a.dtype().value_or(a.tensor("input").dtype), integers_of(a.rest()), std::int64_t{1});
}

Value new_full(const Runtime& runtime, const Arguments& a) {
  return filled(runtime, a.dtype().value_or(a.tensor("input").dtype), a.integers("size"),
                plain_number(a.value("fill_value")));
}

// arange(end), arange(start, end) and arange(start, end, step).
Value arange(const Runtime& runtime, const Arguments& a) {
  const bool one = !a.has("end");
  const Value start = plain_number(one ? Value(std::int64_t{0}) : a.value("start"));
  const Value end = plain_number(one ? a.value("start") : a.value("end"));
  const Value step = plain_number(a.has("step") ? a.value("step") : Value(std::int64_t{1}));
  const bool real = start.is<double>() || end.is<double>() || step.is<double>();
  const DType dtype = a.dtype().value_or(real ? DType::kFloat32 : DType::kInt64);
  const double count = std::ceil((to_double(end) - to_double(start)) / to_double(step));
  if (!std::isfinite(count) || count < 0)
    throw Error("{} cannot step from {} to {} by {}", a.function_name(), to_text(start), to_text(end),
                to_text(step));
  const auto size = static_cast<std::int64_t>(count);
  if (real) {
    const Tensor values = make_empty(runtime, DType::kFloat64, {size});
    auto* data = reinterpret_cast<double*>(values.data());
    for (std::int64_t i = 0; i < size; ++i)
      data[i] = to_double(start) + static_cast<double>(i) * to_double(step);
    return to_dtype(runtime, values, dtype);
  }
  const Tensor values = make_empty(runtime, DType::kInt64, {size});
  auto* data = reinterpret_cast<std::int64_t*>(values.data());
  for (std::int64_t i = 0; i < size; ++i) data[i] = to_index(start) + i * to_index(step);
  return to_dtype(runtime, values, dtype);
}

Value linspace(const Runtime& runtime, const Arguments& a) {
  const double start = a.real("start");
  const double end = a.real("end");
  const std::int64_t steps = a.integer("steps");
  const Tensor values = make_empty(runtime, DType::kFloat64, {steps});
  auto* data = reinterpret_cast<double*>(values.data());
  const double step = steps > 1 ? (end - start) / static_cast<double>(steps - 1) : 0;
  for (std::int64_t i = 0; i < steps; ++i) {
    // From both ends, so that the last value is `end` exactly.
    data[i] = i < steps / 2 ? start + step * static_cast<double>(i)
                            : end - step * static_cast<double>(steps - 1 - i);
  }
  if (steps == 1) data[0] = start;
  return to_dtype(runtime, values, a.dtype().value_or(DType::kFloat32));
}

Value eye(const Runtime& runtime, const Arguments& a) {
  const std::int64_t rows = a.integer("n");
  const std::int64_t columns = a.integer_or("m", rows);
  Tensor result = make_zeros(runtime, a.dtype().value_or(DType::kFloat32), {rows, columns});
  Tensor diagonal = result;
  diagonal.shape = {std::min(rows, columns)};
  diagonal.strides = {columns + 1};
  copy_into(runtime, scalar_tensor(runtime, result.dtype, std::int64_t{1}), diagonal);
  return result;
}

// Collects the numbers of nested sequences and their common shape.
struct Nested {
  Shape shape;
  std::vector<Value> numbers;
};

void collect(const Value& value, std::size_t depth, Nested& nested) {
  if (depth > 16) throw Error("torch.tensor of more than 16 dimensions is not supported");
  const std::vector<Value>* items = sequence_of(value);
  if (items == nullptr) {
    if (depth != nested.shape.size()) throw Error("torch.tensor needs rows of equal length");
    const Value number = plain_number(value);
    if (!is_number(number))
      throw Error("torch.tensor needs numbers, not a value of type {}", type_name(value));
    nested.numbers.push_back(number);
    return;
  }
  const auto size = static_cast<std::int64_t>(items->size());
  if (nested.shape.size() == depth && nested.numbers.empty()) nested.shape.push_back(size);
  if (nested.shape.size() <= depth || nested.shape[depth] != size)
    throw Error("torch.tensor needs rows of equal length");
  for (const Value& item : *items) collect(item, depth + 1, nested);
}

Value tensor_function(const Runtime& runtime, const Arguments& a) {
  const Value& data = a.value("data");
  if (const auto* tensor = data.get<Tensor>())
    return converted(runtime, *tensor, a.dtype().value_or(tensor->dtype));
  Nested nested;
  collect(data, 0, nested);
  DType dtype = nested.numbers.empty() ? DType::kFloat32 : DType::kBool;
  for (const Value& number : nested.numbers) dtype = ops::promote(dtype, dtype_of_number(number));
  dtype = a.dtype().value_or(dtype);
  const Tensor result = make_empty(runtime, dtype, nested.shape);
  std::byte* to = result.data();
  for (const Value& number : nested.numbers) {
    const Tensor one = converted(runtime, number_operand(runtime, number).tensor, dtype);
    std::memcpy(to, one.data(), one.element_size());
    to += one.element_size();
  }
  return result;
}

template <bool upper>
Value triangle(const Runtime& runtime, const Arguments& a) {
  const Tensor input = a.tensor("input");
  if (input.rank() < 2) throw Error("{} needs at least 2 dimensions", a.function_name());
  const std::int64_t rows = input.size(input.rank() - 2);
  const std::int64_t columns = input.shape.back();
  const std::int64_t diagonal = a.integer_or("diagonal", 0);
  const Tensor kept = make_empty(runtime, DType::kBool, {rows, columns});
  std::byte* mask = kept.data();
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const bool keep = upper ? j - i >= diagonal : j - i <= diagonal;
      mask[i * columns + j] = std::byte{keep};
    }
  }
  const ops::Operand zero{scalar_tensor(runtime, input.dtype, std::int64_t{0}), false};
  return where(runtime, kept, {input, false}, zero);
}

Value dtype_info(const Runtime&, const Arguments& a) {
  const Value& type = a.value("type");
  if (const auto* dtype = type.get<DType>()) return DTypeInfo{*dtype};
  throw Error("{} needs a dtype", a.function_name());
}

Value device(const Runtime&, const Arguments&) { return DeviceValue{}; }
Value context(const Runtime&, const Arguments&) { return ContextValue{}; }

Value ignored(const Runtime&, const Arguments&) { return None{}; }

Value zero_in_place(const Runtime& runtime, const Arguments& a) {
  fill(runtime, a.tensor("input"), 0);
  return a.tensor("input");
}

Value fill_in_place(const Runtime& runtime, const Arguments& a) {
  copy_into(runtime, a.operand(runtime, "value").tensor, a.tensor("input"));
  return a.tensor("input");
}

constexpr std::array kCreateFunctions = {
    BuiltinRow{"zeros", kTorch, "*size dtype?", zeros},
    BuiltinRow{"ones", kTorch, "*size dtype?", ones},
    // Memory without content would make results differ from run to run.
    BuiltinRow{"empty", kTorch, "*size dtype?", zeros},
    BuiltinRow{"full", kTorch, "size fill_value dtype?", full},
    BuiltinRow{"zeros_like", kTorch, "input dtype?", zeros_like},
    BuiltinRow{"ones_like", kTorch, "input dtype?", ones_like},
    BuiltinRow{"empty_like", kTorch, "input dtype?", zeros_like},
    BuiltinRow{"full_like", kTorch, "input fill_value dtype?", full_like},
    BuiltinRow{"new_zeros", kMethod, "input *size dtype?", new_zeros},
    BuiltinRow{"new_empty", kMethod, "input *size dtype?", new_zeros},
    BuiltinRow{"new_ones", kMethod, "input *size dtype?", new_ones},
    BuiltinRow{"new_full", kMethod, "input size fill_value dtype?", new_full},
    BuiltinRow{"arange", kTorch, "start end? step? dtype?", arange},
    BuiltinRow{"linspace", kTorch, "start end steps dtype?", linspace},
    BuiltinRow{"eye", kTorch, "n m? dtype?", eye},
    BuiltinRow{"tensor", kTorch, "data dtype?", tensor_function},
    BuiltinRow{"as_tensor", kTorch, "data dtype?", tensor_function},
    BuiltinRow{"scalar_tensor", kTorch, "data dtype?", tensor_function},
    BuiltinRow{"tril", kTorch | kMethod, "input diagonal?", triangle<false>},
    BuiltinRow{"triu", kTorch | kMethod, "input diagonal?", triangle<true>},
    BuiltinRow{"finfo", kTorch, "type", dtype_info},
    BuiltinRow{"iinfo", kTorch, "type", dtype_info},
    BuiltinRow{"device", kTorch, "type index?", device},
    BuiltinRow{"no_grad", kTorch, "", context},
    BuiltinRow{"inference_mode", kTorch, "mode?", context},
    BuiltinRow{"enable_grad", kTorch, "", context},
    BuiltinRow{"set_float32_matmul_precision", kTorch, "precision", ignored},
    BuiltinRow{"zero_", kMethod, "input", zero_in_place},
    BuiltinRow{"fill_", kMethod, "input value", fill_in_place},
};

}  // namespace

std::span<const BuiltinRow> creation_functions() { return kCreateFunctions; }

}  // namespace fib::reference
