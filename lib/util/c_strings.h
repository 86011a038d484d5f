#pragma once

#include <string>
#include <vector>

namespace fib::util {

// Pointers to the texts and a null pointer at the end: what exec and its kin take. Valid while `texts` is
// unchanged.
[[nodiscard]] inline std::vector<char*> c_pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace fib::util
