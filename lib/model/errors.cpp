#include "model/errors.h"

#include <utility>

namespace fib::model {
namespace {

std::string join(const std::vector<FieldError>& errors) {
  std::string text;
  for (const FieldError& error : errors) {
    if (!text.empty()) text += "; ";
    if (!error.path.empty()) text += error.path + ": ";
    text += error.message;
  }
  return text;
}

}  // namespace

ParseError::ParseError(std::vector<FieldError> errors) : Error(join(errors)), errors_(std::move(errors)) {}

}  // namespace fib::model
