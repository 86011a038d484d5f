#include "util/machine.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string_view>

namespace fib::util {

std::uint64_t physical_memory() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

unsigned usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(CPU_COUNT(&set));
}

std::optional<MachineLoad> machine_load() {
  double average = 0;
  const long cores = ::sysconf(_SC_NPROCESSORS_ONLN);
  if (::getloadavg(&average, 1) != 1 || cores < 1) return std::nullopt;
  return MachineLoad{average, static_cast<unsigned>(cores)};
}

std::string host_name() {
  utsname names{};
  return ::uname(&names) == 0 ? names.nodename : "";
}

std::string kernel_release() {
  utsname names{};
  if (::uname(&names) != 0) return "";
  return fmt::format("{} {} {}", names.sysname, names.release, names.machine);
}

std::string operating_system() {
  constexpr std::string_view kKey = "PRETTY_NAME=";
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(kKey)) continue;
    std::string name = line.substr(kKey.size());
    if (name.size() >= 2 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
    return name;
  }
  return "";
}

}  // namespace fib::util
