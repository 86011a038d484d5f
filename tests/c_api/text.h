#pragma once

#include <fib.h>

#include <string>

namespace fib::testing {

// A text that a function of fib.h makes.
class Text {
 public:
  Text() = default;
  ~Text() { fib_free(text_); }
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;

  // Where a function puts it.
  [[nodiscard]] char** out() {
    fib_free(text_);
    text_ = nullptr;
    return &text_;
  }
  [[nodiscard]] bool is_null() const { return text_ == nullptr; }
  [[nodiscard]] std::string str() const { return text_ == nullptr ? "" : text_; }

 private:
  char* text_ = nullptr;
};

}  // namespace fib::testing
