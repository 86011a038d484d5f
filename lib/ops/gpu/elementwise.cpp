#include "ops/gpu/operands.h"
#include "ops/gpu/operations.h"

namespace fib::ops::gpu {
namespace {

// A large tensor that nobody has written yet belongs on the device, however small its first part is.
std::int64_t work_of(const Tensor& target) {
  const bool is_new = target.storage->is_new();
  const auto whole = static_cast<std::int64_t>(target.storage->bytes() / target.element_size());
  return is_new ? whole : target.numel();
}

// The type through which elements of `from` become those of `to` (as in ops/elementwise.cpp's
// copy_into).
DType through(DType from, DType to) {
  const bool wide = from == DType::kFloat64 || (to == DType::kFloat64 && tensor::is_floating(from));
  return wide ? DType::kFloat64 : from;
}

}  // namespace

bool clear(const Runtime& runtime, const Tensor& target) {
  if (target.numel() == 0 || !wanted(runtime, target.numel(), {})) return false;
  View view{};
  if (!to_write(runtime, target, view)) return false;
  runtime.gpu->clear(view.data, static_cast<std::size_t>(target.numel()) * target.element_size());
  return true;
}

bool unary(const Runtime& runtime, std::string_view name, DType compute, const Tensor& input,
           const Tensor& output) {
  if (output.numel() == 0 || !wanted(runtime, output.numel(), {&input, &output})) return false;
  const auto walk = walk_of<1>(runtime, output, {&input});
  if (!walk) return false;
  Program program = program_of("elementwise", {output.dtype, input.dtype}, walk->count, compute);
  define(program, "FIB_OPERATION", std::string(name));
  define(program, "FIB_UNARY_KERNEL", "1");
  runtime.gpu->run(program, "fib_unary", {blocks_for(runtime, walk->count)}, *walk);
  return true;
}

bool binary(const Runtime& runtime, std::string_view name, DType compute, const Tensor& a, const Tensor& b,
            const Tensor& output) {
  if (output.numel() == 0 || !wanted(runtime, output.numel(), {&a, &b, &output})) return false;
  const auto walk = walk_of<2>(runtime, output, {&a, &b});
  if (!walk) return false;
  Program program = program_of("elementwise", {output.dtype, a.dtype, b.dtype}, walk->count, compute);
  define(program, "FIB_OPERATION", std::string(name));
  runtime.gpu->run(program, "fib_binary", {blocks_for(runtime, walk->count)}, *walk);
  return true;
}

bool where(const Runtime& runtime, const Tensor& condition, const Tensor& a, const Tensor& b,
           const Tensor& output) {
  if (output.numel() == 0 || !wanted(runtime, output.numel(), {&condition, &a, &b})) return false;
  const auto walk = walk_of<3>(runtime, output, {&condition, &a, &b});
  if (!walk) return false;
  Program program =
      program_of("copy", {output.dtype, condition.dtype, a.dtype, b.dtype}, walk->count, output.dtype);
  define(program, "FIB_CHOICE", "1");
  runtime.gpu->run(program, "fib_where", {blocks_for(runtime, walk->count)}, *walk);
  return true;
}

bool copy(const Runtime& runtime, const Tensor& source, const Tensor& target) {
  if (target.numel() == 0 || !runtime.gpu) return false;
  if (!wanted(runtime, work_of(target), {&source, &target})) return false;
  const auto walk = walk_of<1>(runtime, target, {&source});
  if (!walk) return false;
  const View& from = walk->view[1];
  const bool dense =
      walk->rank == 0 || (walk->rank == 1 && walk->view[0].strides[0] == 1 && from.strides[0] == 1);
  if (source.dtype != target.dtype) {
    const Program program =
        program_of("copy", {target.dtype, source.dtype}, walk->count, through(source.dtype, target.dtype));
    runtime.gpu->run(program, "fib_convert", {blocks_for(runtime, walk->count)}, *walk);
  } else if (dense && from.data != 0) {
    const auto bytes = static_cast<std::size_t>(walk->count) * target.element_size();
    runtime.gpu->copy(walk->view[0].data, from.data, bytes);
  } else {
    Program program = program_of("copy", {type_of_bits(target)}, walk->count, DType::kInt64);
    define(program, "FIB_SAME_TYPE", "1");
    runtime.gpu->run(program, "fib_copy", {blocks_for(runtime, walk->count)}, *walk);
  }
  return true;
}

}  // namespace fib::ops::gpu
