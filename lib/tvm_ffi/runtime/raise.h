#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "tvm_ffi/abi.h"

namespace fib::tvm_ffi {

// What a function of the interface does where it fails: the thread's raised error is set.
struct Raised : std::runtime_error {
  Raised(std::string error_kind, const std::string& message)
      : std::runtime_error(message), kind(std::move(error_kind)) {}
  std::string kind;  // "ValueError"
};

// An error object with one reference, which is the caller's.
[[nodiscard]] Object* make_error(const std::string& kind, const std::string& message,
                                 const std::string& backtrace);

// Sets the thread's raised error; takes a reference of its own.
void set_raised(Object* error);
void set_raised(const std::string& kind, const std::string& message);

[[nodiscard]] inline std::string text_of(const ByteArray& bytes) { return {bytes.data, bytes.size}; }

// Runs `step` at the border to C: 0, or -1 with the raised error set.
template <typename Step>
int guarded(Step step) noexcept {
  try {
    step();
    return 0;
  } catch (const Raised& error) {
    set_raised(error.kind, error.what());
  } catch (const std::exception& error) {
    set_raised("RuntimeError", error.what());
  } catch (...) {
    set_raised("RuntimeError", "an exception of an unknown type");
  }
  return -1;
}

}  // namespace fib::tvm_ffi
