#include "device/cpu/hardware.h"

#include <sys/utsname.h>

#include <cstdlib>
#include <fstream>

namespace fib::device::cpu {

std::string model_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const auto colon = line.find(": ");
    if (colon != std::string::npos && colon + 2 < line.size()) return line.substr(colon + 2);
  }
  utsname machine{};
  ::uname(&machine);
  return machine.machine;
}

std::string governor() {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  std::string name;
  return file >> name ? name : "unknown";
}

double load_average() {
  double load = -1;
  return ::getloadavg(&load, 1) == 1 ? load : -1;
}

}  // namespace fib::device::cpu
