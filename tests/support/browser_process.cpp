#include "support/browser_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/process.h"
#include "util/c_strings.h"
#include "util/files.h"

extern char** environ;

namespace fib::testing {
namespace {

namespace fs = std::filesystem;

std::runtime_error system_error(const std::string& what, int error) {
  return std::runtime_error(what + ": " + std::strerror(error));
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The debugging pipe makes a browser of this program that listens on no port. Everything that would start by
// itself, in the background or on a first run, is off. Tests may run as root, where its sandbox cannot.
// Crash handlers stay on: with --disable-crashpad-for-testing Debian's Chromium never ends a navigation.
std::vector<std::string> words_for(const fs::path& program, const fs::path& folder) {
  return {program.string(),
          "--headless=new",
          "--no-sandbox",
          "--disable-gpu",
          "--remote-debugging-pipe",
          "--user-data-dir=" + (folder / "profile").string(),
          "--host-resolver-rules=MAP * ~NOTFOUND",
          "--no-first-run",
          "--no-default-browser-check",
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-default-apps",
          "--disable-domain-reliability",
          "--disable-extensions",
          "--disable-sync",
          "--disable-dev-shm-usage",
          "--disable-background-timer-throttling",
          "--disable-renderer-backgrounding",
          "--disable-backgrounding-occluded-windows",
          "--metrics-recording-only",
          "--password-store=basic",
          "--hide-scrollbars",
          "--mute-audio"};
}

// This process's environment with homes in `folder`; no name occurs twice, since shells take the last one.
std::vector<std::string> environment_for(const fs::path& folder) {
  const std::vector<std::string> names = {"HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "TMPDIR"};
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    bool own = false;
    for (const auto& name : names) own = own || text.rfind(name + "=", 0) == 0;
    if (!own) variables.push_back(text);
  }
  for (const auto& name : names) variables.push_back(name + "=" + folder.string());
  return variables;
}

// Both ends of a socket with numbers above those that Chromium gets: 3 to read, 4 to write.
std::array<util::UniqueFd, 2> socket_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw system_error("cannot make a socket for the browser", errno);
  }
  const util::UniqueFd first(ends[0]);
  const util::UniqueFd second(ends[1]);
  return {util::UniqueFd(::fcntl(first.get(), F_DUPFD_CLOEXEC, 10)),
          util::UniqueFd(::fcntl(second.get(), F_DUPFD_CLOEXEC, 10))};
}

pid_t spawn_in_group(const fs::path& program, const fs::path& folder, int socket) {
  auto words = words_for(program, folder);
  auto variables = environment_for(folder);
  const std::string log = folder / "log";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  posix_spawn_file_actions_adddup2(&actions, socket, 3);
  posix_spawn_file_actions_adddup2(&actions, socket, 4);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, words[0].c_str(), &actions, &attributes,
                                 util::c_pointers(words).data(), util::c_pointers(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw system_error("cannot start " + program.string(), error);
  return pid;
}

}  // namespace

std::optional<fs::path> find_chromium() {
  const std::string named = variable("FIB_CHROMIUM");
  if (!named.empty()) return named;
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
    std::istringstream folders(variable("PATH"));
    for (std::string folder; std::getline(folders, folder, ':');) {
      const fs::path program = fs::path(folder) / name;
      if (::access(program.c_str(), X_OK) == 0) return program;
    }
  }
  return std::nullopt;
}

BrowserProcess::BrowserProcess(const fs::path& program) {
  auto [ours, theirs] = socket_pair();
  socket_ = std::move(ours);
  group_ = spawn_in_group(program, folder_.path(), theirs.get());
}

std::vector<int> BrowserProcess::processes() const {
  auto all = processes_in_group(group_);
  const auto marked = processes_marked(folder_.path().filename());
  all.insert(all.end(), marked.begin(), marked.end());
  return all;
}

BrowserProcess::~BrowserProcess() {
  ::kill(-group_, SIGKILL);
  ::waitpid(group_, nullptr, 0);
  // Until the last one is gone, files may appear in the folder that is removed next.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  for (auto left = processes(); !left.empty() && std::chrono::steady_clock::now() < deadline;
       left = processes()) {
    for (const int process : left) ::kill(process, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

std::string BrowserProcess::log() const { return util::read_file(folder_.path() / "log"); }

}  // namespace fib::testing
