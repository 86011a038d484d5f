#include "tracing/kept_call.h"

#include <bit>

#include "arguments/scalars.h"
#include "arguments/tensors.h"
#include "tensor/shape.h"
#include "util/error.h"

namespace fib::tracing {
namespace {

constexpr std::uint64_t kAlignment = 256;
constexpr std::int64_t kMostElements = std::int64_t{1} << 40U;

model::Scalar scalar_of(tensor::DType dtype, std::int64_t bits) {
  model::Scalar scalar;
  if (tensor::is_floating(dtype))
    scalar.value = std::bit_cast<double>(bits);
  else if (dtype == tensor::DType::kBool)
    scalar.value = bits != 0;
  else
    scalar.value = bits;
  return scalar;
}

}  // namespace

std::unique_ptr<KeptCall> describe_call(Site& site, const fib_value* values, const arguments::Case& found) {
  auto call = std::make_unique<KeptCall>();
  const auto& signature = site.signature();
  (void)signature.axis_values(found);  // throws when an expression is something else
  call->site = &site;
  call->found = found;
  call->scalars.resize(signature.inputs());
  for (std::size_t place = 0; place < signature.inputs(); ++place) {
    const auto& parameter = signature.parameters()[place];
    if (parameter.scalar) call->scalars[place] = arguments::scalar_bits(parameter.dtype, values[place]);
    if (!site.is_dumped(place)) continue;
    const auto count = tensor::element_count(signature.shape_of(parameter, found));
    if (!count || *count > kMostElements) throw Error("\"{}\" is too large", parameter.name);
    if (*count > 0 && values[place].u.tensor->data == nullptr)
      throw Error("\"{}\" has no memory", parameter.name);
    const auto bytes =
        static_cast<std::uint64_t>(tensor::bytes_of(parameter.dtype, static_cast<std::size_t>(*count)));
    const std::uint64_t offset = (call->bytes + kAlignment - 1) / kAlignment * kAlignment;
    call->tensors.push_back({place, offset, bytes});
    call->bytes = offset + bytes;
  }
  return call;
}

model::Trace record_of(const KeptCall& call, const std::string& uuid, const std::string& blob) {
  const auto& signature = call.site->signature();
  model::Trace trace;
  trace.definition = call.site->name();
  trace.workload.uuid = uuid;
  for (std::size_t i = 0; i < signature.variable_axes(); ++i)
    trace.workload.axes.emplace_back(signature.axes()[i], call.found.axes[i]);
  for (std::size_t place = 0; place < signature.inputs(); ++place) {
    const auto& parameter = signature.parameters()[place];
    model::InputSpec spec;
    if (parameter.scalar) {
      spec.kind = model::InputKind::scalar;
      spec.scalar = scalar_of(parameter.dtype, call.scalars[place]);
    } else if (call.site->is_dumped(place)) {
      spec.kind = model::InputKind::safetensors;
      spec.path = blob;
      spec.tensor_key = parameter.name;
    }
    trace.workload.inputs.emplace_back(parameter.name, spec);
  }
  return trace;
}

std::vector<tensor::TensorToWrite> tensors_of(const KeptCall& call, const std::byte* values) {
  const auto& signature = call.site->signature();
  std::vector<tensor::TensorToWrite> tensors;
  for (const auto& kept : call.tensors) {
    const auto& parameter = signature.parameters()[kept.place];
    tensors.push_back(
        {parameter.name, parameter.dtype, signature.shape_of(parameter, call.found), values + kept.offset});
  }
  return tensors;
}

}  // namespace fib::tracing
