#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "compile/device_kernels.h"
#include "cuda/devices.h"
#include "device/cuda/context.h"
#include "device/cuda/kernels.h"
#include "device/cuda/memory.h"
#include "support/temporary.h"
#include "util/files.h"

namespace fib::testing {

// The first GPU with fib's own kernels, made once for all tests of this process.
struct Gpu {
  cuda::DeviceInfo info;
  std::string kernels_path;
  device::cuda::Context context;
  device::cuda::Kernels kernels;

  Gpu(const cuda::DeviceInfo& device, const std::string& path)
      : info(device), kernels_path(path), context(device.uuid), kernels(context, util::read_file(path)) {}

  device::cuda::DeviceMemory upload(const void* data, std::size_t bytes) {
    device::cuda::DeviceMemory memory(context, bytes);
    context.check(context.driver().copy_to_device(memory.data(), data, bytes, context.stream()), "upload");
    context.wait();
    return memory;
  }
  std::vector<std::byte> download(CUdeviceptr source, std::size_t bytes) {
    std::vector<std::byte> data(bytes);
    context.check(context.driver().copy_to_host(data.data(), source, bytes, context.stream()), "download");
    context.wait();
    return data;
  }
};

// Null, with a message, on a machine without a GPU: the test then returns.
inline Gpu* gpu() {
  static const cuda::DeviceList list = cuda::list_devices();
  if (list.devices.empty()) {
    WARN("skipped: " << list.problem);
    return nullptr;
  }
  static const TemporaryFolder cache;
  static const auto& device = list.devices.front();
  static Gpu gpu(device,
                 compile::device_kernels(cuda::architecture_of(device.major, device.minor), cache.path()));
  return &gpu;
}

}  // namespace fib::testing
