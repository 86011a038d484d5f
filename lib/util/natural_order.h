#pragma once

#include <cstddef>
#include <string>

namespace fib::util {

// By which "round_9" stands before "round_10"; names that differ have different ones.
[[nodiscard]] inline std::string natural_key(const std::string& name) {
  constexpr std::size_t kWidest = 20;
  const auto is_digit = [](char sign) { return sign >= '0' && sign <= '9'; };
  std::string key;
  for (std::size_t i = 0; i < name.size();) {
    std::size_t end = i;
    while (end < name.size() && is_digit(name[end])) ++end;
    if (end - i < kWidest && end > i) key += std::string(kWidest - (end - i), '0');
    if (end == i) ++end;
    key += name.substr(i, end - i);
    i = end;
  }
  return key + '\n' + name;
}

}  // namespace fib::util
