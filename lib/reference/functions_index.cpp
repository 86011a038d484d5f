#include <array>

#include "ops/index.h"
#include "ops/tensor_math.h"
#include "reference/arguments.h"

namespace fib::reference {
namespace {

Value where_function(const Runtime& runtime, const Arguments& a) {
  const Tensor condition = a.tensor("condition");
  if (!a.has("input")) {
    const Tensor positions = nonzero(runtime, condition);
    return make_tuple(items_of(transpose(positions, 0, 1)));
  }
  return where(runtime, condition, a.operand(runtime, "input"), a.operand(runtime, "other"));
}

// x.where(condition, other)
Value where_method(const Runtime& runtime, const Arguments& a) {
  return where(runtime, a.tensor("condition"), a.operand(runtime, "input"), a.operand(runtime, "other"));
}

Value nonzero_function(const Runtime& runtime, const Arguments& a) {
  const Tensor positions = nonzero(runtime, a.tensor("input"));
  if (!a.flag_or("as_tuple", false)) return positions;
  return make_tuple(items_of(transpose(positions, 0, 1)));
}

// The value keeps the tensor's dtype, whatever its own.
ops::Operand fill_value(const Runtime& runtime, const Arguments& a, DType dtype) {
  return {to_dtype(runtime, a.operand(runtime, "value").tensor, dtype), false};
}

Value masked_fill(const Runtime& runtime, const Arguments& a) {
  const Tensor input = a.tensor("input");
  return where(runtime, a.tensor("mask"), fill_value(runtime, a, input.dtype), {input, false});
}

Value masked_fill_in_place(const Runtime& runtime, const Arguments& a) {
  const Tensor target = a.tensor("input");
  const Tensor mask = expand(a.tensor("mask"), target.shape);
  copy_into(runtime, where(runtime, mask, fill_value(runtime, a, target.dtype), {target, false}), target);
  return target;
}

Value masked_select(const Runtime& runtime, const Arguments& a) {
  const Tensor input = a.tensor("input");
  const Shape shape = ops::broadcast_shapes(input.shape, a.tensor("mask").shape);
  return get_index(runtime, expand(input, shape), {expand(a.tensor("mask"), shape)});
}

Value index_select_function(const Runtime& runtime, const Arguments& a) {
  return index_select(runtime, a.tensor("input"), a.integer("dim"), a.tensor("index"));
}

Value gather_function(const Runtime& runtime, const Arguments& a) {
  return gather(runtime, a.tensor("input"), a.integer("dim"), a.tensor("index"));
}

Value take_along_dim(const Runtime& runtime, const Arguments& a) {
  const Tensor input = a.tensor("input");
  const int dim = ops::wrap_dim(a.integer("dim"), input.rank());
  // The other dimensions broadcast.
  const Tensor indices = a.tensor("indices");
  Shape input_shape = input.shape;
  Shape index_shape = indices.shape;
  if (input_shape.size() != index_shape.size())
    throw Error("{} needs equally many dimensions", a.function_name());
  if (input.rank() == 0) return input;
  const std::int64_t input_size = input.size(dim);
  const std::int64_t index_size = indices.size(dim);
  input_shape[static_cast<std::size_t>(dim)] = index_shape[static_cast<std::size_t>(dim)] = 1;
  Shape common = ops::broadcast_shapes(input_shape, index_shape);
  common[static_cast<std::size_t>(dim)] = input_size;
  const Tensor all = expand(input, common);
  common[static_cast<std::size_t>(dim)] = index_size;
  return gather(runtime, all, dim, expand(indices, common));
}

// scatter(dim, index, src) and scatter(dim, index, value).
Tensor scatter_source(const Runtime& runtime, const Arguments& a, DType dtype) {
  const Value& source = a.value(a.has("src") ? "src" : "value");
  if (const auto* tensor = source.get<Tensor>()) return *tensor;
  return to_dtype(runtime, number_operand(runtime, source).tensor, dtype);
}

template <ops::IndexWrite write>
Value scatter_in_place(const Runtime& runtime, const Arguments& a) {
  const Tensor target = a.tensor("input");
  scatter(runtime, write, target, a.integer("dim"), a.tensor("index"),
          scatter_source(runtime, a, target.dtype));
  return target;
}

template <ops::IndexWrite write>
Value scatter_copy(const Runtime& runtime, const Arguments& a) {
  const Tensor target = cloned(runtime, a.tensor("input"));
  scatter(runtime, write, target, a.integer("dim"), a.tensor("index"),
          scatter_source(runtime, a, target.dtype));
  return target;
}

template <ops::IndexWrite write>
Value index_write_in_place(const Runtime& runtime, const Arguments& a) {
  const Tensor target = a.tensor("input");
  index_write(runtime, write, target, a.integer("dim"), a.tensor("index"), a.tensor("source"),
              a.real_or("alpha", 1));
  return target;
}

template <ops::IndexWrite write>
Value index_write_copy(const Runtime& runtime, const Arguments& a) {
  const Tensor target = cloned(runtime, a.tensor("input"));
  index_write(runtime, write, target, a.integer("dim"), a.tensor("index"), a.tensor("source"),
              a.real_or("alpha", 1));
  return target;
}

Value index_fill_in_place(const Runtime& runtime, const Arguments& a) {
  const Tensor target = a.tensor("input");
  ops::Index index(static_cast<std::size_t>(ops::wrap_dim(a.integer("dim"), target.rank())),
                   ops::SliceIndex{});
  index.emplace_back(a.tensor("index"));
  set_index(runtime, target, index, a.operand(runtime, "value").tensor);
  return target;
}

Value repeat_interleave_function(const Runtime& runtime, const Arguments& a) {
  const Tensor input = a.tensor("input");
  const Tensor repeats = a.operand(runtime, "repeats").tensor;
  if (a.has("dim")) return repeat_interleave(runtime, input, repeats, a.integer("dim"));
  return repeat_interleave(runtime, reshape(runtime, input, {-1}), repeats, 0);
}

constexpr std::array kIndexFunctions = {
    BuiltinRow{"where", kTorch, "condition input? other?", where_function},
    BuiltinRow{"where", kMethod, "input condition other", where_method},
    BuiltinRow{"nonzero", kTorch | kMethod, "input as_tuple?", nonzero_function},
    BuiltinRow{"masked_fill", kTorch | kMethod, "input mask value", masked_fill},
    BuiltinRow{"masked_fill_", kMethod, "input mask value", masked_fill_in_place},
    BuiltinRow{"masked_select", kTorch | kMethod, "input mask", masked_select},
    BuiltinRow{"index_select", kTorch | kMethod, "input dim index", index_select_function},
    BuiltinRow{"gather", kTorch | kMethod, "input dim index", gather_function},
    BuiltinRow{"take_along_dim", kTorch | kMethod, "input indices dim", take_along_dim},
    BuiltinRow{"scatter", kTorch | kMethod, "input dim index src? value?",
               scatter_copy<ops::IndexWrite::kCopy>},
    BuiltinRow{"scatter_", kMethod, "input dim index src? value?", scatter_in_place<ops::IndexWrite::kCopy>},
    BuiltinRow{"scatter_add", kTorch | kMethod, "input dim index src", scatter_copy<ops::IndexWrite::kAdd>},
    BuiltinRow{"scatter_add_", kMethod, "input dim index src", scatter_in_place<ops::IndexWrite::kAdd>},
    BuiltinRow{"index_add", kTorch | kMethod, "input dim index source alpha?",
               index_write_copy<ops::IndexWrite::kAdd>},
    BuiltinRow{"index_add_", kMethod, "input dim index source alpha?",
               index_write_in_place<ops::IndexWrite::kAdd>},
    BuiltinRow{"index_copy", kTorch | kMethod, "input dim index source alpha?",
               index_write_copy<ops::IndexWrite::kCopy>},
    BuiltinRow{"index_copy_", kMethod, "input dim index source alpha?",
               index_write_in_place<ops::IndexWrite::kCopy>},
    BuiltinRow{"index_fill_", kMethod, "input dim index value", index_fill_in_place},
    BuiltinRow{"repeat_interleave", kTorch | kMethod, "input repeats dim? output_size?",
               repeat_interleave_function},
};

}  // namespace

std::span<const BuiltinRow> index_functions() { return kIndexFunctions; }

}  // namespace fib::reference
