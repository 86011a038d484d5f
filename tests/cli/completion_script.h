#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/help_tree.h"
#include "cli/run_fib.h"
#include "support/process.h"
#include "util/files.h"

namespace fib::testing {

inline bool is_installed(const std::string& program) {
  return run_process({"sh", "-c", "command -v " + program}).exit_code == 0;
}

// For tests that need a program which not every machine has: says that they skip.
inline bool skips_without(const std::string& program) {
  if (is_installed(program)) return false;
  WARN("skipped: " << program << " is not installed (scripts/setup does that)");
  return true;
}

// The script of `fib completion <shell>` in a folder of its own.
class CompletionScript {
 public:
  explicit CompletionScript(const std::string& shell) {
    const auto output = run_fib({"completion", shell}, "/");
    REQUIRE(output.err == "");
    REQUIRE(output.exit_code == 0);
    util::write_file_atomic(file(), output.out);
  }

  [[nodiscard]] std::filesystem::path folder() const { return folder_.path(); }
  [[nodiscard]] std::string file() const { return folder_.path() / "fib.completion"; }

  // Writes a file into the folder; returns its path.
  [[nodiscard]] std::string add(const std::string& name, const std::string& content) const {
    util::write_file_atomic(folder() / name, content);
    return folder() / name;
  }

 private:
  util::TemporaryFolder folder_{std::filesystem::temp_directory_path(), "fib-completion-test-"};
};

}  // namespace fib::testing
