#include "cuda/nvml.h"

#include <fmt/format.h>

#include "cuda/library.h"

namespace fib::cuda {

Nvml Nvml::open() {
  Nvml nvml;
  const Library library = open_library("NVML", {"libnvidia-ml.so.1"});
  if (library.handle == nullptr) {
    nvml.problem = library.problem + "; clocks, power and temperature are not recorded";
    return nvml;
  }
  const auto load = [&](const char* symbol, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(library.symbol(symbol));
  };
  int (*initialise)() = nullptr;
  load("nvmlInit_v2", initialise);
  load("nvmlDeviceGetHandleByUUID", nvml.device_by_uuid);
  load("nvmlSystemGetDriverVersion", nvml.driver_version);
  load("nvmlDeviceGetClockInfo", nvml.clock);
  load("nvmlDeviceGetMaxClockInfo", nvml.max_clock);
  load("nvmlDeviceGetPowerUsage", nvml.power);
  load("nvmlDeviceGetTemperature", nvml.temperature);
  load("nvmlDeviceGetCurrentClocksThrottleReasons", nvml.throttle_reasons);
  load("nvmlDeviceGetEccMode", nvml.ecc_mode);
  load("nvmlDeviceGetMigMode", nvml.mig_mode);
  load("nvmlDeviceGetComputeRunningProcesses_v3", nvml.processes);
  const int result = initialise == nullptr ? -1 : initialise();
  if (result != 0 || nvml.device_by_uuid == nullptr) {
    nvml.problem = fmt::format("NVML ({}) does not start: error {}", library.path, result);
  }
  return nvml;
}

}  // namespace fib::cuda
