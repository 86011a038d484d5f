#include "arguments/signature.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "arguments/scalars.h"
#include "arguments/tensors.h"
#include "tensor/shape.h"
#include "util/error.h"

namespace fib::arguments {
namespace {

std::string sizes_of(const fib_tensor& tensor) {
  return tensor::to_string({tensor.shape, tensor.shape + tensor.ndim});
}

std::string dtype_of(const fib_tensor& tensor) {
  const auto dtype = tvm_ffi::dtype_of(data_type_of(tensor));
  if (dtype) return std::string(tensor::name_of(*dtype));
  return fmt::format("DLPack's dtype code {} with {} bits and {} lanes", tensor.dtype_code, tensor.dtype_bits,
                     tensor.dtype_lanes);
}

std::string device_of(std::int32_t type, std::int32_t id) {
  if (type == tvm_ffi::kCpu) return "the CPU";
  return type == tvm_ffi::kCuda ? fmt::format("cuda:{}", id) : fmt::format("DLPack's device {}:{}", type, id);
}

}  // namespace

struct Signature::Matching {
  Case& found;
  Placement placement;
  std::uint32_t seen = 0;  // axes, by their places
  bool has_device = false;
};
static_assert(kMostAxes <= 32);

Signature::Signature(const model::Definition& definition) : definition_(definition) {
  definition_.reference.clear();
  axes_ = model::var_axes(definition);
  variable_axes_ = axes_.size();
  std::map<std::string, std::int64_t> constants;
  for (const auto& [name, axis] : definition.axes) {
    if (axis.expression) axes_.push_back(name);
    if (axis.value && !axis.value->fits()) throw Error("axis \"{}\" does not fit 64 bits", name);
    if (axis.value) constants[name] = axis.value->value;
  }
  inputs_ = definition.inputs.size();
  const std::size_t count = inputs_ + definition.outputs.size();
  if (axes_.size() > kMostAxes)
    throw Error("it has {} axes that vary, more than {}", axes_.size(), kMostAxes);
  if (count > kMostArguments)
    throw Error("it has {} inputs and outputs, more than {}", count, kMostArguments);
  const auto dimension = [&](const std::string& entry) -> Parameter::Dimension {
    if (const auto size = model::literal_size(entry)) return {false, *size};
    if (const auto constant = constants.find(entry); constant != constants.end())
      return {false, constant->second};
    const auto axis = std::find(axes_.begin(), axes_.end(), entry);
    if (axis == axes_.end()) throw Error("it has no axis \"{}\"", entry);
    return {true, axis - axes_.begin()};
  };
  const auto add = [&](const model::TensorSpec& spec, bool is_input) {
    const auto dtype = tensor::dtype_from_name(spec.dtype);
    const auto type = dtype ? tvm_ffi::data_type_of(*dtype) : std::nullopt;
    if (!type) throw Error("\"{}\" has the dtype {}, which DLPack does not have", spec.name, spec.dtype);
    Parameter parameter{spec.name, is_input && spec.is_scalar(), *dtype, *type, {}};
    if (spec.shape)
      std::transform(spec.shape->begin(), spec.shape->end(), std::back_inserter(parameter.shape), dimension);
    parameters_.push_back(std::move(parameter));
  };
  for (const auto& input : definition.inputs) add(input, true);
  for (const auto& output : definition.outputs) add(output, false);
}

// Whether the tensor does not lie where the first one does, and has to.
bool Signature::is_elsewhere(const fib_tensor& tensor, const Matching& matching) noexcept {
  const Case& found = matching.found;
  return matching.placement == Placement::one_device && matching.has_device &&
         (found.device_type != tensor.device_type || found.device_id != tensor.device_id);
}

Fit Signature::match_one(std::size_t place, const fib_value& value, Matching& matching) const noexcept {
  const auto& parameter = parameters_[place];
  if (parameter.scalar) return takes(parameter.dtype, value) ? Fit::fits : Fit::wrong;
  if (value.kind != FIB_TENSOR || value.u.tensor == nullptr) return Fit::wrong;
  const fib_tensor& tensor = *value.u.tensor;
  if (tensor.ndim > 0 && tensor.shape == nullptr) return Fit::wrong;
  Case& found = matching.found;
  if (!matching.has_device) {
    matching.has_device = true;
    found.device_type = tensor.device_type;
    found.device_id = tensor.device_id;
  }
  if (is_elsewhere(tensor, matching)) return Fit::wrong;
  if (data_type_of(tensor) != parameter.data_type) return Fit::wrong;
  if (tensor.ndim < 0 || static_cast<std::size_t>(tensor.ndim) != parameter.shape.size()) return Fit::wrong;
  bool is_empty = false;
  for (std::size_t i = 0; i < parameter.shape.size(); ++i) {
    const auto& dimension = parameter.shape[i];
    const std::int64_t size = tensor.shape[i];
    if (size < 0) return Fit::wrong;
    is_empty = is_empty || size == 0;
    std::int64_t expected = dimension.value;
    if (dimension.is_axis) {
      const auto axis = static_cast<std::size_t>(dimension.value);
      if ((matching.seen >> axis & 1U) == 0) found.axes[axis] = size;
      matching.seen |= 1U << axis;
      expected = found.axes[axis];
    }
    if (size != expected) return Fit::wrong;
  }
  if (tensor.data == nullptr && !is_empty) return Fit::wrong;
  if (!is_contiguous(tensor)) return Fit::strided;
  const auto address = reinterpret_cast<std::uintptr_t>(address_of(tensor));
  return address % alignment_on(tensor.device_type) == 0 ? Fit::fits : Fit::unaligned;
}

Fit Signature::match(const fib_value* arguments, std::size_t count, Case& found,
                     Placement placement) const noexcept {
  found = {};
  if (count != inputs_ && count != parameters_.size()) return Fit::wrong;
  Matching matching{found, placement};
  Fit result = Fit::fits;
  for (std::size_t i = 0; i < count; ++i) {
    const Fit fit = match_one(i, arguments[i], matching);
    if (fit == Fit::wrong) return fit;
    if (result == Fit::fits) result = fit;
  }
  return result;
}

std::string Signature::explain_one(std::size_t place, const fib_value& value, Matching& matching) const {
  const auto& parameter = parameters_[place];
  const bool had_device = matching.has_device;
  const Case known = matching.found;
  const Fit fit = match_one(place, value, matching);
  if (fit == Fit::fits) return "";
  const std::string name = fmt::format("{} \"{}\"", place < inputs_ ? "input" : "output", parameter.name);
  if (parameter.scalar)
    return fmt::format("{} is a scalar of dtype {}, which the argument is not", name,
                       tensor::name_of(parameter.dtype));
  if (value.kind != FIB_TENSOR || value.u.tensor == nullptr) return name + " has to be a tensor";
  const fib_tensor& tensor = *value.u.tensor;
  if (tensor.ndim > 0 && tensor.shape == nullptr) return name + " has no shape";
  if (fit == Fit::strided) return fmt::format("{} is not contiguous", name);
  if (fit == Fit::unaligned)
    return fmt::format("the address of {} is not a multiple of {} bytes", name,
                       alignment_on(tensor.device_type));
  if (had_device && is_elsewhere(tensor, matching))
    return fmt::format("{} lies on {}, others on {}", name, device_of(tensor.device_type, tensor.device_id),
                       device_of(known.device_type, known.device_id));
  if (data_type_of(tensor) != parameter.data_type)
    return fmt::format("{} has dtype {}, the definition says {}", name, dtype_of(tensor),
                       tensor::name_of(parameter.dtype));
  if (tensor.ndim < 0 || static_cast<std::size_t>(tensor.ndim) != parameter.shape.size())
    return fmt::format("{} has {} axes, the definition says {}", name, tensor.ndim, parameter.shape.size());
  const auto sizes = std::vector<std::int64_t>(tensor.shape, tensor.shape + tensor.ndim);
  if (std::any_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size < 0; }))
    return fmt::format("{} has the shape {}: no size is negative", name, sizes_of(tensor));
  if (sizes == shape_of(parameter, matching.found)) return name + " has no memory";
  return fmt::format("{} has the shape {}, which should be {}", name, sizes_of(tensor),
                     tensor::to_string(shape_of(parameter, matching.found)));
}

std::string Signature::explain(const fib_value* arguments, std::size_t count, Placement placement) const {
  if (count != inputs_ && count != parameters_.size())
    return fmt::format("expected {} arguments (the inputs) or {} (with the outputs), got {}", inputs_,
                       parameters_.size(), count);
  Case found;
  Matching matching{found, placement};
  for (std::size_t i = 0; i < count; ++i) {
    if (auto text = explain_one(i, arguments[i], matching); !text.empty()) return text;
  }
  return "";
}

model::AxisValues Signature::axis_values(const Case& found) const {
  model::Ordered<model::Integer> variables;
  for (std::size_t i = 0; i < variable_axes_; ++i) variables.emplace_back(axes_[i], found.axes[i]);
  auto values = model::axis_values(definition_, variables);
  for (std::size_t i = variable_axes_; i < axes_.size(); ++i) {
    if (found.axes[i] != values.at(axes_[i]))
      throw Error("axis \"{}\" is {}, and should be {}", axes_[i], found.axes[i], values.at(axes_[i]));
  }
  return values;
}

Case Signature::case_of(const model::Ordered<model::Integer>& variables, std::int32_t device_type,
                        std::int32_t device_id) const {
  const auto values = model::axis_values(definition_, variables);
  Case result{{}, device_type, device_id};
  for (std::size_t i = 0; i < axes_.size(); ++i) result.axes[i] = values.at(axes_[i]);
  return result;
}

std::vector<std::int64_t> Signature::shape_of(const Parameter& parameter, const Case& found) const {
  std::vector<std::int64_t> shape;
  for (const auto& dimension : parameter.shape)
    shape.push_back(dimension.is_axis ? found.axes[static_cast<std::size_t>(dimension.value)]
                                      : dimension.value);
  return shape;
}

}  // namespace fib::arguments

std::size_t std::hash<fib::arguments::Case>::operator()(const fib::arguments::Case& key) const noexcept {
  // Mixes as splitmix64 does (Steele, Lea, Flood 2014).
  std::uint64_t mixed =
      static_cast<std::uint64_t>(key.device_type) << 32 | static_cast<std::uint32_t>(key.device_id);
  for (const std::int64_t value : key.axes) {
    if (value == 0) continue;
    mixed = (mixed ^ static_cast<std::uint64_t>(value)) + 0x9e3779b97f4a7c15U;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9U;
    mixed ^= mixed >> 27;
  }
  return static_cast<std::size_t>(mixed);
}
