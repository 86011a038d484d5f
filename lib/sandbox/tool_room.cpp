#include "sandbox/tool_room.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>

#include "sandbox/namespaces.h"
#include "sandbox/process.h"
#include "util/errno_error.h"
#include "util/error.h"

namespace fib::sandbox {
namespace {

namespace fs = std::filesystem;

constexpr int kCannotBeStarted = 127;  // as shells have it

// Of a child that has ended, as shells have it.
int exit_code_of(int status) {
  constexpr int kBySignal = 128;
  return WIFSIGNALED(status) ? kBySignal + WTERMSIG(status) : WEXITSTATUS(status);
}

// Waits for the child, and for whatever else becomes the calling process's own child meanwhile.
int await(pid_t child) {
  int status = 0;
  pid_t ended = 0;
  do ended = ::wait(&status);
  while (ended != child && (ended > 0 || errno == EINTR));
  return ended == child ? exit_code_of(status) : kCannotBeStarted;
}

pid_t fork_or_throw() {
  const pid_t child = ::fork();
  if (child < 0) throw util::errno_error("cannot start a process");
  return child;
}

constexpr const char* kNotAllowed =
    "a tool and the solution are shut in together by namespaces for files, processes and the network, which "
    "this system allows neither this user nor in a namespace of users; --sandbox off does without, for code "
    "that you trust";

void enter(const ToolRoom& room) {
  const fs::path current = fs::current_path();
  offer_to_oom_killer();
  if (!confine_files(room.files, room.own).mounts) throw Error(kNotAllowed);
  // It stays in its private folder where the other one is not in sight.
  [[maybe_unused]] const int changed = ::chdir(current.c_str());
  limit_descriptors();
  drop_capabilities();
  refuse_system_calls({.processes = true, .locks = true, .tools = true});
}

[[noreturn]] void become(const std::vector<std::string>& tool) {
  std::vector<char*> arguments;
  for (const std::string& word : tool)
    arguments.push_back(const_cast<char*>(word.c_str()));  // NOLINT: not changed
  arguments.push_back(nullptr);
  ::execvp(arguments.front(), arguments.data());
  throw util::errno_error("cannot start " + tool.front());
}

// Of its PID namespace the first process ends with the tool, and all others with it.
int run(ToolRoom room, const std::vector<std::string>& tool) {
  if (!enter_new_namespaces(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET)) throw Error(kNotAllowed);
  const pid_t first = fork_or_throw();
  if (first != 0) return await(first);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  room.files.own_processes = true;
  enter(room);
  const pid_t second = fork_or_throw();
  if (second != 0) return await(second);
  become(tool);
}

}  // namespace

std::vector<std::string> words_in_room(const fs::path& program, const ToolRoom& room,
                                       const std::vector<std::string>& tool) {
  if (room.files.mode == Mode::kOff) return tool;
  std::vector<std::string> words = {program.string(), kToolCommand, room.files.to_json(), room.own.string()};
  words.insert(words.end(), tool.begin(), tool.end());
  return words;
}

int run_in_room(const std::vector<std::string>& words) {
  try {
    constexpr std::ptrdiff_t kOwnWords = 2;
    if (std::ssize(words) <= kOwnWords) throw Error("there is no tool to be started");
    return run({FileAccess::parse(words[0]), words[1]}, {words.begin() + kOwnWords, words.end()});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kCannotBeStarted;
  }
}

}  // namespace fib::sandbox
