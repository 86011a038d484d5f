#include "synthesis/integer_set.h"

#include <algorithm>

#include "util/error.h"

namespace fib::synthesis {
namespace {

Integers make(IntegerSet& set, const model::TensorSpec& input, Meaning meaning) {
  switch (meaning) {
    case Meaning::offsets:
      return make_offsets(set, input);
    case Meaning::last_page_lengths:
      return make_last_page_lengths(set, input);
    default:
      return make_indices(set, input, meaning);
  }
}

}  // namespace

IntegerSet::IntegerSet(const model::Definition& definition, const model::AxisValues& axes,
                       std::string_view seed, std::map<std::string, Integers> given)
    : definition_(definition), axes_(axes), seed_(seed), tensors_(std::move(given)) {}

const Integers& IntegerSet::tensor(const model::TensorSpec& input) {
  const auto known = tensors_.find(input.name);
  if (known != tensors_.end()) return known->second;
  const auto meaning = meaning_of(definition_, input);
  if (!meaning || *meaning == Meaning::bytes) {
    throw Error(
        "nothing is known of what the {} elements of input \"{}\" mean, so they cannot be made; give them in "
        "a "
        "safetensors file",
        input.dtype, input.name);
  }
  try {
    return tensors_.emplace(input.name, make(*this, input, *meaning)).first->second;
  } catch (const Error& error) {
    throw error.with_context(fmt::format("input \"{}\" cannot be made", input.name));
  }
}

tensor::Shape IntegerSet::shape(const model::TensorSpec& input) const {
  return model::shape_of(input, axes_).value_or(tensor::Shape{});
}

std::optional<std::int64_t> IntegerSet::first_axis(std::initializer_list<const char*> names) const {
  for (const char* name : names) {
    const auto found = axes_.find(name);
    if (found != axes_.end()) return found->second;
  }
  return std::nullopt;
}

std::int64_t IntegerSet::page_size() const {
  constexpr std::int64_t kLargest = std::int64_t{1} << 30;  // so that products with it fit 64 bits
  return std::clamp<std::int64_t>(first_axis({"page_size", "block_size"}).value_or(1), 1, kLargest);
}

const model::TensorSpec* IntegerSet::input_of(Meaning meaning) const {
  for (const auto& input : definition_.inputs) {
    if (meaning_of(definition_, input) == meaning) return &input;
  }
  return nullptr;
}

std::optional<std::int64_t> IntegerSet::first_dimension(std::string_view word) const {
  for (const auto& input : definition_.inputs) {
    if (is_integer(input) || input.is_scalar() || input.name.find(word) == std::string::npos) continue;
    const auto sizes = shape(input);
    if (sizes.size() >= 2) return sizes.front();
  }
  return std::nullopt;
}

}  // namespace fib::synthesis
