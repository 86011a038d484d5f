#include "cuda/nvml.h"

#include <fmt/format.h>

#include "cuda/library.h"

namespace fib::cuda {

Nvml Nvml::open() {
  Nvml nvml;
  std::string problem;
  const auto library = open_library("NVML", {"libnvidia-ml.so.1"}, problem);
  if (!library.is_open()) {
    nvml.problem = problem + "; clocks, power and temperature are not recorded";
    return nvml;
  }
  const auto load = [&](const char* symbol, auto& function) { (void)library.find(symbol, function); };
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
  load("nvmlGpmQueryDeviceSupport", nvml.gpm_support);
  load("nvmlGpmSampleAlloc", nvml.gpm_allocate);
  load("nvmlGpmSampleFree", nvml.gpm_free);
  load("nvmlGpmSampleGet", nvml.gpm_sample);
  load("nvmlGpmMetricsGet", nvml.gpm_metrics);
  const int result = initialise == nullptr ? -1 : initialise();
  if (result != 0 || nvml.device_by_uuid == nullptr) {
    nvml.problem = fmt::format("NVML ({}) does not start: error {}", library.file(), result);
  }
  return nvml;
}

}  // namespace fib::cuda
