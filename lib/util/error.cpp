#include "util/error.h"

#include <algorithm>

namespace fib {

std::string without_nul(std::string text) {
  std::replace(text.begin(), text.end(), '\0', '?');
  return text;
}

}  // namespace fib
