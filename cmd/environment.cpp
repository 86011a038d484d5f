#include "environment.h"

#include <filesystem>
#include <utility>

#include "dataset/paths.h"

namespace fib::cmd {

bench::Environment environment_of(std::vector<bench::LaneDevice> devices) {
  bench::Environment environment = planning_environment(std::move(devices));
  environment.cache = dataset::default_cache_path();
  return environment;
}

bench::Environment planning_environment(std::vector<bench::LaneDevice> devices) {
  bench::Environment environment{std::move(devices), std::filesystem::read_symlink("/proc/self/exe"), {}};
  environment.python = compile::find_python();
  environment.tvm_ffi = compile::find_tvm_ffi(environment.python);
  return environment;
}

}  // namespace fib::cmd
