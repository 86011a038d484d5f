#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "sandbox/namespaces.h"
#include "sandbox/process.h"
#include "sandbox/tool_room.h"
#include "support/in_child.h"
#include "support/temporary.h"
#include "util/files.h"

// Real processes in the room of a tool; the tool is a shell.
namespace fs = std::filesystem;
using namespace fib;

namespace {

constexpr int kSkipped = 77;

struct Places {
  testing::TemporaryFolder folder;
  fs::path work = folder.path() / "work";
  fs::path secret = folder.path() / "secret";
  fs::path own = folder.path() / "own";
  explicit Places(bool root) {
    fs::permissions(folder.path(), fs::perms(0755));
    for (const auto& path : {work, own}) {
      fs::create_directory(path);
      if (!root && ::geteuid() == 0) REQUIRE(::chown(path.c_str(), testing::kNobody, testing::kNobody) == 0);
    }
    std::ofstream(secret) << "text";
    fs::permissions(secret, fs::perms(0644));
  }
};

// The exit code of a shell that runs this in the room, with `work` as its current folder, which it may write.
int in_room(const Places& places, bool root, const std::string& script) {
  return testing::in_child([&] {
    if (root && ::geteuid() != 0) return kSkipped;
    if (!root && !testing::become_nobody()) return 1;
    if (::chdir(places.work.c_str()) != 0) return 1;
    const sandbox::ToolRoom room{{.writable = {places.work}}, places.own};
    auto words = sandbox::words_in_room("fib", room, {"/bin/sh", "-c", script});
    if (words.at(0) != "fib" || words.at(1) != sandbox::kToolCommand) return 1;
    words.erase(words.begin(), words.begin() + 2);
    return sandbox::run_in_room(words);
  });
}

// A local socket without a file.
sockaddr_un abstract_address(const std::string& name, socklen_t& length) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

bool reaches(const std::string& name) {
  socklen_t length = 0;
  const auto address = abstract_address(name, length);
  const util::UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM, 0));
  return ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), length) == 0;  // NOLINT
}

util::UniqueFd listens(const std::string& name) {
  socklen_t length = 0;
  const auto address = abstract_address(name, length);
  util::UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM, 0));
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0 ||  // NOLINT
      ::listen(fd.get(), 1) != 0)
    fd.reset();
  return fd;
}

}  // namespace

TEST_CASE("a tool and what it starts reach their own folder and the system's programs, and nothing else") {
  for (const bool root : {true, false}) {
    INFO((root ? "root" : "nobody"));
    const Places places(root);
    const auto expect = [&](const std::string& script) {
      const int code = in_room(places, root, script);
      INFO(script);
      CHECK((code == 0 || code == kSkipped));
    };
    expect("test \"$(pwd)\" = " + places.work.string() + " && echo made > file && test -s file");
    expect("! cat " + places.secret.string() + " 2>/dev/null");
    expect("! cat /etc/shadow 2>/dev/null");
    expect("! touch " + places.folder.path().string() + "/new /etc/new /usr/new 2>/dev/null");
    expect("echo x > $TMPDIR/file && echo x > $HOME/file");
    expect("grep -q '^CapEff:\t0000000000000000' /proc/self/status");
    expect("sh -c 'exit 7'; test $? = 7");
    expect("{ sh -c 'kill -9 $$'; test $? = 137; } 2>/dev/null");
    CHECK_FALSE(fs::exists(places.folder.path() / "new"));
  }
}

TEST_CASE("a tool sees the processes of its room alone, and files of /proc but theirs cannot be written") {
  for (const bool root : {true, false}) {
    INFO((root ? "root" : "nobody"));
    const Places places(root);
    const bool can_leave = testing::in_child([&] {
                             if (!root && !testing::become_nobody()) return 1;
                             return sandbox::enter_new_namespaces(CLONE_NEWPID) ? 0 : 1;
                           }) == 0;
    if (!can_leave || (root && ::geteuid() != 0)) {
      WARN("skipped: this system allows no PID namespace, or the tests do not run as root");
      continue;
    }
    CHECK(in_room(places, root, "! test -e /proc/" + std::to_string(::getpid())) == 0);
    CHECK(in_room(places, root, "! kill -0 " + std::to_string(::getpid()) + " 2>/dev/null") == 0);
    CHECK(in_room(places, root, "sh -c 'echo name > /proc/self/comm && echo name > /proc/$$/comm'") == 0);
    CHECK(in_room(places, root,
                  "for f in /proc/sys/vm/swappiness /proc/sys/kernel/core_pattern /proc/sysrq-trigger; "
                  "do sh -c \"echo 1 > $f\" 2>/dev/null && exit 1; done; exit 0") == 0);
    // What was started and left ends with the tool.
    CHECK(in_room(places, root, "sleep 1000 & echo $! > pid; sleep 1000 & exit 5") == 5);
  }
}

TEST_CASE("a tool's room has a network of its own, in which no socket without a file is") {
  const bool root = ::geteuid() == 0;
  const Places places(root);
  const std::string name = "fib-test-" + std::to_string(::getpid());
  const auto listener = listens(name);
  REQUIRE(listener.valid());
  CHECK(reaches(name));
  const int result = testing::in_child([&] {
    if (!sandbox::enter_new_namespaces(CLONE_NEWNET)) return kSkipped;
    return reaches(name) ? 1 : 0;
  });
  if (result == kSkipped) {
    WARN("skipped: this system allows no network of its own");
    return;
  }
  CHECK(result == 0);
  CHECK(in_room(places, root, "test $(grep -c : /proc/net/dev) = 1") == 0);  // the loopback device
}

TEST_CASE("what is hidden in /proc stays hidden in a tool's room") {
  const Places places(true);
  const int result = testing::in_child([&] {
    if (::geteuid() != 0 || ::unshare(CLONE_NEWNS) != 0) return kSkipped;
    if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return 1;
    if (::mount("/dev/null", "/proc/timer_list", nullptr, MS_BIND, nullptr) != 0) return kSkipped;
    return in_room(places, true, "test -z \"$(cat /proc/timer_list)\" && test -n \"$(cat /proc/meminfo)\"");
  });
  if (result == kSkipped) WARN("skipped: the tests do not run as root, or nothing can be mounted");
  CHECK((result == 0 || result == kSkipped));
}

TEST_CASE("where the system does not allow all of the room, no tool is started, and that is said") {
  const bool root = ::geteuid() == 0;
  const Places places(root);
  const auto said = places.work / "said";
  CHECK(testing::in_child([&] {
          if (::freopen(said.c_str(), "w", stderr) == nullptr) return 1;
          sandbox::refuse_system_calls({.processes = true, .locks = true});  // no namespaces
          const int code = sandbox::run_in_room({sandbox::FileAccess{}.to_json(), places.own, "/bin/true"});
          std::fflush(stderr);
          return code;
        }) == 127);
  CHECK_THAT(util::read_file(said), Catch::Contains("--sandbox off does without"));
}

TEST_CASE(
    "system calls of tools: local sockets, locks of files, memory files, and signals to what they started") {
  const auto as_tool = [](const std::function<int()>& body) {
    return testing::in_child([&] {
      sandbox::refuse_system_calls({.processes = true, .locks = true, .tools = true});
      return body();
    });
  };
  CHECK(as_tool([] {
          for (const int family : {AF_INET, AF_INET6, AF_NETLINK, AF_VSOCK, AF_PACKET}) {
            if (::socket(family, SOCK_DGRAM, 0) >= 0 || errno != EPERM) return 1;
          }
          const std::string name = "fib-tool-" + std::to_string(::getpid());
          const auto listener = listens(name);
          return listener.valid() && reaches(name) ? 0 : 2;
        }) == 0);
  CHECK(as_tool([] {
          const testing::TemporaryFolder folder;
          const util::UniqueFd file(
              ::open((folder.path() / "lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
          struct flock whole {};
          whole.l_type = F_WRLCK;
          return ::fcntl(file.get(), F_SETLKW, &whole) == 0 ? 0 : 1;
        }) == 0);
  CHECK(as_tool([] {
          const pid_t child = ::fork();
          if (child == 0) ::pause();
          if (::kill(child, SIGKILL) != 0) return 1;
          int status = 0;
          ::waitpid(child, &status, 0);
          return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? 0 : 2;
        }) == 0);
  CHECK(as_tool([] { return ::memfd_create("x", 0) >= 0 ? 0 : 1; }) == 0);
}

TEST_CASE("without a sandbox a tool is started as it is, and one that is not there is named") {
  const sandbox::ToolRoom open{{.mode = sandbox::Mode::kOff}, "/nowhere"};
  CHECK(sandbox::words_in_room("fib", open, {"ncu", "--set"}) == std::vector<std::string>{"ncu", "--set"});
  const Places places(true);
  const auto said = places.work / "said";
  CHECK(
      testing::in_child([&] {
        if (::freopen(said.c_str(), "w", stderr) == nullptr) return 1;
        const int code = sandbox::run_in_room({sandbox::FileAccess{}.to_json(), places.own, "/no/such/tool"});
        std::fflush(stderr);
        return code;
      }) == 127);
  CHECK_THAT(util::read_file(said), Catch::StartsWith("cannot start /no/such/tool: "));
}
