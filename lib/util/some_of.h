#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace fib::util {

// How many of a list are named where there are many.
inline constexpr std::size_t kNamed = 3;

// What ends a list of `all` things of which `shown` are told: "and 4 more", or with a noun in the singular
// "and 4 more workloads"; "" where none is left.
[[nodiscard]] inline std::string and_more(std::size_t all, std::size_t shown, std::string_view noun = "") {
  if (all <= shown) return "";
  const std::size_t rest = all - shown;
  return fmt::format("and {} more{}{}{}", rest, noun.empty() ? "" : " ", noun,
                     noun.empty() || rest == 1 ? "" : "s");
}

// Of a list of names the first ones: "a, b, c and 4 more"; "" where there are none.
template <typename Names>
[[nodiscard]] std::string some_of(const Names& names, std::string_view noun = "", std::size_t most = kNamed,
                                  std::string_view separator = ", ") {
  std::string text;
  std::size_t shown = 0;
  for (const std::string& name : names) {
    if (shown == most) return text + " " + and_more(names.size(), most, noun);
    if (shown++ > 0) text += separator;
    text += name;
  }
  return text;
}

}  // namespace fib::util
