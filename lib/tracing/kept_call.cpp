#include "tracing/kept_call.h"

#include <algorithm>
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

// Says where the values of each tensor lie in the call's bytes.
void lay_out(KeptCall& call) {
  const auto aligned = [](std::uint64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; };
  const auto on_device = std::stable_partition(call.tensors.begin(), call.tensors.end(),
                                               [](const KeptTensor& kept) { return kept.on_host; });
  for (auto kept = call.tensors.begin(); kept != call.tensors.end(); ++kept) {
    kept->offset = aligned(call.bytes);
    call.bytes = kept->offset + kept->bytes;
    if (kept < on_device) call.host_bytes = call.bytes;
  }
  if (on_device != call.tensors.end()) call.host_bytes = on_device->offset;
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
    const fib_tensor& given = *values[place].u.tensor;
    const auto count = tensor::element_count(signature.shape_of(parameter, found));
    if (!count || *count > kMostElements) throw Error("\"{}\" is too large", parameter.name);
    if (*count > 0 && given.data == nullptr) throw Error("\"{}\" has no memory", parameter.name);
    const auto bytes =
        static_cast<std::uint64_t>(tensor::bytes_of(parameter.dtype, static_cast<std::size_t>(*count)));
    call->tensors.push_back({place, arguments::is_on_host(given.device_type), 0, bytes});
  }
  lay_out(*call);
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
