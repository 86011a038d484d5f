#pragma once

#include <filesystem>

#include "util/files.h"

namespace fib::testing {

// A folder of the test's own, removed at its end.
class TemporaryFolder : public util::TemporaryFolder {
 public:
  TemporaryFolder() : util::TemporaryFolder(std::filesystem::temp_directory_path(), "fib-test-") {}
};

}  // namespace fib::testing
