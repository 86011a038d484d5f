#include "bench/cores.h"

#include <sched.h>

#include <charconv>
#include <filesystem>
#include <string>

#include "util/files.h"

namespace fib::bench {
namespace {

constexpr unsigned kCoresPerLane = 4;

std::vector<unsigned> own_cores() {
  std::vector<unsigned> cores;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (unsigned core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

}  // namespace

std::optional<CoreShares> share_cores(unsigned lanes) {
  const auto cores = own_cores();
  const std::size_t preparing = cores.size() * 3 / 8;
  if (preparing == 0 || cores.size() - preparing < std::size_t{kCoresPerLane} * lanes) return std::nullopt;
  const auto border = cores.end() - static_cast<std::ptrdiff_t>(preparing);
  return CoreShares{{cores.begin(), border}, {border, cores.end()}};
}

void run_on(pid_t process, const std::vector<unsigned>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const unsigned core : cores) CPU_SET(core, &set);
  for (const auto& thread : util::entries_of("/proc/" + std::to_string(process) + "/task")) {
    const std::string name = thread.path().filename();
    pid_t id = 0;
    std::from_chars(name.data(), name.data() + name.size(), id);
    if (id > 0) (void)::sched_setaffinity(id, sizeof set, &set);  // it may have ended
  }
}

}  // namespace fib::bench
