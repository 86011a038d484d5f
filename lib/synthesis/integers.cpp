#include "synthesis/integers.h"

#include <cstring>
#include <limits>

#include "synthesis/integer_set.h"
#include "synthesis/known_values.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"
#include "util/error.h"

namespace fib::synthesis {
namespace {

const model::TensorSpec& find_input(const model::Definition& definition, const std::string& name) {
  for (const auto& input : definition.inputs) {
    if (input.name == name) return input;
  }
  throw Error("definition {} has no input \"{}\"", definition.name, name);
}

tensor::DType integer_dtype(std::string_view name) {
  const auto dtype = tensor::dtype_from_name(name);
  if (!dtype || tensor::is_floating(*dtype)) throw Error("{} is not an integer dtype", name);
  return *dtype;
}

// Calls `use` with a value of the C++ type of `dtype`.
template <typename Use>
void with_type(tensor::DType dtype, Use use) {
  switch (dtype) {
    case tensor::DType::kInt64:
      return use(std::int64_t{});
    case tensor::DType::kInt32:
      return use(std::int32_t{});
    case tensor::DType::kInt16:
      return use(std::int16_t{});
    case tensor::DType::kInt8:
      return use(std::int8_t{});
    default:
      return use(std::uint8_t{});
  }
}

void check_given(const model::TensorSpec& input, const model::AxisValues& axes, const Integers& elements) {
  const auto count = tensor::element_count(model::shape_of(input, axes).value_or(tensor::Shape{}));
  if (!count || static_cast<std::size_t>(*count) != elements.size())
    throw Error("input \"{}\" has {} elements, which is not what its shape says", input.name,
                elements.size());
}

}  // namespace

std::map<std::string, Integers> make_integers(const model::Definition& definition,
                                              const model::AxisValues& axes, std::string_view seed,
                                              const std::vector<std::string>& inputs,
                                              const std::map<std::string, Integers>& given) {
  for (const auto& [name, elements] : given) check_given(find_input(definition, name), axes, elements);
  IntegerSet set(definition, axes, seed, given);
  std::map<std::string, Integers> made;
  for (const auto& name : inputs) made.emplace(name, set.tensor(find_input(definition, name)));
  const std::string broken = broken_constraint(definition, KnownValues(definition, axes, set.tensors()));
  if (!made.empty() && !broken.empty()) throw Error("no inputs fit this workload: {}", broken);
  return made;
}

std::vector<std::byte> to_bytes(const Integers& elements, std::string_view dtype) {
  std::vector<std::byte> bytes(tensor::bytes_of(integer_dtype(dtype), elements.size()));
  with_type(integer_dtype(dtype), [&](auto zero) {
    using Element = decltype(zero);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const auto element = static_cast<Element>(elements[i]);
      if (element != elements[i]) throw Error("{} does not fit {}", elements[i], dtype);
      std::memcpy(bytes.data() + i * sizeof element, &element, sizeof element);
    }
  });
  return bytes;
}

Integers from_bytes(const std::byte* data, std::size_t count, std::string_view dtype) {
  Integers elements(count);
  with_type(integer_dtype(dtype), [&](auto zero) {
    auto element = zero;
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(&element, data + i * sizeof element, sizeof element);
      elements[i] = element;
    }
  });
  return elements;
}

}  // namespace fib::synthesis
