#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>

namespace fib::util {

// Of a list of names the first three: "a, b, c and 4 more"; "" where there are none.
template <typename Names>
[[nodiscard]] std::string some_of(const Names& names) {
  constexpr std::size_t kShown = 3;
  std::string text;
  std::size_t shown = 0;
  for (const std::string& name : names) {
    if (shown == kShown) return text + fmt::format(" and {} more", names.size() - kShown);
    text += (shown++ == 0 ? "" : ", ") + name;
  }
  return text;
}

}  // namespace fib::util
