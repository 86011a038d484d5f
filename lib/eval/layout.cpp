#include "eval/layout.h"

#include "tensor/shape.h"

namespace fib::eval {
namespace {

constexpr std::uint64_t kScalarBytes = 8;
// Far above any machine's memory, far below where sums of sizes could overflow.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 46U;

// Inputs without a shape are passed by value; outputs without one are written, as tensors without dimensions.
enum class Role { kInput, kOutput };

std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + Layout::kAlignment - 1) / Layout::kAlignment * Layout::kAlignment;
}

Slot make_slot(const model::TensorSpec& spec, Role role, const model::AxisValues& values,
               std::uint64_t& end) {
  Slot slot;
  slot.name = spec.name;
  const auto dtype = tensor::dtype_from_name(spec.dtype);
  if (!dtype) throw Error("\"{}\" has the unknown dtype \"{}\"", spec.name, spec.dtype);
  slot.dtype = *dtype;
  slot.scalar = spec.is_scalar() && role == Role::kInput;
  if (!spec.is_scalar()) slot.shape = *model::shape_of(spec, values);
  slot.offset = aligned(end);
  slot.bytes = slot.scalar ? kScalarBytes : tensor::bytes_of(slot.dtype, slot.count());
  end = slot.offset + slot.bytes;
  if (end > kMaxBytes) throw Error("\"{}\" is too large", spec.name);
  return slot;
}

bool is_sound(const Slot& slot, std::uint64_t buffer_bytes) {
  if (slot.offset % Layout::kAlignment != 0 || slot.offset > buffer_bytes) return false;
  const std::uint64_t expected = slot.scalar ? kScalarBytes : tensor::bytes_of(slot.dtype, slot.count());
  return slot.bytes == expected && slot.bytes <= buffer_bytes - slot.offset &&
         (!slot.scalar || slot.shape.empty());
}

}  // namespace

std::uint64_t Layout::input_stride() const { return aligned(input_bytes); }

std::uint64_t Layout::output_stride() const { return aligned(output_bytes); }

std::uint64_t Slot::count() const {
  const auto count = tensor::element_count(shape);
  if (!count || static_cast<std::uint64_t>(*count) > kMaxBytes) throw Error("\"{}\" is too large", name);
  return static_cast<std::uint64_t>(*count);
}

bool is_small(const Layout& layout) {
  constexpr std::uint64_t kSmallBytes = std::uint64_t{64} << 10U;
  return layout.input_bytes + layout.output_bytes <= kSmallBytes;
}

Layout make_layout(const model::Definition& definition, const model::Workload& workload) {
  const auto values = model::axis_values(definition, workload.axes);
  Layout layout;
  for (const auto& input : definition.inputs) {
    layout.inputs.push_back(make_slot(input, Role::kInput, values, layout.input_bytes));
  }
  for (const auto& output : definition.outputs) {
    layout.outputs.push_back(make_slot(output, Role::kOutput, values, layout.output_bytes));
  }
  for (const auto& axis : model::var_axes(definition)) layout.axes.push_back(values.at(axis));
  return layout;
}

bool is_sound(const Layout& layout) {
  try {
    if (layout.input_bytes > kMaxBytes || layout.output_bytes > kMaxBytes) return false;
    for (const auto& slot : layout.inputs) {
      if (!is_sound(slot, layout.input_bytes)) return false;
    }
    for (const auto& slot : layout.outputs) {
      if (!is_sound(slot, layout.output_bytes)) return false;
    }
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace fib::eval
