#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace fib::util {

// An integer expression over names, such as "4 * ceil_div(batch_size, 256)":
//   sum     = product (("+" | "-") product)*
//   product = factor (("*" | "/" | "%") factor)*
//   factor  = number | name | "-" factor | "(" sum ")" | function "(" sum "," sum ")"
//   function = "min" | "max" | "ceil_div"
// At most 4,096 characters. "/" and "%" round toward zero, as in C. Immutable; copies share; any thread.
class Expression {
 public:
  // Throws Error naming the text, the position and what was expected.
  [[nodiscard]] static Expression parse(std::string_view text);

  // The value, with `values` for the names. Throws Error naming the expression when a name has no value, a
  // divisor is 0, or the result does not fit 64 bits.
  [[nodiscard]] std::int64_t evaluate(const std::map<std::string, std::int64_t>& values) const;

  [[nodiscard]] const std::set<std::string>& names() const { return names_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  struct Node;
  class Parser;
  std::shared_ptr<const Node> root_;
  std::set<std::string> names_;
  std::string text_;
};

}  // namespace fib::util
