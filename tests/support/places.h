#pragma once

#include <filesystem>
#include <string>

namespace fib::testing {

// The fib program under test, and the checkout with the tests' data: where they were built, or where
// FIB_TEST_BINARY and FIB_TEST_SOURCE say (tests that were carried to another machine).
[[nodiscard]] std::string fib_binary();
[[nodiscard]] std::filesystem::path source_folder();

}  // namespace fib::testing
