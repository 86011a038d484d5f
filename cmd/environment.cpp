#include "environment.h"

#include <filesystem>
#include <future>
#include <utility>

#include "dataset/paths.h"

namespace fib::cmd {
namespace {

// Without devices and cache.
bench::Environment find_software() {
  bench::Environment environment{{}, std::filesystem::read_symlink("/proc/self/exe"), {}};
  environment.python = compile::find_python();
  environment.tvm_ffi = compile::find_tvm_ffi(environment.python);
  return environment;
}

}  // namespace

bench::Environment environment_of(std::vector<bench::LaneDevice> devices) {
  bench::Environment environment = find_software();
  environment.devices = std::move(devices);
  environment.cache = dataset::own_cache_path();
  return environment;
}

ChosenEnvironment choose_environment(const std::vector<std::string>& words) {
  auto software = std::async(std::launch::async, find_software);
  ChosenDevices chosen = choose_devices(words);
  bench::Environment environment = software.get();
  environment.devices = chosen.devices;
  environment.driver = chosen.driver;
  return {std::move(chosen), std::move(environment)};
}

}  // namespace fib::cmd
