#include "c_api/errors.h"

#include <cstdlib>
#include <cstring>

namespace fib::c_api {

std::string& last_error() {
  thread_local std::string text;
  return text;
}

char* new_text(const std::string& text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));  // NOLINT: C programs free it
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

}  // namespace fib::c_api

extern "C" {

std::int32_t fib_abi_version(void) { return FIB_ABI_VERSION; }

const char* fib_version(void) { return FIB_VERSION; }

const char* fib_last_error(void) { return fib::c_api::last_error().c_str(); }

void fib_free(char* text) { std::free(text); }  // NOLINT: new_text's
}
