#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fib::dataset {

// A condition on the sizes of axes, as --where takes it: comparisons with whole numbers, joined by "and".
// Pure.
class AxisCondition {
 public:
  // "batch_size>=64 and head_dim==128": ==, !=, <, <=, > or >= between the name of an axis and a number.
  // Throws Error in one sentence for everything else.
  explicit AxisCondition(std::string_view text);

  using SizeOf = std::function<std::optional<std::int64_t>(const std::string& axis)>;

  // Whether all comparisons hold; an axis without a size makes its comparison false.
  [[nodiscard]] bool holds(const SizeOf& size_of) const;

  // The axes that are compared, in the condition's order.
  [[nodiscard]] std::vector<std::string> axes() const;

 private:
  enum class Relation { equal, unequal, less, at_most, greater, at_least };
  struct Comparison {
    std::string axis;
    Relation relation = Relation::equal;
    std::int64_t size = 0;
  };
  static Comparison parse(std::string_view text);
  static bool compare(const Comparison& comparison, std::int64_t size);

  std::vector<Comparison> comparisons_;
};

}  // namespace fib::dataset
