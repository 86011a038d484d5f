#include <array>

#include "ops/elementwise.h"
#include "reference/arguments.h"

namespace fib::reference {
namespace {

// x.to(dtype), x.to(device), x.to(device, dtype), x.to(other): only the dtype matters.
Value to(const Runtime& runtime, const Arguments& a) {
  const Tensor input = a.tensor("input");
  DType dtype = a.dtype().value_or(input.dtype);
  for (const Value& argument : a.rest()) {
    if (const auto* given = argument.get<DType>()) dtype = *given;
    if (const auto* other = argument.get<Tensor>()) dtype = other->dtype;
  }
  if (a.has("other")) dtype = a.tensor("other").dtype;
  if (a.flag_or("copy", false)) return converted_like(runtime, input, dtype);
  return to_dtype(runtime, input, dtype);
}

template <DType dtype>
Value to_fixed(const Runtime& runtime, const Arguments& a) {
  return to_dtype(runtime, a.tensor("input"), dtype);
}

Value type_function(const Runtime& runtime, const Arguments& a) {
  if (!a.has("dtype")) throw Error("type() without a dtype is not supported by the native reference engine");
  return to_dtype(runtime, a.tensor("input"), *a.dtype());
}

Value type_as(const Runtime& runtime, const Arguments& a) {
  return to_dtype(runtime, a.tensor("input"), a.tensor("other").dtype);
}

Value same(const Runtime&, const Arguments& a) { return a.tensor("input"); }
Value clone(const Runtime& runtime, const Arguments& a) {
  const Tensor input = a.tensor("input");
  return converted_like(runtime, input, input.dtype);
}

Value copy_in_place(const Runtime& runtime, const Arguments& a) {
  copy_into(runtime, a.tensor("source"), a.tensor("input"));
  return a.tensor("input");
}

Value item(const Runtime&, const Arguments& a) { return item_of(a.tensor("input")); }

Value list_of(const Tensor& tensor) {
  if (tensor.rank() == 0) return item_of(tensor);
  std::vector<Value> items;
  for (std::int64_t i = 0; i < tensor.size(0); ++i) items.push_back(list_of(select(tensor, 0, i)));
  return make_list(std::move(items));
}

Value tolist(const Runtime&, const Arguments& a) { return list_of(a.tensor("input")); }
Value numel(const Runtime&, const Arguments& a) { return a.tensor("input").numel(); }
Value dim(const Runtime&, const Arguments& a) { return std::int64_t{a.tensor("input").rank()}; }

Value size(const Runtime&, const Arguments& a) {
  const Tensor input = a.tensor("input");
  if (!a.has("dim")) return make_size(input.shape);
  return input.size(ops::wrap_dim(a.integer("dim"), input.rank()));
}

Value stride(const Runtime&, const Arguments& a) {
  const Tensor input = a.tensor("input");
  if (!a.has("dim")) return make_size(input.strides);
  return input.stride(ops::wrap_dim(a.integer("dim"), input.rank()));
}

Value is_contiguous(const Runtime&, const Arguments& a) { return a.tensor("input").is_contiguous(); }
Value element_size(const Runtime&, const Arguments& a) {
  return static_cast<std::int64_t>(a.tensor("input").element_size());
}
Value is_floating_point(const Runtime&, const Arguments& a) {
  return tensor::is_floating(a.tensor("input").dtype);
}
Value is_tensor(const Runtime&, const Arguments& a) { return a.has("obj") && a.value("obj").is<Tensor>(); }

constexpr std::array kConvertFunctions = {
    BuiltinRow{"to", kMethod, "input *arguments dtype? other? copy?", to},
    BuiltinRow{"float", kMethod, "input", to_fixed<DType::kFloat32>},
    BuiltinRow{"double", kMethod, "input", to_fixed<DType::kFloat64>},
    BuiltinRow{"half", kMethod, "input", to_fixed<DType::kFloat16>},
    BuiltinRow{"bfloat16", kMethod, "input", to_fixed<DType::kBFloat16>},
    BuiltinRow{"long", kMethod, "input", to_fixed<DType::kInt64>},
    BuiltinRow{"int", kMethod, "input", to_fixed<DType::kInt32>},
    BuiltinRow{"short", kMethod, "input", to_fixed<DType::kInt16>},
    BuiltinRow{"char", kMethod, "input", to_fixed<DType::kInt8>},
    BuiltinRow{"byte", kMethod, "input", to_fixed<DType::kUInt8>},
    BuiltinRow{"bool", kMethod, "input", to_fixed<DType::kBool>},
    BuiltinRow{"type", kMethod, "input dtype?", type_function},
    BuiltinRow{"type_as", kMethod, "input other", type_as},
    BuiltinRow{"cpu", kMethod, "input", same},
    BuiltinRow{"cuda", kMethod, "input device?", same},
    BuiltinRow{"detach", kMethod, "input", same},
    BuiltinRow{"requires_grad_", kMethod, "input requires_grad?", same},
    BuiltinRow{"clone", kTorch | kMethod, "input", clone},
    BuiltinRow{"copy_", kMethod, "input source", copy_in_place},
    BuiltinRow{"item", kMethod, "input", item},
    BuiltinRow{"tolist", kMethod, "input", tolist},
    BuiltinRow{"numel", kTorch | kMethod, "input", numel},
    BuiltinRow{"nelement", kMethod, "input", numel},
    BuiltinRow{"dim", kMethod, "input", dim},
    BuiltinRow{"ndimension", kMethod, "input", dim},
    BuiltinRow{"size", kMethod, "input dim?", size},
    BuiltinRow{"stride", kMethod, "input dim?", stride},
    BuiltinRow{"is_contiguous", kMethod, "input", is_contiguous},
    BuiltinRow{"element_size", kMethod, "input", element_size},
    BuiltinRow{"is_floating_point", kTorch | kMethod, "input", is_floating_point},
    BuiltinRow{"is_tensor", kTorch, "obj?", is_tensor},
};

}  // namespace

std::span<const BuiltinRow> conversion_functions() { return kConvertFunctions; }

}  // namespace fib::reference
