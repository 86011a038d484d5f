#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "util/unique_fd.h"

namespace fib::util {

struct CommandResult {
  int wait_status = 0;  // as waitpid gives it
  std::string output;   // stdout and stderr as they came, at most 5 MiB
  [[nodiscard]] bool succeeded() const { return wait_status == 0; }
  [[nodiscard]] std::string status_text() const;  // that of the status
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

// A program that has answered and lives on: while it does, it keeps open what others would have to open anew.
// One thread at a time.
class HeldCommand {
 public:
  // Runs a program (found by PATH) in / and reads what it writes to stdout and stderr, until it closes both
  // or ends; then it has answered. It shall end when its stdin does: when it is let go, or when this process
  // ends in whatever way. Throws Error naming the program when it cannot be started.
  explicit HeldCommand(const std::vector<std::string>& words);
  ~HeldCommand();  // waits for its end
  HeldCommand(const HeldCommand&) = delete;
  HeldCommand& operator=(const HeldCommand&) = delete;

  [[nodiscard]] const std::string& answer() const { return answer_; }
  // It may end; does not wait.
  void let_go() { stdin_.reset(); }
  // Lets it go and waits; as waitpid gives it.
  int wait();

 private:
  UniqueFd stdin_;
  std::string answer_;
  int pid_ = -1;  // -1: its end was waited for
  int wait_status_ = 0;
};

// Whether the text of an Error says that a program could not be started because it is not there, or is no
// program.
[[nodiscard]] bool is_of_missing_program(std::string_view error);

// "exit code 1", "signal 11"
[[nodiscard]] std::string status_text(int wait_status);

// What follows `mark` in the last line of a program's output that begins with it: other programs and packages
// may have printed something before. Empty when no line does.
[[nodiscard]] std::string line_after(std::string_view mark, const std::string& output);

}  // namespace fib::util
