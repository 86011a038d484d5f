#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace fib::cuda {

// The functions of NVML that fib uses, opened at run time. Declared here by NVML's stable C interface (NVML
// API Reference Guide), since its header comes with few installations. Every function returns 0 for success;
// those that a driver lacks are null.
struct Nvml {
  using Device = struct NvmlDevice*;
  struct Process {  // nvmlProcessInfo_t, version 2 and 3
    unsigned pid;
    unsigned long long used_bytes;
    unsigned gpu_instance;
    unsigned compute_instance;
  };
  enum Clock : int { kSm = 1, kMemory = 2 };

  // Counters that devices since compute capability 9.0 keep of their own work (NVML's "GPM", GPU Performance
  // Monitoring): a sample, and what was between two samples.
  using GpmSample = struct NvmlGpmSample*;
  struct GpmSupport {  // nvmlGpmSupport_t, version 1
    unsigned version = 1;
    unsigned is_supported = 0;
  };
  enum GpmMetricId : unsigned {
    kGraphicsUtil = 1,  // in percent, like the next two
    kSmUtil = 2,
    kDramUtil = 10,
    kPcieSent = 20,  // by the device, in MiB/s, like the next one
    kPcieReceived = 21
  };
  struct GpmMetric {  // nvmlGpmMetric_t
    unsigned id;
    int result;
    double value;
    const char* short_name;
    const char* long_name;
    const char* unit;
  };
  struct GpmMetrics {  // nvmlGpmMetricsGet_t, version 1; NVML touches the first `count` metrics only
    unsigned version = 1;
    unsigned count = 0;
    GpmSample first = nullptr;
    GpmSample second = nullptr;
    std::array<GpmMetric, 333> metrics{};  // at least as many as headers declare (98 to 333)
  };

  // Opens and initialises NVML. Not there or not working: `problem` is a sentence, and no function may be
  // called.
  [[nodiscard]] static Nvml open();

  std::string problem;
  int (*device_by_uuid)(const char* uuid, Device* device) = nullptr;
  int (*driver_version)(char* text, unsigned size) = nullptr;
  int (*clock)(Device device, int clock, unsigned* mhz) = nullptr;
  int (*max_clock)(Device device, int clock, unsigned* mhz) = nullptr;
  int (*power)(Device device, unsigned* milliwatts) = nullptr;
  int (*temperature)(Device device, int sensor, unsigned* celsius) = nullptr;
  int (*throttle_reasons)(Device device, unsigned long long* bits) = nullptr;
  int (*ecc_mode)(Device device, int* current, int* pending) = nullptr;
  int (*mig_mode)(Device device, unsigned* current, unsigned* pending) = nullptr;
  int (*processes)(Device device, unsigned* count, Process* processes) = nullptr;
  int (*gpm_support)(Device device, GpmSupport* support) = nullptr;
  int (*gpm_allocate)(GpmSample* sample) = nullptr;
  int (*gpm_free)(GpmSample sample) = nullptr;
  int (*gpm_sample)(Device device, GpmSample sample) = nullptr;
  int (*gpm_metrics)(GpmMetrics* metrics) = nullptr;
};

}  // namespace fib::cuda
