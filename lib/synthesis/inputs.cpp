#include "synthesis/inputs.h"

#include <algorithm>
#include <optional>

#include "synthesis/integers.h"
#include "synthesis/meaning.h"
#include "synthesis/scalars.h"
#include "tensor/safetensors.h"
#include "util/error.h"

namespace fib::synthesis {
namespace {

bool is_random(const model::Workload& workload, const model::TensorSpec& input) {
  const auto* spec = model::find(workload.inputs, input.name);
  return spec == nullptr || spec->kind == model::InputKind::random;
}

// The exponent that makes vectors of N(0,1) shorter than 1; 0 for all inputs but gdn's keys.
int exponent_of(const model::Definition& definition, const model::TensorSpec& input,
                const model::AxisValues& axes) {
  if (definition.op_type != "gdn" || input.name != "k" || input.is_scalar() || is_integer(input)) return 0;
  const auto shape = *model::shape_of(input, axes);
  int exponent = 0;
  // Twice the mean of its square's sum, for the luck of the draw.
  for (std::int64_t squares = shape.empty() ? 1 : 2 * shape.back(); squares > 1; squares /= 4) --exponent;
  return exponent;
}

// Integer tensors that are there. What is wrong with a file is said by whoever takes its tensor as an input.
std::map<std::string, Integers> given_integers(const model::Definition& definition,
                                               const model::Workload& workload, const model::AxisValues& axes,
                                               const std::map<std::string, std::filesystem::path>& blobs) {
  std::map<std::string, Integers> given;
  for (const auto& input : definition.inputs) {
    const auto* spec = model::find(workload.inputs, input.name);
    const auto file = blobs.find(input.name);
    if (!is_integer(input) || spec == nullptr || file == blobs.end()) continue;
    try {
      const tensor::SafetensorsFile tensors(file->second);
      const auto found = tensors.find(spec->tensor_key);
      if (!found || tensor::name_of(found->dtype) != input.dtype) continue;
      if (found->shape != model::shape_of(input, axes).value_or(found->shape)) continue;
      const std::size_t count = found->bytes / tensor::bytes_of(found->dtype, 1);
      given.emplace(input.name, from_bytes(found->data, count, input.dtype));
    } catch (const Error&) {
    }
  }
  return given;
}

void set_spec(model::Workload& workload, const std::string& name,
              const std::optional<model::Scalar>& scalar) {
  model::InputSpec spec;
  if (scalar) {
    spec.kind = model::InputKind::scalar;
    spec.scalar = *scalar;
  }
  const auto known = std::find_if(workload.inputs.begin(), workload.inputs.end(),
                                  [&](const auto& input) { return input.first == name; });
  if (known == workload.inputs.end()) {
    workload.inputs.emplace_back(name, spec);
  } else {
    known->second = spec;
  }
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::vector<std::string> inputs_to_make(const model::Definition& definition, const model::Workload& workload,
                                        const std::set<std::string>& missing) {
  const auto axes = model::axis_values(definition, workload.axes);
  std::vector<std::string> names;
  for (const auto& input : definition.inputs) {
    const auto meaning = meaning_of(definition, input);
    const bool odd = (meaning && is_structural(*meaning)) || exponent_of(definition, input, axes) != 0;
    if (missing.contains(input.name) || (odd && is_random(workload, input))) names.push_back(input.name);
  }
  return names;
}

MadeInputs make_inputs(const model::Definition& definition, const model::Workload& workload,
                       const std::vector<std::string>& inputs,
                       const std::map<std::string, std::filesystem::path>& blobs) {
  if (inputs.empty()) return {workload, {}, {}};
  const auto axes = model::axis_values(definition, workload.axes);
  std::vector<std::string> integers;
  for (const auto& input : definition.inputs) {
    const bool plain = meaning_of(definition, input) == Meaning::bytes;
    if (contains(inputs, input.name) && is_integer(input) && !plain) integers.push_back(input.name);
  }
  const auto elements = make_integers(definition, axes, workload.uuid, integers,
                                      given_integers(definition, workload, axes, blobs));
  MadeInputs made{workload, {}, {}};
  for (const auto& input : definition.inputs) {
    if (!contains(inputs, input.name)) continue;
    const auto found = elements.find(input.name);
    auto scalar = sensible_scalar(input, axes);
    if (found != elements.end() && input.is_scalar()) scalar = model::Scalar{found->second.at(0), {}};
    set_spec(made.workload, input.name, scalar);
    if (found != elements.end() && !input.is_scalar())
      made.tensors.emplace(input.name, to_bytes(found->second, input.dtype));
    if (const int exponent = exponent_of(definition, input, axes))
      made.exponents.emplace(input.name, exponent);
  }
  return made;
}

}  // namespace fib::synthesis
