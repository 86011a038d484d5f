#pragma once

#include <string>
#include <vector>

namespace fib::testing {

struct ProcessResult {
  int exit_code = -1;  // 128 + signal when it was killed
  std::string out;
  std::string err;
};

// Runs a program with the given words and additional environment ("NAME=value"), waits, and collects its
// output.
ProcessResult run_process(const std::vector<std::string>& words,
                          const std::vector<std::string>& environment = {});

// Starts a program whose output goes to /dev/null, or that of stderr to a file; the caller waits for the
// returned process.
int start_process(const std::vector<std::string>& words, const std::vector<std::string>& environment = {},
                  const std::string& err = "/dev/null");

// Processes that are alive (not zombies) and whose environment holds `mark`.
std::vector<int> processes_marked(const std::string& mark);

// Processes of a process group that are alive (not zombies).
std::vector<int> processes_in_group(int group);

}  // namespace fib::testing
