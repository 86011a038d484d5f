#include "sandbox/landlock.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "util/errno_error.h"
#include "util/unique_fd.h"

namespace fib::sandbox {
namespace {

// linux/landlock.h of older headers does not have all of it.
#ifndef SYS_landlock_create_ruleset
constexpr long SYS_landlock_create_ruleset = 444;
constexpr long SYS_landlock_add_rule = 445;
constexpr long SYS_landlock_restrict_self = 446;
#endif
constexpr unsigned kAskVersion = 1;
constexpr int kPathBeneath = 1;

constexpr std::uint64_t kExecute = 1U << 0U;
constexpr std::uint64_t kWriteFile = 1U << 1U;
constexpr std::uint64_t kReadFile = 1U << 2U;
constexpr std::uint64_t kReadFolder = 1U << 3U;
constexpr std::uint64_t kMakeCharacterDevice = 1U << 6U;
constexpr std::uint64_t kMakeBlockDevice = 1U << 11U;
constexpr std::uint64_t kFirstVersion = (1U << 13U) - 1;  // all rights of version 1
constexpr std::uint64_t kRefer = 1U << 13U;               // version 2: renaming across folders
constexpr std::uint64_t kTruncate = 1U << 14U;            // 3
constexpr std::uint64_t kDeviceIoctl = 1U << 15U;         // 5
constexpr std::uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | kDeviceIoctl;

constexpr std::uint64_t kTcp = 3;     // version 4: bind and connect
constexpr std::uint64_t kScopes = 3;  // 6: abstract sockets and signals

struct Ruleset {
  std::uint64_t files;
  std::uint64_t network;
  std::uint64_t scopes;
};

struct __attribute__((packed)) PathRule {
  std::uint64_t allowed;
  std::int32_t path;
};

Ruleset ruleset_of(long version) {
  Ruleset ruleset{kFirstVersion, 0, 0};
  if (version >= 2) ruleset.files |= kRefer;
  if (version >= 3) ruleset.files |= kTruncate;
  if (version >= 4) ruleset.network = kTcp;
  if (version >= 5) ruleset.files |= kDeviceIoctl;
  if (version >= 6) ruleset.scopes = kScopes;
  return ruleset;
}

// Older kernels take no more than the fields they know.
std::size_t size_of(long version) {
  if (version >= 6) return sizeof(Ruleset);
  return version >= 4 ? offsetof(Ruleset, scopes) : offsetof(Ruleset, network);
}

void allow(int rules, const std::filesystem::path& path, std::uint64_t rights) {
  const util::UniqueFd opened(::open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat info {};
  if (!opened.valid() || ::fstat(opened.get(), &info) != 0) return;
  const PathRule rule{S_ISDIR(info.st_mode) ? rights : rights & kOfFiles, opened.get()};
  if (::syscall(SYS_landlock_add_rule, rules, kPathBeneath, &rule, 0) != 0)
    throw util::errno_error("cannot add a Landlock rule for " + path.string());
}

}  // namespace

bool has_landlock() { return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kAskVersion) > 0; }

int enter_landlock(const LandlockRules& rules) {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kAskVersion);
  if (version < 1) return 0;
  const Ruleset ruleset = ruleset_of(version);
  const util::UniqueFd made(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &ruleset, size_of(version), 0)));
  if (!made.valid()) throw util::errno_error("cannot make Landlock rules");
  const std::uint64_t all = ruleset.files & ~(kMakeCharacterDevice | kMakeBlockDevice);
  const std::uint64_t read = kExecute | kReadFile | kReadFolder;
  const std::uint64_t change = (kWriteFile | kTruncate) & ruleset.files;
  for (const auto& path : rules.readable) allow(made.get(), path, read);
  for (const auto& path : rules.writable) allow(made.get(), path, all);
  for (const auto& path : rules.devices)
    allow(made.get(), path, kReadFile | change | (kDeviceIoctl & ruleset.files));
  if (!rules.own_process.empty()) allow(made.get(), rules.own_process, read | change);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::syscall(SYS_landlock_restrict_self, made.get(), 0) != 0)
    throw util::errno_error("cannot enter Landlock");
  return static_cast<int>(version);
}

}  // namespace fib::sandbox
