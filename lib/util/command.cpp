#include "util/command.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "util/c_strings.h"
#include "util/capture.h"
#include "util/errno_error.h"

extern char** environ;

namespace fib::util {

namespace {

std::vector<std::string> merged_environment(const std::vector<std::string>& variables) {
  std::vector<std::string> settings = variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view existing = *entry;
    const std::string_view name = existing.substr(0, existing.find('=') + 1);
    const bool replaced = std::any_of(variables.begin(), variables.end(), [&](const std::string& variable) {
      return variable.starts_with(name);
    });
    if (!replaced) settings.emplace_back(existing);
  }
  return settings;
}

}  // namespace

std::string CommandResult::status_text() const {
  if (WIFSIGNALED(wait_status)) return fmt::format("signal {}", WTERMSIG(wait_status));
  return fmt::format("exit code {}", WEXITSTATUS(wait_status));
}

CommandResult run_command(const std::vector<std::string>& words, const std::filesystem::path& folder,
                          const std::vector<std::string>& variables) {
  constexpr std::size_t kLimit = 5 * 1024 * 1024;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw errno_error("cannot make a pipe");
  Capture capture(UniqueFd(ends[0]), kLimit);
  UniqueFd write_end(ends[1]);
  std::vector<std::string> copies = words;
  std::vector<std::string> settings = merged_environment(variables);
  const std::vector<char*> arguments = c_pointers(copies);
  const std::vector<char*> environment = c_pointers(settings);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, write_end.get(), 1);
  ::posix_spawn_file_actions_adddup2(&actions, write_end.get(), 2);
  pid_t pid = -1;
  const int error =
      ::posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), environment.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw Error("cannot start \"{}\": {}", words[0], std::strerror(error));

  write_end.reset();
  CommandResult result;
  while (::waitpid(pid, &result.wait_status, 0) < 0 && errno == EINTR) {
  }
  capture.stop(1000);
  result.output = capture.take();
  return result;
}

}  // namespace fib::util
