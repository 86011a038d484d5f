#include "util/closest.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace fib::util {

std::size_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= left.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t replaced = diagonal + (left[i - 1] == right[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::vector<std::string> closest(std::string_view name, const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 3;
  constexpr std::size_t kLongest = 256;  // of names of datasets; others are no slips of a finger
  if (name.size() > kLongest) return {};
  const std::size_t limit = std::max<std::size_t>(2, name.size() / 3);
  std::set<std::pair<std::size_t, std::string>> found;
  for (const std::string& other : names) {
    if (other.empty() || name.empty() || other.size() > kLongest) continue;
    const bool holds = other.find(name) != std::string::npos || name.find(other) != std::string_view::npos;
    const std::size_t longer = std::max(name.size(), other.size()) - std::min(name.size(), other.size());
    if (longer > limit && !holds) continue;
    const std::size_t distance = edit_distance(name, other);
    if (distance <= limit || holds) found.emplace(distance, other);
  }
  std::vector<std::string> result;
  for (const auto& [distance, other] : found) {
    if (result.size() < kMost) result.push_back(other);
  }
  return result;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& names) {
  const auto alike = closest(name, names);
  if (alike.empty()) return "";
  std::string text = "; did you mean ";
  for (std::size_t i = 0; i < alike.size(); ++i)
    text += fmt::format("{}\"{}\"", i == 0 ? "" : i + 1 == alike.size() ? " or " : ", ", alike[i]);
  return text + "?";
}

}  // namespace fib::util
