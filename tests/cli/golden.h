#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "support/places.h"
#include "util/files.h"

namespace fib::testing {

// Compares `text` with tests/cli/golden/<name>, byte by byte. With FIB_UPDATE_GOLDEN=1 the file is written
// instead.
inline void check_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path file = testing::source_folder() / "tests/cli/golden" / name;
  INFO("golden file: " << file.string() << "; FIB_UPDATE_GOLDEN=1 rewrites it");
  if (std::getenv("FIB_UPDATE_GOLDEN") != nullptr) util::write_file_atomic(file, text);
  CHECK(text == util::read_file(file));
}

}  // namespace fib::testing
