#include "ops/elementwise.h"

#include <array>

#include "ops/blocks.h"
#include "ops/copy.h"
#include "ops/gpu/operations.h"
#include "util/error.h"

namespace fib::ops {
namespace {

using tensor::name_of;

template <typename Real>
using Buffer = std::array<Real, kBlock>;

template <typename Real>
auto function_of(const UnaryOp& op) {
  if constexpr (std::is_same_v<Real, float>)
    return op.on_float;
  else if constexpr (std::is_same_v<Real, double>)
    return op.on_double;
  else
    return op.on_int;
}

template <typename Real>
auto function_of(const BinaryOp& op) {
  if constexpr (std::is_same_v<Real, float>)
    return op.on_float;
  else if constexpr (std::is_same_v<Real, double>)
    return op.on_double;
  else
    return op.on_int;
}

// Calls body(begin, count) for every block of `count` elements, spread over the threads.
template <typename Body>
void for_blocks(const Runtime& runtime, std::int64_t count, int cost, const Body& body) {
  parallel_for(runtime.threads, count, cost, kBlock, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t at = begin; at < end; at += kBlock) body(at, std::min(kBlock, end - at));
  });
}

// The dtype to compute in: the common one, unless the operation has integers computed as floats.
template <typename Op>
DType compute_dtype(const Op& op, DType common) {
  const bool floating = tensor::is_floating(common);
  if (is_float8(common) || (floating && op.on_float == nullptr)) {
    throw Error("{} is not defined for {}", op.name, name_of(common));
  }
  return floating || op.on_int != nullptr ? common : DType::kFloat32;
}

DType result_dtype(ResultDType rule, DType compute) {
  return rule == ResultDType::kBool ? DType::kBool : compute;
}

void run_unary(const Runtime& runtime, const UnaryOp& op, DType compute, const Tensor& logical_input,
               const Tensor& logical_output) {
  // Elements are visited in the order in which the result lies in memory.
  const std::vector<std::int64_t> order = memory_order(logical_output);
  const Tensor input = permute(logical_input, order);
  const Tensor output = permute(logical_output, order);
  if (gpu::unary(runtime, op.name, compute, input, output)) return;
  with_compute_type(compute, [&](auto real) {
    using Real = decltype(real);
    const BlockReader<Real> reader(input);
    const BlockWriter<Real> writer(output);
    const auto function = function_of<Real>(op);
    for_blocks(runtime, output.numel(), op.cost, [&](std::int64_t begin, std::int64_t count) {
      Buffer<Real> in;
      Buffer<Real> out;
      Real* target = writer.target(begin, out.data());
      function(reader.read(begin, count, in.data()), target, count);
      writer.write(begin, count, target);
    });
  });
}

bool any_equal(const Tensor& tensor, std::int64_t lowest, std::int64_t highest) {
  const BlockReader<std::int64_t> reader(tensor);
  Buffer<std::int64_t> buffer;
  const std::int64_t total = tensor.numel();
  for (std::int64_t begin = 0; begin < total; begin += kBlock) {
    const std::int64_t count = std::min(kBlock, total - begin);
    const std::int64_t* values = reader.read(begin, count, buffer.data());
    for (std::int64_t i = 0; i < count; ++i) {
      if (values[i] >= lowest && values[i] <= highest) return true;
    }
  }
  return false;
}

// The integer operations that have no result for some operands.
void check_integers(const BinaryOp& op, DType compute, const Tensor& b) {
  if (tensor::is_floating(compute)) return;
  const bool divides =
      op.name == "floor_divide" || op.name == "remainder" || op.name == "fmod" || op.name == "divide_trunc";
  if (divides && any_equal(b, 0, 0)) throw Error("integer division by zero");
  if (op.name == "pow" && any_equal(b, std::numeric_limits<std::int64_t>::min(), -1)) {
    throw Error("integers to negative integer powers are not allowed");
  }
}

enum class Place { kFirst, kSecond };

// Torch's CPU keeps the second operand of these as it is where it is a number, and rounds the result alone.
bool keeps_number(const BinaryOp& op) {
  return op.name == "mul" || op.name == "div" || op.name == "floor_divide" || op.name == "divide_trunc";
}

// The operand in the dtype to compute in, where that makes a difference: integers of one element may be wider
// and then wrap around first, and what meets a float of 16 bits is rounded to it first.
Tensor promoted(const Runtime& runtime, const BinaryOp& op, Place place, const Tensor& tensor,
                DType compute) {
  const bool number = tensor.rank() == 0;
  const bool wider = number && tensor::is_integral(tensor.dtype) && tensor::is_integral(compute);
  const bool kept = number && place == Place::kSecond && keeps_number(op);
  const bool rounded = tensor::is_floating(compute) && tensor::bits_of(compute) == 16 && !kept;
  return wider || rounded ? to_dtype(runtime, tensor, compute) : tensor;
}

void run_binary(const Runtime& runtime, const BinaryOp& op, DType compute, const Tensor& a, const Tensor& b,
                const Tensor& logical_output) {
  const std::vector<std::int64_t> order = memory_order(logical_output);
  const Tensor a_all =
      permute(expand(promoted(runtime, op, Place::kFirst, a, compute), logical_output.shape), order);
  const Tensor b_all =
      permute(expand(promoted(runtime, op, Place::kSecond, b, compute), logical_output.shape), order);
  const Tensor output = permute(logical_output, order);
  check_integers(op, compute, b_all);
  if (gpu::binary(runtime, op.name, compute, a_all, b_all, output)) return;
  with_compute_type(compute, [&](auto real) {
    using Real = decltype(real);
    const BlockReader<Real> a_reader(a_all);
    const BlockReader<Real> b_reader(b_all);
    const BlockWriter<Real> writer(output);
    const auto function = function_of<Real>(op);
    for_blocks(runtime, output.numel(), op.cost, [&](std::int64_t begin, std::int64_t count) {
      Buffer<Real> a_block;
      Buffer<Real> b_block;
      Buffer<Real> out;
      Real* target = writer.target(begin, out.data());
      const Real* a_values = a_reader.read(begin, count, a_block.data());
      function(a_values, b_reader.read(begin, count, b_block.data()), target, count);
      writer.write(begin, count, target);
    });
  });
}

bool same_elements(const Tensor& a, const Tensor& b) {
  return a.offset == b.offset && a.dtype == b.dtype && a.shape == b.shape && a.strides == b.strides;
}

// `source`, or a copy if writing to `target` could change it before it is read.
Tensor detached(const Runtime& runtime, const Tensor& source, const Tensor& target) {
  const bool safe = source.storage != target.storage || same_elements(source, target);
  return safe ? source : cloned(runtime, source);
}

template <typename Value>
Tensor make_scalar(const Runtime& runtime, DType dtype, Value value) {
  Tensor result = make_empty(runtime, dtype, {});
  store_elements(dtype, &value, result.data(), 1);
  return result;
}

void check_single(const Tensor& tensor) {
  if (tensor.numel() != 1) {
    throw Error("a tensor of shape {} cannot be converted to a number", tensor::to_string(tensor.shape));
  }
}

std::array<std::byte, 8> only_element(const Tensor& tensor) {
  check_single(tensor);
  std::array<std::byte, 8> element{};
  const std::size_t size = tensor.element_size();
  tensor.storage->peek(static_cast<std::size_t>(tensor.offset) * size, element.data(), size);
  return element;
}

}  // namespace

Tensor unary(const Runtime& runtime, const UnaryOp& op, const Tensor& input) {
  const DType compute = compute_dtype(op, input.dtype);
  Tensor output = make_empty_like(runtime, result_dtype(op.result, compute), input);
  run_unary(runtime, op, compute, input, output);
  return output;
}

Tensor binary(const Runtime& runtime, const BinaryOp& op, const Operand& a, const Operand& b) {
  const DType compute = compute_dtype(op, result_type({&a, &b}));
  const Shape shape = broadcast_shapes(a.tensor.shape, b.tensor.shape);
  // The first operand that does not broadcast gives the order in memory.
  const bool by_a = a.tensor.shape == shape;
  const DType dtype = result_dtype(op.result, compute);
  Tensor output = by_a || b.tensor.shape == shape
                      ? make_empty_like(runtime, dtype, by_a ? a.tensor : b.tensor)
                      : make_empty(runtime, dtype, shape);
  run_binary(runtime, op, compute, a.tensor, b.tensor, output);
  return output;
}

void unary_in_place(const Runtime& runtime, const UnaryOp& op, const Tensor& target) {
  const DType compute = compute_dtype(op, target.dtype);
  check_can_cast(result_dtype(op.result, compute), target.dtype);
  check_writable(target);
  run_unary(runtime, op, compute, target, target);
}

void binary_in_place(const Runtime& runtime, const BinaryOp& op, const Tensor& target, const Operand& b) {
  const Operand a{target, false};
  const DType compute = compute_dtype(op, result_type({&a, &b}));
  check_can_cast(result_dtype(op.result, compute), target.dtype);
  check_writable(target);
  if (broadcast_shapes(target.shape, b.tensor.shape) != target.shape) {
    throw Error("a result of shape {} does not fit a tensor of shape {} in place",
                tensor::to_string(broadcast_shapes(target.shape, b.tensor.shape)),
                tensor::to_string(target.shape));
  }
  run_binary(runtime, op, compute, target, detached(runtime, b.tensor, target), target);
}

Tensor where(const Runtime& runtime, const Tensor& condition, const Operand& a, const Operand& b) {
  if (condition.dtype != DType::kBool)
    throw Error("where needs a condition of bool, not {}", name_of(condition.dtype));
  const DType dtype = result_type({&a, &b});
  const Shape shape = broadcast_shapes(condition.shape, broadcast_shapes(a.tensor.shape, b.tensor.shape));
  Tensor output = make_empty(runtime, dtype, shape);
  if (gpu::where(runtime, expand(condition, shape), expand(a.tensor, shape), expand(b.tensor, shape), output))
    return output;
  with_compute_type(dtype, [&](auto real) {
    using Real = decltype(real);
    const BlockReader<Real> choice(expand(condition, shape));
    const BlockReader<Real> a_reader(expand(a.tensor, shape));
    const BlockReader<Real> b_reader(expand(b.tensor, shape));
    const BlockWriter<Real> writer(output);
    for_blocks(runtime, output.numel(), 2, [&](std::int64_t begin, std::int64_t count) {
      std::array<Buffer<Real>, 4> buffers;
      const Real* choices = choice.read(begin, count, buffers[0].data());
      const Real* a_values = a_reader.read(begin, count, buffers[1].data());
      const Real* b_values = b_reader.read(begin, count, buffers[2].data());
      Real* target = writer.target(begin, buffers[3].data());
      for (std::int64_t i = 0; i < count; ++i) target[i] = choices[i] != Real{0} ? a_values[i] : b_values[i];
      writer.write(begin, count, target);
    });
  });
  return output;
}

void copy_into(const Runtime& runtime, const Tensor& source, const Tensor& target) {
  check_writable(target);
  if (source.storage == target.storage && same_elements(source, target)) return;
  const Tensor all = expand(detached(runtime, source, target), target.shape);
  if (gpu::copy(runtime, all, target)) return;
  if (all.dtype == target.dtype) return copy_elements(runtime, all, target);
  const bool wide =
      all.dtype == DType::kFloat64 || (target.dtype == DType::kFloat64 && tensor::is_floating(all.dtype));
  with_compute_type(wide ? DType::kFloat64 : all.dtype, [&](auto real) {
    using Real = decltype(real);
    const BlockReader<Real> reader(all);
    const BlockWriter<Real> writer(target);
    for_blocks(runtime, target.numel(), 1, [&](std::int64_t begin, std::int64_t count) {
      Buffer<Real> buffer;
      writer.write(begin, count, reader.read(begin, count, buffer.data()));
    });
  });
}

Tensor converted(const Runtime& runtime, const Tensor& tensor, DType dtype) {
  Tensor output = make_empty(runtime, dtype, tensor.shape);
  copy_into(runtime, tensor, output);
  return output;
}

Tensor contiguous(const Runtime& runtime, const Tensor& tensor) {
  return tensor.is_contiguous() ? tensor : cloned(runtime, tensor);
}

Tensor to_dtype(const Runtime& runtime, const Tensor& tensor, DType dtype) {
  return tensor.dtype == dtype ? tensor : converted_like(runtime, tensor, dtype);
}

Tensor converted_like(const Runtime& runtime, const Tensor& tensor, DType dtype) {
  Tensor output = make_empty_like(runtime, dtype, tensor);
  const std::vector<std::int64_t> order = memory_order(output);
  copy_into(runtime, permute(tensor, order), permute(output, order));
  return output;
}

Tensor reshape(const Runtime& runtime, const Tensor& tensor, const Shape& shape) {
  if (auto view = try_view(tensor, shape)) return *view;
  return *try_view(cloned(runtime, tensor), shape);
}

Tensor scalar_tensor(const Runtime& runtime, DType dtype, double value) {
  return make_scalar(runtime, dtype, value);
}

Tensor scalar_tensor(const Runtime& runtime, DType dtype, std::int64_t value) {
  return make_scalar(runtime, dtype, value);
}

double item_as_double(const Tensor& tensor) {
  double value = 0;
  load_elements(tensor.dtype, only_element(tensor).data(), &value, 1);
  return value;
}

std::int64_t item_as_int(const Tensor& tensor) {
  std::int64_t value = 0;
  load_elements(tensor.dtype, only_element(tensor).data(), &value, 1);
  return value;
}

void check_writable(const Tensor& target) {
  for (int dim = 0; dim < target.rank(); ++dim) {
    if (target.stride(dim) == 0 && target.size(dim) > 1) {
      throw Error("an expanded tensor cannot be written to; clone() it first");
    }
  }
}

}  // namespace fib::ops
