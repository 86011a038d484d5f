#include "support/places.h"

#include <cstdlib>

namespace fib::testing {

std::string fib_binary() {
  const char* elsewhere = std::getenv("FIB_TEST_BINARY");
  return elsewhere != nullptr ? elsewhere : FIB_BINARY;
}

std::filesystem::path source_folder() {
  const char* elsewhere = std::getenv("FIB_TEST_SOURCE");
  return elsewhere != nullptr ? elsewhere : FIB_SOURCE_DIR;
}

}  // namespace fib::testing
