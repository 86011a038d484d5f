#include "util/command.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

#include "util/c_strings.h"
#include "util/capture.h"
#include "util/clock.h"
#include "util/errno_error.h"

extern char** environ;

namespace fib::util {

namespace {

constexpr std::string_view kCannotStart = "cannot start \"";

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

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

int wait_within(pid_t pid, const CommandLimits& limits) {
  const auto begin = monotonic_ns();
  int status = 0;
  while (::waitpid(pid, &status, WNOHANG) == 0) {
    const double waited_s = static_cast<double>(monotonic_ns() - begin) / 1e9;
    const bool too_long = limits.timeout_s > 0 && waited_s > limits.timeout_s;
    if (too_long || (limits.interrupted != nullptr && *limits.interrupted)) {
      ::kill(-pid, SIGKILL);
      return wait_for(pid);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return status;
}

// Starts a program with these files as stdin, stdout and stderr. Throws Error naming it when it cannot.
pid_t start(const std::vector<std::string>& words, const std::filesystem::path& folder,
            const std::vector<std::string>& variables, int input, int output, bool own_group) {
  std::vector<std::string> copies = words;
  std::vector<std::string> settings = merged_environment(variables);
  const std::vector<char*> arguments = c_pointers(copies);
  const std::vector<char*> environment = c_pointers(settings);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  ::posix_spawn_file_actions_adddup2(&actions, input, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output, 1);
  ::posix_spawn_file_actions_adddup2(&actions, output, 2);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  const int group = own_group ? POSIX_SPAWN_SETPGROUP : 0;
  ::posix_spawnattr_setflags(&attributes, static_cast<short>(POSIX_SPAWN_SETSIGMASK | group));
  pid_t pid = -1;
  const int error =
      ::posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments.data(), environment.data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw Error("{}{}\": {}", kCannotStart, words[0], std::strerror(error));
  return pid;
}

struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
};

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw errno_error("cannot make a pipe");
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

constexpr std::size_t kMostOutput = 5 * 1024 * 1024;

// What is written to a pipe until its writers have closed it; of much the beginning.
std::string read_all(const UniqueFd& pipe) {
  std::string text;
  char bytes[4096];
  while (true) {
    const ssize_t count = ::read(pipe.get(), bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    if (text.size() < kMostOutput) text.append(bytes, static_cast<std::size_t>(count));
  }
}

}  // namespace

bool is_of_missing_program(std::string_view error) {
  if (!error.starts_with(kCannotStart)) return false;
  const std::string_view line = error.substr(0, error.find('\n'));
  return line.ends_with(std::string("\": ") + std::strerror(ENOENT)) ||
         line.ends_with(std::string("\": ") + std::strerror(EACCES));
}

std::string status_text(int wait_status) {
  if (WIFSIGNALED(wait_status)) return fmt::format("signal {}", WTERMSIG(wait_status));
  return fmt::format("exit code {}", WEXITSTATUS(wait_status));
}

std::string CommandResult::status_text() const { return util::status_text(wait_status); }

CommandResult run_command(const std::vector<std::string>& words, const std::filesystem::path& folder,
                          const std::vector<std::string>& variables, const CommandLimits& limits) {
  Pipe pipe = make_pipe();
  Capture capture(std::move(pipe.read_end), kMostOutput);
  const UniqueFd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!nothing.valid()) throw errno_error("cannot open /dev/null");
  const bool limited = limits.timeout_s > 0 || limits.interrupted != nullptr;
  const pid_t pid = start(words, folder, variables, nothing.get(), pipe.write_end.get(), limited);
  pipe.write_end.reset();
  CommandResult result;
  result.wait_status = limited ? wait_within(pid, limits) : wait_for(pid);
  capture.stop(1000);
  result.output = capture.take();
  return result;
}

HeldCommand::HeldCommand(const std::vector<std::string>& words) {
  Pipe input = make_pipe();
  Pipe output = make_pipe();
  pid_ = start(words, "/", {}, input.read_end.get(), output.write_end.get(), false);
  stdin_ = std::move(input.write_end);
  output.write_end.reset();
  answer_ = read_all(output.read_end);
}

HeldCommand::~HeldCommand() { wait(); }

int HeldCommand::wait() {
  let_go();
  if (pid_ >= 0) wait_status_ = wait_for(pid_);
  pid_ = -1;
  return wait_status_;
}

std::string line_after(std::string_view mark, const std::string& output) {
  const std::string text = '\n' + output;
  const auto at = text.rfind(std::string("\n").append(mark));
  if (at == std::string::npos) return {};
  const auto begin = at + 1 + mark.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace fib::util
