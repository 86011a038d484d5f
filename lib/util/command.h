#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fib::util {

struct CommandResult {
  int wait_status = 0;  // as waitpid gives it
  std::string output;   // stdout and stderr as they came, at most 5 MiB
  [[nodiscard]] bool succeeded() const { return wait_status == 0; }
  [[nodiscard]] std::string status_text() const;  // "exit code 1", "signal 11"
};

// Runs a program (found by PATH) in `folder` and waits for it; stdin is /dev/null. Its environment is this
// process's with the `variables` ("NAME=value") added or replaced. Throws Error naming the program when it
// cannot be started.
[[nodiscard]] CommandResult run_command(const std::vector<std::string>& words,
                                        const std::filesystem::path& folder,
                                        const std::vector<std::string>& variables = {});

}  // namespace fib::util
