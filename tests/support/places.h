#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace fib::testing {

// The fib program under test, and the checkout with the tests' data: where they were built, or where
// FIB_TEST_BINARY and FIB_TEST_SOURCE say (tests that were carried to another machine).
inline std::string fib_binary() {
  const char* elsewhere = std::getenv("FIB_TEST_BINARY");
  return elsewhere != nullptr ? elsewhere : FIB_BINARY;
}
inline std::filesystem::path source_folder() {
  const char* elsewhere = std::getenv("FIB_TEST_SOURCE");
  return elsewhere != nullptr ? elsewhere : FIB_SOURCE_DIR;
}

}  // namespace fib::testing
