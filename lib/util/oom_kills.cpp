#include "util/oom_kills.h"

#include <fstream>
#include <string>

namespace fib::util {

std::uint64_t oom_kills() {
  std::ifstream file("/proc/vmstat");
  std::uint64_t count = 0;
  for (std::string name; file >> name >> count;) {
    if (name == "oom_kill") return count;
  }
  return 0;
}

}  // namespace fib::util
