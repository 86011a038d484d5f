#include "cuda/devices.h"

#include <cuda.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <memory>

namespace fib::cuda {
namespace {

// The few functions needed, by the types of the header.
struct Driver {
  decltype(&cuInit) init = nullptr;
  decltype(&cuDeviceGetCount) count = nullptr;
  decltype(&cuDeviceGet) get = nullptr;
  decltype(&cuDeviceGetName) name = nullptr;

  explicit Driver(void* library) {
    load(library, "cuInit", init);
    load(library, "cuDeviceGetCount", count);
    load(library, "cuDeviceGet", get);
    load(library, "cuDeviceGetName", name);
  }
  [[nodiscard]] bool complete() const { return init && count && get && name; }

 private:
  template <typename Function>
  static void load(void* library, const char* symbol, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library, symbol));
  }
};

}  // namespace

DeviceList list_devices() {
  DeviceList list;
  // Never closed: the driver does not support being unloaded.
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    list.problem = "no CUDA driver (libcuda.so.1 cannot be opened)";
    return list;
  }
  const Driver driver(library);
  if (!driver.complete()) {
    list.problem = "the CUDA driver lacks functions that fib needs";
    return list;
  }
  int count = 0;
  CUresult result = driver.init(0);
  if (result == CUDA_SUCCESS) result = driver.count(&count);
  if (result != CUDA_SUCCESS) {
    list.problem = fmt::format("the CUDA driver gives error {}", static_cast<int>(result));
    return list;
  }
  for (int i = 0; i < count; ++i) {
    CUdevice device{};
    char name[256] = {};
    if (driver.get(&device, i) != CUDA_SUCCESS) continue;
    if (driver.name(name, sizeof name, device) == CUDA_SUCCESS) list.names.emplace_back(name);
  }
  return list;
}

}  // namespace fib::cuda
