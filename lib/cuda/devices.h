#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace fib::cuda {

struct Driver;

// One device as the driver shows it to this process.
struct DeviceInfo {
  int ordinal = 0;   // in the driver's order, CUDA_VISIBLE_DEVICES respected
  std::string name;  // "NVIDIA H200"
  std::string uuid;  // "GPU-8a1c…" or "MIG-8a1c…", as nvidia-smi prints it
  std::string node;  // "nvidia0", its file in /dev; empty: not known
  int major = 0;     // compute capability
  int minor = 0;
  std::uint64_t memory = 0;  // bytes
  int multiprocessors = 0;
  // Of one multiprocessor.
  int threads = 0;
  int blocks = 0;
  int registers = 0;
  int shared_bytes = 0;
  int reserved_shared_bytes = 0;  // of each block there
};

struct DeviceList {
  std::vector<DeviceInfo> devices;
  int driver_version = 0;  // the CUDA version it supports: 13000 is 13.0
  std::string problem;     // why there is no list: no driver, no device, or what the driver said
};

// Opens the CUDA driver and asks it for its devices. Initialises CUDA in the calling process, which takes a
// fraction of a second and cannot be undone: call it in a short-lived child. Never throws for a missing
// driver.
[[nodiscard]] DeviceList list_devices();

// "GPU-8a1c…", or "MIG-8a1c…" of a part of a divided GPU. Throws DriverError.
[[nodiscard]] std::string uuid_of(const Driver& driver, int device);

// "nvidia0": the file in /dev of the device with this address ("0000:18:00.0", in any case), by what the
// driver tells in `gpus`; empty where it tells nothing.
[[nodiscard]] std::string node_of(const std::string& pci_address,
                                  const std::filesystem::path& gpus = "/proc/driver/nvidia/gpus");

// The architecture to compile for: "sm_90a" where the device has architecture-specific instructions (compute
// capability 9.0 and up), "sm_86" elsewhere.
[[nodiscard]] std::string architecture_of(int major, int minor);

}  // namespace fib::cuda
