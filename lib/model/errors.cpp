#include "model/errors.h"

#include <algorithm>
#include <utility>

#include "util/some_of.h"

namespace fib::model {
namespace {

std::string join(const std::vector<FieldError>& errors) {
  constexpr std::size_t kMostTold = 100;
  std::string text;
  const std::size_t told = std::min(errors.size(), kMostTold);
  for (std::size_t i = 0; i < told; ++i) {
    if (!text.empty()) text += "; ";
    if (!errors[i].path.empty()) text += errors[i].path + ": ";
    text += errors[i].message;
  }
  if (errors.size() > told) text += "; " + util::and_more(errors.size(), told);
  return text;
}

}  // namespace

ParseError::ParseError(std::vector<FieldError> errors) : Error(join(errors)), errors_(std::move(errors)) {}

}  // namespace fib::model
