#include "sandbox/namespaces.h"

#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <string>

#include "util/kernel_files.h"

namespace fib::sandbox {

// The files of a process that is not dumpable belong to root: it is dumpable while it writes them.
bool enter_new_namespaces(int kinds) {
  if (::unshare(kinds) == 0) return true;
  const std::string uid = std::to_string(::getuid());
  const std::string gid = std::to_string(::getgid());
  if (::unshare(CLONE_NEWUSER | kinds) != 0) return false;
  const int dumpable = ::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
  ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  const bool mapped = util::write_kernel_file("/proc/self/setgroups", "deny") &&
                      util::write_kernel_file("/proc/self/uid_map", uid + " " + uid + " 1") &&
                      util::write_kernel_file("/proc/self/gid_map", gid + " " + gid + " 1");
  ::prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0);
  return mapped;
}

}  // namespace fib::sandbox
