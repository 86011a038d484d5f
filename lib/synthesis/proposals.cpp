#include "synthesis/proposals.h"

#include <algorithm>
#include <set>
#include <string>

#include "synthesis/draw.h"
#include "synthesis/integers.h"
#include "synthesis/meaning.h"
#include "synthesis/scalars.h"
#include "synthesis/sizes.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"
#include "util/error.h"
#include "util/hash.h"

namespace fib::synthesis {
namespace {

constexpr Size kFirst[] = {{2, 3, 5, 4}, {5, 7, 33, 13}, {16, 32, 128, 64}};

Size size_of(const model::Definition& definition, std::size_t index) {
  if (index < std::size(kFirst)) return kFirst[index];
  Draw draw(definition.name, "size " + std::to_string(index));
  return {draw.between(1, 32), draw.between(1, 32), draw.between(1, 256), draw.between(1, 256)};
}

std::uint64_t bytes_of(const model::TensorSpec& tensor, const model::AxisValues& axes) {
  const auto dtype = tensor::dtype_from_name(tensor.dtype);
  if (!dtype) throw Error("\"{}\" has the unknown dtype \"{}\"", tensor.name, tensor.dtype);
  const auto shape = model::shape_of(tensor, axes);
  const auto count = tensor::element_count(shape.value_or(tensor::Shape{}));
  constexpr std::int64_t kMost = std::int64_t{1} << 46;  // so that sums of bytes fit 64 bits
  if (!count || *count > kMost) throw Error("\"{}\" is too large", tensor.name);
  return tensor::bytes_of(*dtype, static_cast<std::size_t>(*count));
}

std::uint64_t bytes_of(const model::Definition& definition, const model::AxisValues& axes) {
  std::uint64_t bytes = 0;
  for (const auto& input : definition.inputs) bytes += bytes_of(input, axes);
  for (const auto& output : definition.outputs) bytes += bytes_of(output, axes);
  return bytes;
}

// The largest sizes up to the wanted ones that fit.
model::AxisValues fitting_axes(const model::Definition& definition, Size size, const ProposalLimits& limits) {
  for (;;) {
    auto axes = axes_of(definition, size);
    const std::uint64_t bytes = bytes_of(definition, axes);
    if (bytes <= limits.bytes) return axes;
    if (size == halved(size)) {
      throw Error("the inputs and outputs of {} take {} MiB even at its smallest sizes, {} MiB are allowed",
                  definition.name, bytes >> 20U, limits.bytes >> 20U);
    }
    size = halved(size);
  }
}

std::string uuid_of(const model::Definition& definition, const model::Ordered<model::Integer>& axes) {
  util::Sha256 hash;
  hash.add(definition.name);
  for (const auto& [name, value] : axes) hash.add(name).add(static_cast<std::uint64_t>(value.value));
  return "synthetic-" + hash.hex().substr(0, 16);
}

model::InputSpec spec_of(const model::Definition& definition, const model::TensorSpec& input,
                         const model::AxisValues& axes, const std::string& uuid) {
  model::InputSpec spec;
  const auto meaning = meaning_of(definition, input);
  if (is_integer(input) && !meaning) {
    throw Error("nothing is known of what the {} elements of input \"{}\" of {} mean, so they cannot be made",
                input.dtype, input.name, definition.name);
  }
  if (!input.is_scalar()) return spec;
  if (const auto scalar = sensible_scalar(input, axes)) {
    spec.kind = model::InputKind::scalar;
    spec.scalar = *scalar;
  } else if (meaning) {
    spec.kind = model::InputKind::scalar;
    spec.scalar.value = make_integers(definition, axes, uuid, {input.name}).at(input.name).at(0);
  }
  return spec;
}

model::Workload workload_of(const model::Definition& definition, const model::AxisValues& axes) {
  model::Workload workload;
  for (const auto& name : model::var_axes(definition)) workload.axes.emplace_back(name, axes.at(name));
  workload.uuid = uuid_of(definition, workload.axes);
  for (const auto& input : definition.inputs) {
    workload.inputs.emplace_back(input.name, spec_of(definition, input, axes, workload.uuid));
  }
  return workload;
}

}  // namespace

std::vector<model::Workload> propose_workloads(const model::Definition& definition, std::size_t count,
                                               const ProposalLimits& limits) {
  const std::size_t wanted = model::var_axes(definition).empty() ? std::min<std::size_t>(count, 1) : count;
  std::vector<model::Workload> workloads;
  std::set<std::string> known;
  // Sizes that repeat are passed over, but not for ever.
  for (std::size_t index = 0; workloads.size() < wanted && index < 4 * count + std::size(kFirst); ++index) {
    auto workload = workload_of(definition, fitting_axes(definition, size_of(definition, index), limits));
    if (known.insert(workload.uuid).second) workloads.push_back(std::move(workload));
  }
  return workloads;
}

}  // namespace fib::synthesis
