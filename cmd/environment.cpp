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

bench::Environment completed(bench::Environment environment, std::vector<bench::LaneDevice> devices,
                             Cache cache) {
  environment.devices = std::move(devices);
  if (cache == Cache::kUsual) environment.cache = dataset::default_cache_path();
  return environment;
}

}  // namespace

bench::Environment environment_of(std::vector<bench::LaneDevice> devices) {
  return completed(find_software(), std::move(devices), Cache::kUsual);
}

ChosenEnvironment choose_environment(const std::vector<std::string>& words, Cache cache) {
  auto software = std::async(std::launch::async, find_software);
  ChosenDevices chosen = choose_devices(words);
  auto environment = completed(software.get(), chosen.devices, cache);
  return {std::move(chosen), std::move(environment)};
}

}  // namespace fib::cmd
