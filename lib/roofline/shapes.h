#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/definition.h"
#include "model/workload.h"

// What bytes.cpp and flops.cpp ask of a definition at a workload's sizes. Pure.
namespace fib::roofline {

// Bits of one element, 0 for types that the format does not know.
[[nodiscard]] int bits_of(std::string_view dtype);

// A definition with the values of its axes; keeps a reference to the definition.
class Shapes {
 public:
  // Throws Error when the workload's axes do not fit.
  Shapes(const model::Definition& definition, const model::Workload& workload)
      : definition_(definition), values_(model::axis_values(definition, workload.axes)) {}

  [[nodiscard]] const model::Definition& definition() const { return definition_; }
  [[nodiscard]] std::optional<double> axis(std::string_view name) const;
  [[nodiscard]] double size(
      std::string_view entry) const;  // of a shape's entry; throws Error for unknown ones
  [[nodiscard]] std::vector<double> sizes(const model::TensorSpec& tensor) const;  // none for a scalar
  [[nodiscard]] double bytes(const model::TensorSpec& tensor) const;  // of the whole tensor; 0 for a scalar

  [[nodiscard]] const model::TensorSpec* input(std::string_view name) const;  // null: there is none

  // Sequences of a batch, by the lengths of its offsets; nothing when there are none.
  [[nodiscard]] std::optional<double> sequences() const;
  // Key and value tokens that all sequences have together; nothing when the definition does not say. At least
  // and at most differ where pages hold several tokens: the last one of a sequence holds one or more.
  [[nodiscard]] std::optional<double> fewest_tokens() const;
  [[nodiscard]] std::optional<double> most_tokens() const;

 private:
  const model::Definition& definition_;
  model::AxisValues values_;
};

// Whether `text` contains one of `parts`.
[[nodiscard]] bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts);

}  // namespace fib::roofline
