#pragma once

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
};

}  // namespace fib::cuda
