#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
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

// Whether the CUDA toolkit (CUDA_HOME, else the usual place) has the program; false after saying that the
// test is skipped.
inline bool has_cuda_tool(const std::string& name) {
  const char* named = std::getenv("CUDA_HOME");
  const std::filesystem::path home = named != nullptr ? named : "/usr/local/cuda";
  if (std::filesystem::exists(home / "bin" / name)) return true;
  WARN("skipped: no " << name);
  return false;
}

// A Triton solution of "add" that writes the first `count` of n elements, at line 8.
inline std::string triton_add(const std::string& count = "n") {
  return R"(import triton
import triton.language as tl


@triton.jit
def add_all(a, b, c, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(c + i, tl.load(a + i, mask=i < n) + tl.load(b + i, mask=i < n), mask=i < )" +
         count + R"()


def run(a, b, c):
    add_all[(triton.cdiv(a.numel(), 1024),)](a, b, c, a.numel(), BLOCK=1024)
)";
}

}  // namespace fib::testing
