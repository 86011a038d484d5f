#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "model/definition.h"
#include "synthesis/draw.h"
#include "synthesis/meaning.h"
#include "tensor/shape.h"

namespace fib::synthesis {

// The integer inputs of one workload while they are made (they follow from its uuid, unlike input sets,
// input_sets.h, which are new in every call): tensors are made when they are asked for, each once, so that
// those that depend on others (pages on queries, last pages on both) find them. References must outlive it.
class IntegerSet {
 public:
  // `given` are tensors that are there already.
  IntegerSet(const model::Definition& definition, const model::AxisValues& axes, std::string_view seed,
             std::map<std::string, Integers> given);

  // The elements of the input. Throws Error naming it when nothing says what it means, or the meaning cannot
  // be kept.
  const Integers& tensor(const model::TensorSpec& input);

  [[nodiscard]] const model::Definition& definition() const { return definition_; }
  [[nodiscard]] const model::AxisValues& axes() const { return axes_; }
  [[nodiscard]] const std::map<std::string, Integers>& tensors() const { return tensors_; }
  [[nodiscard]] tensor::Shape shape(const model::TensorSpec& input) const;
  [[nodiscard]] Draw draw(const model::TensorSpec& input) const { return {seed_, input.name}; }
  // The value of the first of these axes that the definition has.
  [[nodiscard]] std::optional<std::int64_t> first_axis(std::initializer_list<const char*> names) const;
  // Tokens of a page: the axis "page_size", in [1, 2^30]; 1 where there is none.
  [[nodiscard]] std::int64_t page_size() const;
  // The first input with this meaning; null when there is none.
  [[nodiscard]] const model::TensorSpec* input_of(Meaning meaning) const;
  // The first dimension of the first tensor of floats whose name has `word` in it, a cache for example.
  [[nodiscard]] std::optional<std::int64_t> first_dimension(std::string_view word) const;

 private:
  const model::Definition& definition_;
  const model::AxisValues& axes_;
  std::string seed_;
  std::map<std::string, Integers> tensors_;
};

// The makers: all elements of one input with that meaning. They throw Error when the definition does not say
// enough, or its axes leave no room; without the input's name.

[[nodiscard]] Integers make_offsets(IntegerSet& set, const model::TensorSpec& input);
[[nodiscard]] Integers make_last_page_lengths(IntegerSet& set, const model::TensorSpec& input);
[[nodiscard]] Integers make_indices(IntegerSet& set, const model::TensorSpec& input, Meaning meaning);

}  // namespace fib::synthesis
