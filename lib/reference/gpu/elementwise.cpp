#include "reference/gpu/operands.h"
#include "reference/gpu/operations.h"

namespace fib::reference::gpu {
namespace {

Program program_of(const char* file, std::string_view operation, DType compute) {
  return {file, {{"FIB_OPERATION", std::string(operation)}, {"FIB_REAL", real_of(compute)}}};
}

// A large tensor that nobody has written yet belongs on the device, however small its first part is.
std::int64_t work_of(const Tensor& target) {
  const bool is_new = target.storage->is_new();
  const auto whole = static_cast<std::int64_t>(target.storage->bytes() / target.element_size());
  return is_new ? whole : target.numel();
}

// The type through which elements of `from` become those of `to` (as in elementwise.cpp's copy_into).
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
  Program program = program_of("elementwise", name, compute);
  program.defines.emplace_back("FIB_UNARY_KERNEL", "1");
  runtime.gpu->run(program, "fib_unary", {blocks_for(runtime, walk->count)}, *walk);
  return true;
}

bool binary(const Runtime& runtime, std::string_view name, DType compute, const Tensor& a, const Tensor& b,
            const Tensor& output) {
  if (output.numel() == 0 || !wanted(runtime, output.numel(), {&a, &b, &output})) return false;
  const auto walk = walk_of<2>(runtime, output, {&a, &b});
  if (!walk) return false;
  runtime.gpu->run(program_of("elementwise", name, compute), "fib_binary", {blocks_for(runtime, walk->count)},
                   *walk);
  return true;
}

bool where(const Runtime& runtime, const Tensor& condition, const Tensor& a, const Tensor& b,
           const Tensor& output) {
  if (output.numel() == 0 || !wanted(runtime, output.numel(), {&condition, &a, &b})) return false;
  const auto walk = walk_of<3>(runtime, output, {&condition, &a, &b});
  if (!walk) return false;
  runtime.gpu->run({"copy", {}}, "fib_where_" + real_of(output.dtype), {blocks_for(runtime, walk->count)},
                   *walk);
  return true;
}

bool copy(const Runtime& runtime, const Tensor& source, const Tensor& target) {
  if (target.numel() == 0 || !runtime.gpu) return false;
  if (!wanted(runtime, work_of(target), {&source, &target})) return false;
  const auto walk = walk_of<1>(runtime, target, {&source});
  if (!walk) return false;
  const bool same = source.dtype == target.dtype;
  const View& from = walk->view[1];
  const bool dense =
      walk->rank == 0 || (walk->rank == 1 && walk->view[0].strides[0] == 1 && from.strides[0] == 1);
  if (same && dense && from.data != 0) {
    runtime.gpu->copy(walk->view[0].data, from.data,
                      static_cast<std::size_t>(walk->count) * target.element_size());
    return true;
  }
  const std::string kernel =
      same ? "fib_copy" : "fib_convert_" + real_of(through(source.dtype, target.dtype));
  runtime.gpu->run({"copy", {}}, kernel, {blocks_for(runtime, walk->count)}, *walk);
  return true;
}

}  // namespace fib::reference::gpu
