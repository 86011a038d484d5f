#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdlib>
#include <fstream>

#include "sandbox/files.h"
#include "sandbox/process.h"
#include "support/in_child.h"
#include "support/temporary.h"
#include "util/error.h"
#include "util/unique_fd.h"

using namespace fib;
namespace fs = std::filesystem;

namespace {

// Who is confined, and by what.
struct Case {
  bool root;
  bool mounts;
};

constexpr int kSkipped = 77;
constexpr std::uint64_t kPrivateBytes = 4U << 20U;

// Folders of a test: what may be read, what may be written, what is secret, and where a view may be built.
// They belong to who is confined.
struct Places {
  testing::TemporaryFolder folder;
  fs::path readable = folder.path() / "readable";
  fs::path writable = folder.path() / "writable";
  fs::path secret = folder.path() / "secret";
  fs::path own = folder.path() / "own";
  explicit Places(bool root) {
    fs::permissions(folder.path(), fs::perms(0755));
    for (const auto& path : {readable, writable, secret, own}) {
      fs::create_directory(path);
      std::ofstream(path / "file") << "text";
      fs::permissions(path / "file", fs::perms(0600));
      if (root || ::geteuid() != 0) continue;
      REQUIRE(::chown(path.c_str(), testing::kNobody, testing::kNobody) == 0);
      REQUIRE(::chown((path / "file").c_str(), testing::kNobody, testing::kNobody) == 0);
    }
    fs::remove(own / "file");
  }
};

// `body` confined to the places.
int confined(const Places& places, const Case& wanted, const std::function<int(const sandbox::Held&)>& body) {
  return testing::in_child([&] {
    if (wanted.root && ::geteuid() != 0) return kSkipped;
    if (!wanted.root && !testing::become_nobody()) return 1;
    // The filter refuses mounts: what is left is a system that allows no mount namespaces.
    if (!wanted.mounts) sandbox::refuse_system_calls({.processes = true, .locks = true});
    const auto held = sandbox::confine_files(
        {.readable = {places.readable}, .writable = {places.writable}, .private_bytes = kPrivateBytes},
        places.own);
    if (held.mounts != wanted.mounts || held.landlock == 0) return kSkipped;
    sandbox::drop_capabilities();
    return body(held);
  });
}

void check(const Places& places, const Case& wanted, const std::function<int(const sandbox::Held&)>& body) {
  INFO((wanted.root ? "root" : "nobody") << (wanted.mounts ? ", mounts" : ", Landlock alone"));
  const int result = confined(places, wanted, body);
  if (result == kSkipped) {
    WARN("skipped: this system does not allow it, or the tests do not run as root");
    return;
  }
  CHECK(result == 0);
}

constexpr Case kAll[] = {{true, true}, {true, false}, {false, true}, {false, false}};

bool opens(const fs::path& path, int flags = O_RDONLY) {
  const int fd = ::open(path.c_str(), flags, 0600);
  if (fd >= 0) ::close(fd);
  return fd >= 0;
}

}  // namespace

TEST_CASE("a confined process reads what it was given and the system's own, and nothing else") {
  for (const auto& wanted : kAll) {
    const Places places(wanted.root);
    check(places, wanted, [&](const auto&) {
      if (!opens(places.readable / "file") || !opens(places.writable / "file")) return 1;
      if (!opens("/usr/bin/env") || !opens("/proc/self/status") || !opens("/dev/urandom")) return 2;
      if (opens(places.secret / "file") || opens("/etc/shadow") || opens("/etc/hostname")) return 3;
      if (opens("/proc/self/root" + (places.secret / "file").string())) return 4;
      return opens("/root", O_RDONLY | O_DIRECTORY) || opens("/home", O_RDONLY | O_DIRECTORY) ? 5 : 0;
    });
  }
}

TEST_CASE("a confined process writes to its folders and private ones, and nowhere else") {
  for (const auto& wanted : kAll) {
    const Places places(wanted.root);
    // A name that no other process of this machine has in its temporary folder.
    const std::string name = "new-" + places.folder.path().filename().string();
    check(places, wanted, [&](const sandbox::Held& held) {
      if (!opens(places.writable / "new", O_CREAT | O_WRONLY)) return 1;
      if (opens(places.readable / "file", O_WRONLY) || opens(places.readable / "new", O_CREAT | O_WRONLY))
        return 2;
      if (opens("/usr/fib-test", O_CREAT | O_WRONLY) || opens("/fib-test", O_CREAT | O_WRONLY)) return 3;
      const fs::path temporary = held.mounts ? "/tmp" : places.own;
      if (held.mounts && std::getenv("TMPDIR") != std::string("/tmp")) return 4;
      if (!opens(temporary / name, O_CREAT | O_WRONLY)) return 5;
      return opens("/proc/sys/kernel/core_pattern", O_WRONLY) ? 6 : 0;
    });
    CHECK_FALSE(fs::exists("/tmp/" + name));
  }
}

TEST_CASE("a confined process opens no device but those that hold nothing") {
  for (const auto& wanted : kAll) {
    const Places places(wanted.root);
    check(places, wanted, [&](const auto&) {
      for (const char* name : {"null", "zero", "full", "random", "urandom"}) {
        if (!opens(fs::path("/dev") / name)) return 1;
      }
      if (!opens("/dev/null", O_WRONLY)) return 2;
      for (const char* name :
           {"kmsg", "loop0", "loop-control", "kvm", "fuse", "mem", "tty", "ptmx", "console"}) {
        if (opens(fs::path("/dev") / name, O_RDONLY | O_NONBLOCK)) return 3;
      }
      return 0;
    });
  }
}

TEST_CASE("what the kernel shows to root alone is not shown to a confined process of root") {
  const Places places(true);
  const int result = testing::in_child([&] {
    // A debugfs of the test's own, which most systems have there.
    if (::geteuid() != 0 || ::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", "/sys/kernel/debug", "tmpfs", 0, "mode=700") != 0)
      return kSkipped;
    std::ofstream("/sys/kernel/debug/secret") << "text";
    if (!sandbox::confine_files({}, places.own).mounts) return kSkipped;
    sandbox::drop_capabilities();
    if (!fs::is_empty("/sys/kernel/debug") || ::mkdir("/sys/kernel/debug/new", 0700) == 0) return 1;
    for (const char* name : {"/proc/kpageflags", "/proc/vmallocinfo", "/proc/slabinfo", "/proc/timer_list"}) {
      std::string text;
      std::getline(std::ifstream(name), text);
      if (!text.empty()) return 2;
    }
    std::string cpu;
    std::getline(std::ifstream("/proc/cpuinfo"), cpu);
    return cpu.empty() ? 3 : 0;
  });
  if (result == kSkipped) {
    WARN("skipped: this system does not allow it, or the tests do not run as root");
    return;
  }
  CHECK(result == 0);
}

TEST_CASE("private folders in memory are empty and hold what they are allowed to") {
  for (const bool root : {true, false}) {
    const Places places(root);
    check(places, {root, true}, [&](const auto&) {
      // The test's own folder lies in /tmp, or below.
      const fs::path own = *places.folder.path().lexically_relative("/tmp").begin();
      for (const char* path : {"/tmp", "/dev/shm", "/var/tmp"}) {
        for (const auto& entry : fs::directory_iterator(path)) {
          if (entry.path().filename() != own) return 1;
        }
      }
      for (const char* path : {"/tmp/big", "/dev/shm/big"}) {
        const int fd = ::open(path, O_CREAT | O_RDWR, 0600);
        const std::string block(1U << 20U, 'x');
        std::size_t written = 0;
        while (written < 64 && ::write(fd, block.data(), block.size()) > 0) ++written;
        if (written > kPrivateBytes >> 20U || errno != ENOSPC) return 2;
      }
      return 0;
    });
  }
}

namespace {

// Whether such a user may mount something of his own at all.
bool can_mount(bool root) {
  return testing::in_child([&] {
           if (!root && !testing::become_nobody()) return 1;
           return ::unshare(CLONE_NEWNS) == 0 || ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 ? 0 : 1;
         }) == 0;
}

}  // namespace

TEST_CASE("without a file system of its own a confined process has a private folder that is limited, too") {
  for (const bool root : {true, false}) {
    const Places places(root);
    const int result = testing::in_child([&] {
      if ((root && ::geteuid() != 0) || !can_mount(root)) return kSkipped;
      if (!root && !testing::become_nobody()) return 1;
      const auto held =
          sandbox::confine_files({.private_bytes = kPrivateBytes, .own_view = false}, places.own);
      if (held.mounts || held.landlock == 0) return kSkipped;
      const std::string block(kPrivateBytes / 2, 'x');
      const auto write = [&](const char* name) {
        const util::UniqueFd fd(::open((places.own / name).c_str(), O_CREAT | O_WRONLY, 0600));
        return fd.get() < 0 ? -1 : ::write(fd.get(), block.data(), block.size());
      };
      if (write("first") != static_cast<ssize_t>(block.size())) return 2;
      (void)write("second");
      if (write("third") > 0) return 3;
      return opens(places.secret / "file") || opens(places.folder.path() / "new", O_CREAT | O_WRONLY) ? 4 : 0;
    });
    if (result == kSkipped) {
      WARN("skipped: this system does not allow it, or the tests do not run as root");
      continue;
    }
    CHECK(result == 0);
    CHECK_FALSE(fs::exists(places.own / "first"));
  }
}

TEST_CASE("what lies below a hidden folder and was given is in sight, also through a link") {
  for (const auto& wanted : kAll) {
    const Places places(wanted.root);
    fs::create_directory(places.secret / "inner");
    std::ofstream(places.secret / "inner/file") << "x";
    fs::permissions(places.secret / "inner/file", fs::perms(0644));
    const auto link = places.folder.path() / "link";
    fs::create_directory_symlink(places.secret / "inner", link);
    const int result = testing::in_child([&] {
      if (wanted.root && ::geteuid() != 0) return kSkipped;
      if (!wanted.root && !testing::become_nobody()) return 1;
      if (!wanted.mounts) sandbox::refuse_system_calls({.processes = true, .locks = true});
      const auto held = sandbox::confine_files({.readable = {link, "/no/such/place", "/"}}, places.own);
      if (held.mounts != wanted.mounts || held.landlock == 0) return kSkipped;
      if (!opens(link / "file") || !opens(places.secret / "inner/file")) return 2;
      if (!wanted.mounts) return 0;  // "/" was given: Landlock takes it at its word
      return opens(places.secret / "file") || opens("/etc/shadow") ? 3 : 0;
    });
    CHECK((result == 0 || result == kSkipped));
  }
}

TEST_CASE("a folder that may be written can lie in one that may be read") {
  for (const auto& wanted : kAll) {
    const Places places(wanted.root);
    const int result = testing::in_child([&] {
      if (wanted.root && ::geteuid() != 0) return kSkipped;
      if (!wanted.root && !testing::become_nobody()) return 1;
      if (!wanted.mounts) sandbox::refuse_system_calls({.processes = true, .locks = true});
      const auto held = sandbox::confine_files(
          {.readable = {places.folder.path()}, .writable = {places.writable}}, places.own);
      if (held.mounts != wanted.mounts || held.landlock == 0) return kSkipped;
      if (!opens(places.writable / "new", O_CREAT | O_WRONLY)) return 2;
      return opens(places.readable / "new", O_CREAT | O_WRONLY) ? 3 : 0;
    });
    CHECK((result == 0 || result == kSkipped));
  }
}

TEST_CASE("other processes cannot be traced, and files move between the process's own folders") {
  const Places places(true);
  fs::create_directory(places.writable / "a");
  fs::create_directory(places.writable / "b");
  const auto read_memory_of = [](pid_t pid) {
    return opens("/proc/" + std::to_string(pid) + "/mem", O_RDONLY);
  };
  for (const bool mounts : {true, false}) {
    check(places, {true, mounts}, [&](const auto&) {
      if (read_memory_of(::getppid())) return 1;
      if (!read_memory_of(::getpid())) return 2;
      std::ofstream(places.writable / "a/file") << "x";
      std::error_code error;
      fs::rename(places.writable / "a/file", places.writable / "b/file", error);
      return error ? 3 : 0;
    });
  }
}

TEST_CASE("with the sandbox off nothing is hidden") {
  const Places places(true);
  CHECK(testing::in_child([&] {
          const auto held = sandbox::confine_files({.mode = sandbox::Mode::kOff}, places.own);
          return !held.all() && opens(places.secret / "file") ? 0 : 1;
        }) == 0);
}

TEST_CASE("a file access travels as JSON") {
  sandbox::FileAccess access{sandbox::Mode::kStrict, {"/a", "/b c"}, {"/d"}, true, false, 7};
  const auto read = sandbox::FileAccess::parse(access.to_json());
  CHECK(read.mode == access.mode);
  CHECK(read.readable == access.readable);
  CHECK(read.writable == access.writable);
  CHECK(read.gpu);
  CHECK_FALSE(read.endless_devices);
  CHECK(read.private_bytes == 7);
  CHECK_THROWS_AS(sandbox::FileAccess::parse("{}"), fib::Error);
}

TEST_CASE("a program outside of the system's folders brings what it needs, and nothing that lies beside it") {
  const testing::TemporaryFolder folder;
  const auto root = folder.path() / "toolkit";
  for (const char* name : {"bin", "lib", "include", "a-b-c/bin", "keys", "share/gcc-12", "share/keyrings"})
    fs::create_directories(root / name);
  std::ofstream(root / ".env") << "secret";
  const auto program = root / "bin/tool";
  std::ofstream(program) << "#!/bin/sh\n";
  fs::permissions(program, fs::perms(0755));
  using Paths = std::vector<fs::path>;
  const auto shown =
      [](const std::string& one) {  // each path stands there twice, as it is and as it is named
        auto paths = sandbox::folders_of_program(one);
        std::sort(paths.begin(), paths.end());
        paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
        return paths;
      };
  const auto bin = root / "bin";
  CHECK(shown(program) == Paths{root / "a-b-c", bin, root / "include", root / "lib", root / "share/gcc-12"});
  // What lies beside a bin in somebody's home or in the current folder is no toolchain's.
  const std::string home = std::getenv("HOME");
  const fs::path current = fs::current_path();
  for (const auto& in : {root, root / "deep/home"}) {
    ::setenv("HOME", in.c_str(), 1);
    CHECK(shown(program) == Paths{bin});
  }
  fs::create_directory_symlink(root, folder.path() / "linked");
  ::setenv("HOME", (folder.path() / "linked").c_str(), 1);
  CHECK(shown(folder.path() / "linked/bin/tool") == Paths{folder.path() / "linked/bin", bin});
  ::setenv("HOME", bin.c_str(), 1);
  CHECK(shown(program) == Paths{program});
  ::setenv("HOME", home.c_str(), 1);
  fs::current_path(root);
  CHECK(shown("bin/tool") == Paths{bin});
  fs::current_path(bin);
  CHECK(shown("./tool").back() == program);
  fs::current_path(current);
  fs::remove(root / "lib");
  CHECK(shown(program) == Paths{bin});
  // Elsewhere than in a bin it comes alone.
  fs::copy_file(program, root / "tool");
  CHECK(shown(root / "tool") == Paths{root / "tool"});
  CHECK(shown("sh").empty());
  CHECK(shown("no-such-program").empty());
}

TEST_CASE("of NVIDIA's device nodes those are shown that kernels need") {
  for (const char* name : {"nvidiactl", "nvidia-uvm", "nvidia0", "nvidia15"})
    CHECK(sandbox::is_node_of_gpu(name));
  for (const char* name : {"nvidia", "nvidia-uvm-tools", "nvidia-modeset", "nvidia-nvswitch0",
                           "nvidia-nvlink", "nvidia-caps", "nvidia0x", "nvid", ""})
    CHECK_FALSE(sandbox::is_node_of_gpu(name));
  for (const char* name : {"nvidiactl", "nvidia-uvm", "nvidia1"})
    CHECK(sandbox::is_node_of_gpu(name, "nvidia1"));
  for (const char* name : {"nvidia0", "nvidia15", "nvidia11"})
    CHECK_FALSE(sandbox::is_node_of_gpu(name, "nvidia1"));
  sandbox::FileAccess access;
  access.gpu_node = "nvidia1";
  CHECK(sandbox::FileAccess::parse(access.to_json()).gpu_node == "nvidia1");
}
