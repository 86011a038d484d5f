#pragma once

#include <fib.h>

#include <exception>
#include <new>
#include <string>

#include "model/errors.h"
#include "util/error.h"

// What every function of fib.h does: no exception leaves it, and the thread's last error says why it failed.
namespace fib::c_api {

// The caller's mistake.
class Invalid : public Error {
 public:
  using Error::Error;
};

// What was asked for is not there.
class NotFound : public Error {
 public:
  using Error::Error;
};

// Of this thread; "" where the last call did not fail.
[[nodiscard]] std::string& last_error();

// Throws Invalid naming the argument when it is null.
template <typename Pointer>
Pointer expect(Pointer pointer, const char* name) {
  if (pointer == nullptr) throw Invalid("{} is null", name);
  return pointer;
}

// A text of its own for the caller, who frees it. Throws bad_alloc.
[[nodiscard]] char* new_text(const std::string& text);

// Does `act` and says how it ended.
template <typename Act>
fib_status guarded(Act act) noexcept try {
  last_error().clear();
  act();
  return FIB_OK;
} catch (const Invalid& error) {
  last_error() = error.what();
  return FIB_INVALID;
} catch (const NotFound& error) {
  last_error() = error.what();
  return FIB_NOT_FOUND;
} catch (const model::ParseError& error) {
  last_error() = error.what();
  return FIB_INVALID;
} catch (const std::exception& error) {
  last_error() = error.what();
  return FIB_FAILED;
} catch (...) {
  return FIB_FAILED;
}

}  // namespace fib::c_api
