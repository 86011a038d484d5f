#include <array>

#include "ops/tensor_math.h"
#include "reference/arguments.h"

namespace fib::reference {
namespace {

struct Alias {
  const char* alias;
  const char* name;
};

constexpr std::array<Alias, 4> kUnaryAliases = {
    {{"absolute", "abs"}, {"negative", "neg"}, {"special.expit", "sigmoid"}, {"fix", "trunc"}}};

constexpr std::array<Alias, 6> kBinaryAliases = {{{"greater", "gt"},
                                                  {"greater_equal", "ge"},
                                                  {"less", "lt"},
                                                  {"less_equal", "le"},
                                                  {"not_equal", "ne"},
                                                  {"arctan2", "atan2"}}};

// F.relu(x), F.silu(x), ... take inplace=True too.
Value unary_function(const Runtime& runtime, const ops::UnaryOp& op, const Arguments& a) {
  const Tensor input = a.tensor("input");
  if (!a.flag_or("inplace", false)) return unary(runtime, op, input);
  unary_in_place(runtime, op, input);
  return input;
}

void add_unary(Registry& registry, const std::string& name, const ops::UnaryOp& op) {
  constexpr unsigned kEverywhere = kTorch | kMethod | kFunctional;
  registry.add(name, kEverywhere, "input inplace?",
               [&op](const Runtime& runtime, const Arguments& a) { return unary_function(runtime, op, a); });
  registry.add(name + "_", kEverywhere, "input", [&op](const Runtime& runtime, const Arguments& a) -> Value {
    unary_in_place(runtime, op, a.tensor("input"));
    return a.tensor("input");
  });
}

void add_binary(Registry& registry, const std::string& name, const ops::BinaryOp& op) {
  registry.add(name, kTorch | kMethod, "input other",
               [&op](const Runtime& runtime, const Arguments& a) -> Value {
                 return binary(runtime, op, a.operand(runtime, "input"), a.operand(runtime, "other"));
               });
  registry.add(name + "_", kMethod, "input other",
               [&op](const Runtime& runtime, const Arguments& a) -> Value {
                 binary_in_place(runtime, op, a.tensor("input"), a.operand(runtime, "other"));
                 return a.tensor("input");
               });
}

Tensor times(const Runtime& runtime, const ops::Operand& a, const ops::Operand& b) {
  return binary(runtime, ops::binary_op("mul"), a, b);
}

// input + alpha * other, or input - alpha * other. Floats of 16 bits are rounded once, at the end.
Tensor with_scaled(const Runtime& runtime, const ops::BinaryOp& op, const Arguments& a) {
  const ops::Operand input = a.operand(runtime, "input");
  const ops::Operand other = a.operand(runtime, "other");
  if (!a.has("alpha")) return binary(runtime, op, input, other);
  const ops::Operand alpha = a.operand(runtime, "alpha");
  const DType common = ops::result_type({&input, &other});
  if (!tensor::is_floating(common) || tensor::bits_of(common) != 16)
    return binary(runtime, op, input, {times(runtime, other, alpha), other.is_number});
  const auto widened = [&](const ops::Operand& operand) -> ops::Operand {
    return {to_dtype(runtime, to_dtype(runtime, operand.tensor, common), DType::kFloat32), false};
  };
  const Tensor scaled = times(runtime, widened(other), widened(alpha));
  return to_dtype(runtime, binary(runtime, op, widened(input), {scaled, false}), common);
}

const ops::BinaryOp& division(const Arguments& a) {
  if (!a.has("rounding_mode")) return ops::binary_op("div");
  const std::string mode = a.text("rounding_mode");
  if (mode == "floor") return ops::binary_op("floor_divide");
  if (mode == "trunc") return ops::binary_op("divide_trunc");
  throw Error("{} has no rounding mode \"{}\"", a.function_name(), mode);
}

void add_scaled(Registry& registry, const std::string& name, const ops::BinaryOp& op) {
  registry.add(
      name, kTorch | kMethod, "input other alpha?",
      [&op](const Runtime& runtime, const Arguments& a) -> Value { return with_scaled(runtime, op, a); });
  registry.add(name + "_", kMethod, "input other alpha?",
               [&op](const Runtime& runtime, const Arguments& a) -> Value {
                 const Tensor target = a.tensor("input");
                 if (!a.has("alpha")) {
                   binary_in_place(runtime, op, target, a.operand(runtime, "other"));
                   return target;
                 }
                 const Tensor result = with_scaled(runtime, op, a);
                 ops::check_can_cast(result.dtype, target.dtype);
                 if (ops::broadcast_shapes(result.shape, target.shape) != target.shape)
                   throw Error("{} needs a tensor that fits in place", a.function_name());
                 copy_into(runtime, result, target);
                 return target;
               });
}

void add_division(Registry& registry, const std::string& name) {
  registry.add(name, kTorch | kMethod, "input other rounding_mode?",
               [](const Runtime& runtime, const Arguments& a) -> Value {
                 return binary(runtime, division(a), a.operand(runtime, "input"),
                               a.operand(runtime, "other"));
               });
  registry.add(name + "_", kMethod, "input other rounding_mode?",
               [](const Runtime& runtime, const Arguments& a) -> Value {
                 binary_in_place(runtime, division(a), a.tensor("input"), a.operand(runtime, "other"));
                 return a.tensor("input");
               });
}

Value pow_function(const Runtime& runtime, const Arguments& a) {
  return power(runtime, a.operand(runtime, "input"), a.operand(runtime, "exponent"));
}

Value pow_in_place(const Runtime& runtime, const Arguments& a) {
  const Tensor target = a.tensor("input");
  copy_into(runtime, power(runtime, {target, false}, a.operand(runtime, "exponent")), target);
  return target;
}

Tensor clamped(const Runtime& runtime, const Arguments& a, const char* low, const char* high) {
  ops::Operand result{a.tensor("input"), false};
  if (low != nullptr && a.has(low))
    result.tensor = binary(runtime, ops::binary_op("maximum"), result, a.operand(runtime, low));
  if (high != nullptr && a.has(high))
    result.tensor = binary(runtime, ops::binary_op("minimum"), result, a.operand(runtime, high));
  return result.tensor;
}

Value clamp(const Runtime& runtime, const Arguments& a) { return clamped(runtime, a, "min", "max"); }
Value clamp_min(const Runtime& runtime, const Arguments& a) { return clamped(runtime, a, "min", nullptr); }
Value clamp_max(const Runtime& runtime, const Arguments& a) { return clamped(runtime, a, nullptr, "max"); }

Value clamp_in_place(const Runtime& runtime, const Arguments& a) {
  const Tensor target = a.tensor("input");
  const Tensor result = clamped(runtime, a, "min", "max");
  ops::check_can_cast(result.dtype, target.dtype);
  copy_into(runtime, result, target);
  return target;
}

Value bitwise_not(const Runtime& runtime, const Arguments& a) { return inverted(runtime, a.tensor("input")); }

Value round_function(const Runtime& runtime, const Arguments& a) {
  return unary(runtime, ops::unary_op("round"), a.tensor("input"));
}

Value lerp(const Runtime& runtime, const Arguments& a) {
  const ops::Operand start{a.tensor("input"), false};
  const ops::Operand difference{sub(runtime, a.tensor("end"), start.tensor), false};
  const ops::Operand step{binary(runtime, ops::binary_op("mul"), difference, a.operand(runtime, "weight")),
                          false};
  return binary(runtime, ops::binary_op("add"), start, step);
}

Value rsub(const Runtime& runtime, const Arguments& a) {
  return binary(runtime, ops::binary_op("sub"), a.operand(runtime, "other"), a.operand(runtime, "input"));
}

constexpr std::array<BuiltinRow, 12> kElementwiseFunctions = {{
    {"pow", kTorch | kMethod, "input exponent", pow_function},
    {"pow_", kMethod, "input exponent", pow_in_place},
    {"clamp", kTorch | kMethod, "input min? max?", clamp},
    {"clip", kTorch | kMethod, "input min? max?", clamp},
    {"clamp_min", kTorch | kMethod, "input min", clamp_min},
    {"clamp_max", kTorch | kMethod, "input max", clamp_max},
    {"clamp_", kTorch | kMethod, "input min? max?", clamp_in_place},
    {"bitwise_not", kTorch | kMethod, "input", bitwise_not},
    {"round", kTorch | kMethod, "input", round_function},
    {"lerp", kTorch | kMethod, "input end weight", lerp},
    {"rsub", kTorch | kMethod, "input other", rsub},
    {"positive", kTorch | kMethod, "input",
     [](const Runtime&, const Arguments& a) -> Value { return a.tensor("input"); }},
}};

}  // namespace

void add_elementwise_functions(Registry& registry) {
  // Two operations are only reached through an argument of a function of another name.
  for (const ops::UnaryOp& op : ops::unary_ops()) {
    if (op.name != "gelu_tanh") add_unary(registry, std::string(op.name), op);
  }
  for (const Alias& alias : kUnaryAliases) add_unary(registry, alias.alias, ops::unary_op(alias.name));
  for (const ops::BinaryOp& op : ops::binary_ops()) {
    if (op.name != "divide_trunc") add_binary(registry, std::string(op.name), op);
  }
  for (const Alias& alias : kBinaryAliases) add_binary(registry, alias.alias, ops::binary_op(alias.name));
  add_scaled(registry, "add", ops::binary_op("add"));
  for (const char* name : {"sub", "subtract"}) add_scaled(registry, name, ops::binary_op("sub"));
  add_binary(registry, "multiply", ops::binary_op("mul"));
  for (const char* name : {"div", "divide", "true_divide"}) add_division(registry, name);
  for (const BuiltinRow& row : kElementwiseFunctions) registry.add(row);
}

}  // namespace fib::reference
