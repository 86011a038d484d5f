#pragma once

#include <string>
#include <vector>

#include "util/error.h"

namespace fib::model {

// How strictly JSON is read, and in which dialect it is written.
enum class Mode {
  // Reads every generation of the format: unknown languages, bindings and keys are kept, old spellings
  // understood.
  // Writes unknown keys back, and non-finite numbers as the strings "NaN", "Infinity" and "-Infinity".
  lenient,
  // Accepts, rejects and writes exactly what the format's first implementation does: unknown keys are
  // dropped, and
  // non-finite numbers outside of the correctness errors are written as null.
  upstream,
};

// One thing wrong in a JSON document. `path` names the field ("axes.M.value"; "" is the document itself).
struct FieldError {
  std::string path;
  std::string message;
};

// A document that is not valid JSON or breaks the rules of its model. what() lists every field error as
// "<path>: <message>", joined by "; ". Callers that know file and line put them in front.
class ParseError : public Error {
 public:
  explicit ParseError(std::vector<FieldError> errors);

  [[nodiscard]] const std::vector<FieldError>& errors() const { return errors_; }

 private:
  std::vector<FieldError> errors_;
};

}  // namespace fib::model
