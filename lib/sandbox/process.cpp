#include "sandbox/process.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

#include "util/errno_error.h"
#include "util/unique_fd.h"

namespace fib::sandbox {
namespace {

// Private writable memory in use now, in bytes: what RLIMIT_DATA is compared with.
std::uint64_t data_in_use() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::uint64_t kilobytes = 0;
    if (word == "VmData:" && status >> kilobytes) return kilobytes * 1024;
  }
  throw Error("cannot read VmData from /proc/self/status");
}

}  // namespace

void drop_capabilities() {
  for (unsigned long capability = 0; capability < 64; ++capability) {
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) break;  // past the last one, or not privileged
  }
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2] = {};
  if (::syscall(SYS_capset, &header, none) != 0)
    throw util::errno_error("cannot drop the sandbox's capabilities");
}

void limit_data(std::uint64_t more_bytes) {
  rlimit both{};
  if (::getrlimit(RLIMIT_DATA, &both) != 0) throw util::errno_error("cannot read the sandbox's limits");
  both.rlim_max = std::min<rlim_t>(both.rlim_max, data_in_use() + more_bytes);
  both.rlim_cur = both.rlim_max;
  if (::setrlimit(RLIMIT_DATA, &both) != 0) throw util::errno_error("cannot limit the sandbox's memory");
}

void limit_descriptors() {
  constexpr rlim_t kLeast = 256;
  constexpr rlim_t kMost = 1024;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) throw util::errno_error("cannot read the sandbox's limits");
  const rlim_t most = std::clamp(limit.rlim_max / 2, kLeast, kMost);
  limit.rlim_max = std::min(limit.rlim_max, most);
  limit.rlim_cur = std::min(limit.rlim_cur, limit.rlim_max);
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) throw util::errno_error("cannot limit the sandbox's files");
}

void limit_queued_signals() {
  constexpr rlim_t kMost = 1024;
  rlimit limit{};
  if (::getrlimit(RLIMIT_SIGPENDING, &limit) != 0)
    throw util::errno_error("cannot read the sandbox's limits");
  limit.rlim_max = std::min(limit.rlim_max, kMost);
  limit.rlim_cur = std::min(limit.rlim_cur, limit.rlim_max);
  if (::setrlimit(RLIMIT_SIGPENDING, &limit) != 0)
    throw util::errno_error("cannot limit the sandbox's signals");
}

void offer_to_oom_killer() {
  constexpr std::string_view kFirst = "1000";
  const util::UniqueFd file(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  if (file.valid()) [[maybe_unused]]
    const ssize_t put = ::write(file.get(), kFirst.data(), kFirst.size());
}

void enter(std::uint64_t data_limit_bytes, const SystemCallDoors& doors) {
  limit_data(data_limit_bytes);
  limit_descriptors();
  limit_queued_signals();
  drop_capabilities();
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
    throw util::errno_error("cannot make the sandbox undumpable");
  refuse_system_calls(doors);
}

}  // namespace fib::sandbox
