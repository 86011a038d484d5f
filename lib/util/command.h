#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace fib::util {

struct CommandResult {
  int wait_status = 0;  // as waitpid gives it
  std::string output;   // stdout and stderr as they came, at most 5 MiB
  [[nodiscard]] bool succeeded() const { return wait_status == 0; }
  [[nodiscard]] std::string status_text() const;  // "exit code 1", "signal 11"
};

// When a command is killed, with all that it has started in its process group.
struct CommandLimits {
  double timeout_s = 0;                            // 0: none
  const std::atomic<bool>* interrupted = nullptr;  // asked now and then; null: never
};

// Runs a program (found by PATH) in `folder` and waits for it; stdin is /dev/null, no signal is blocked, and
// with limits it has a process group of its own. Its environment is this process's with the `variables`
// ("NAME=value") added or replaced. Throws Error naming the program when it cannot be started.
[[nodiscard]] CommandResult run_command(const std::vector<std::string>& words,
                                        const std::filesystem::path& folder,
                                        const std::vector<std::string>& variables = {},
                                        const CommandLimits& limits = {});

// What follows `mark` in the last line of a program's output that begins with it: other programs and packages
// may have printed something before. Empty when no line does.
[[nodiscard]] std::string line_after(std::string_view mark, const std::string& output);

}  // namespace fib::util
