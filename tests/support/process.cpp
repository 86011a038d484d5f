#include "support/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "support/temporary.h"
#include "util/c_strings.h"
#include "util/files.h"

extern char** environ;

namespace fib::testing {
namespace {

struct Redirects {
  std::string out = "/dev/null";
  std::string err = "/dev/null";
};

pid_t spawn(const std::vector<std::string>& words, const std::vector<std::string>& environment,
            const Redirects& redirects) {
  std::vector<std::string> copies = words;
  std::vector<std::string> variables = environment;
  for (char** entry = environ; *entry != nullptr; ++entry) variables.emplace_back(*entry);
  const auto arguments = util::c_pointers(copies);
  const auto env = util::c_pointers(variables);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, redirects.out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, redirects.err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), env.data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start " + words[0] + ": " + std::strerror(error));
  return pid;
}

// The numbers of all processes, as /proc names them.
std::vector<std::string> process_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (std::isdigit(static_cast<unsigned char>(name[0])) != 0) names.push_back(name);
  }
  return names;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& words,
                          const std::vector<std::string>& environment) {
  const TemporaryFolder folder;
  const Redirects redirects{folder.path() / "out", folder.path() / "err"};
  const pid_t pid = spawn(words, environment, redirects);
  int status = 0;
  ::waitpid(pid, &status, 0);
  ProcessResult result;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = util::read_file(redirects.out);
  result.err = util::read_file(redirects.err);
  return result;
}

int start_process(const std::vector<std::string>& words, const std::vector<std::string>& environment,
                  const std::string& err) {
  return spawn(words, environment, {.out = "/dev/null", .err = err});
}

std::vector<int> processes_marked(const std::string& mark) {
  std::vector<int> found;
  for (const auto& name : process_names()) {
    std::ifstream environment("/proc/" + name + "/environ", std::ios::binary);
    std::stringstream text;
    text << environment.rdbuf();
    if (text.str().find(mark) != std::string::npos) found.push_back(std::stoi(name));
  }
  return found;
}

std::vector<int> processes_in_group(int group) {
  std::vector<int> found;
  for (const auto& name : process_names()) {
    std::ifstream stat("/proc/" + name + "/stat");
    std::string text;
    std::getline(stat, text);
    // "pid (name) state parent group ...", where the name may hold anything, also brackets.
    std::istringstream rest(text.substr(std::min(text.size(), text.rfind(')') + 1)));
    char state = 'Z';
    int parent = 0;
    int own_group = 0;
    if (rest >> state >> parent >> own_group && own_group == group && state != 'Z') {
      found.push_back(std::stoi(name));
    }
  }
  return found;
}

}  // namespace fib::testing
