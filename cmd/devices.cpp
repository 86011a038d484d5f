#include "devices.h"

#include <fmt/format.h>

#include <sstream>

#include "util/command.h"

#if FIB_CUDA_HEADERS
#include "cuda/devices.h"
#endif

namespace fib::cmd {

int print_devices() {
#if FIB_CUDA_HEADERS
  const auto list = cuda::list_devices();
  for (const auto& name : list.names) fmt::print("{}\n", name);
  return list.problem.empty() ? 0 : 1;
#else
  return 1;
#endif
}

std::vector<std::string> cuda_devices() {
  std::vector<std::string> names;
  if (!FIB_CUDA_HEADERS) return names;
  const auto result = util::run_command({"/proc/self/exe", "__devices"}, "/");
  if (!result.succeeded()) return names;
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);) names.push_back(line);
  return names;
}

}  // namespace fib::cmd
