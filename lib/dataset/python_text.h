#pragma once

#include <string>
#include <string_view>
#include <vector>

// Values as Python prints them, for messages that are part of the format.
namespace fib::dataset {

// repr() of a str: 'text', or "text" when it holds single quotes only. Characters beyond ASCII stay.
[[nodiscard]] std::string python_repr(std::string_view text);

// repr() of a list of str: ['a', 'b'].
[[nodiscard]] std::string python_repr(const std::vector<std::string>& texts);

}  // namespace fib::dataset
