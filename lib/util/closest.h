#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// What a user may have meant. Pure.
namespace fib::util {

// How many letters must be inserted, removed or replaced to make one of the other (Levenshtein); bytes count.
[[nodiscard]] std::size_t edit_distance(std::string_view left, std::string_view right);

// Up to three of `names` that are like `name`: no more than a third of its letters differ (two at least), or
// one holds the other. The most alike first, ties by name. None of more than 256 bytes is like another.
[[nodiscard]] std::vector<std::string> closest(std::string_view name, const std::vector<std::string>& names);

// `; did you mean "a", "b" or "c"?`, or the empty text when nothing is like it.
[[nodiscard]] std::string did_you_mean(std::string_view name, const std::vector<std::string>& names);

}  // namespace fib::util
