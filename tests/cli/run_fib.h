#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "support/places.h"
#include "util/c_strings.h"
#include "util/errno_error.h"
#include "util/files.h"

namespace fib::testing {

struct CommandOutput {
  int exit_code = -1;  // -1: ended by a signal
  std::string out;
  std::string err;
};

// Runs the fib program in `folder` with this environment only, stdin empty, and waits for it. With
// `stdout_file`, stdout goes there and `out` is empty.
inline CommandOutput run_fib(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                             const std::map<std::string, std::string>& environment = {{"COLUMNS", "80"}},
                             const std::string& stdout_file = "") {
  const util::TemporaryFolder output(std::filesystem::temp_directory_path(), "fib-cli-test-");
  const std::string out = stdout_file.empty() ? (output.path() / "out").string() : stdout_file;
  const std::string err = output.path() / "err";
  std::vector<std::string> words{testing::fib_binary()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> settings;
  for (const auto& [name, value] : environment) settings.push_back(name + "=" + value);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT, 0600);
  ::posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT, 0600);
  pid_t child = -1;
  errno = ::posix_spawn(&child, testing::fib_binary().c_str(), &actions, nullptr,
                        util::c_pointers(words).data(), util::c_pointers(settings).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (errno != 0) throw util::errno_error("cannot start " + testing::fib_binary());
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, stdout_file.empty() ? util::read_file(out) : "",
          util::read_file(err)};
}

}  // namespace fib::testing
