#include "cuda/driver.h"

#include <vector>

#include "cuda/library.h"

namespace fib::cuda {
namespace {

// Fills a table, and remembers what was missing.
class Loader {
 public:
  explicit Loader(const util::SharedLibrary& library) : library_(library) {}
  template <typename Function>
  void optional(const char* symbol, Function& function) const {
    (void)library_.find(symbol, function);
  }
  template <typename Function>
  void operator()(const char* symbol, Function& function) {
    optional(symbol, function);
    if (function == nullptr) missing_.emplace_back(symbol);
  }
  [[nodiscard]] const std::vector<std::string>& missing() const { return missing_; }

 private:
  const util::SharedLibrary& library_;
  std::vector<std::string> missing_;
};

void load_devices(Driver& d, Loader& load) {
  load("cuInit", d.init);
  load("cuDriverGetVersion", d.version);
  load("cuGetErrorName", d.error_name);
  load("cuGetErrorString", d.error_string);
  load("cuDeviceGetCount", d.device_count);
  load("cuDeviceGet", d.device_get);
  load("cuDeviceGetName", d.device_name);
  load("cuDeviceGetUuid_v2", d.device_uuid);
  load.optional("cuDeviceGetUuid", d.device_whole_uuid);
  load.optional("cuDeviceGetPCIBusId", d.device_pci);
  load("cuDeviceGetAttribute", d.device_attribute);
  load("cuDeviceTotalMem_v2", d.device_memory);
  load("cuDevicePrimaryCtxSetFlags_v2", d.primary_flags);
  load("cuDevicePrimaryCtxRetain", d.primary_retain);
  load("cuCtxSetCurrent", d.set_current);
  load("cuCtxGetCurrent", d.get_current);
  load("cuCtxGetDevice", d.context_device);
  load("cuCtxSynchronize", d.synchronize);
  load("cuCtxGetLimit", d.get_limit);
  load("cuCtxSetLimit", d.set_limit);
  load("cuCtxResetPersistingL2Cache", d.reset_persisting_l2);
}

void load_memory(Driver& d, Loader& load) {
  load("cuMemGetInfo_v2", d.memory_info);
  load("cuMemAlloc_v2", d.allocate);
  load("cuMemFree_v2", d.free);
  load.optional("cuMemPoolCreate", d.pool_create);
  load.optional("cuMemPoolDestroy", d.pool_destroy);
  load.optional("cuMemPoolSetAttribute", d.pool_set);
  load.optional("cuMemAllocFromPoolAsync", d.pool_allocate);
  load.optional("cuMemFreeAsync", d.free_async);
  load("cuMemHostAlloc", d.host_allocate);
  load("cuMemFreeHost", d.host_free);
  load("cuMemcpyHtoDAsync_v2", d.copy_to_device);
  load("cuMemcpyDtoHAsync_v2", d.copy_to_host);
  load("cuMemcpyDtoDAsync_v2", d.copy);
  load("cuMemcpy2DAsync_v2", d.copy_rows);
  load("cuMemsetD8Async", d.set_bytes);
  load("cuPointerGetAttribute", d.pointer_attribute);
  load("cuMemCreate", d.create);
  load("cuMemRelease", d.release);
  load("cuMemAddressReserve", d.reserve);
  load("cuMemAddressFree", d.unreserve);
  load("cuMemMap", d.map);
  load("cuMemUnmap", d.unmap);
  load("cuMemSetAccess", d.set_access);
  load("cuMemExportToShareableHandle", d.export_handle);
  load("cuMemImportFromShareableHandle", d.import_handle);
  load("cuMemGetAllocationGranularity", d.granularity);
}

void load_work(Driver& d, Loader& load) {
  load("cuStreamCreate", d.stream_create);
  load("cuStreamSynchronize", d.stream_synchronize);
  load("cuStreamDestroy_v2", d.stream_destroy);
  load("cuStreamGetFlags", d.stream_flags);
  load("cuStreamGetAttribute", d.stream_attribute);
  load("cuStreamSetAttribute", d.set_stream_attribute);
  load("cuStreamWaitEvent", d.stream_wait_event);
  load("cuStreamIsCapturing", d.stream_is_capturing);
  load("cuThreadExchangeStreamCaptureMode", d.exchange_capture_mode);
  load("cuEventCreate", d.event_create);
  load("cuEventRecord", d.event_record);
  load("cuEventQuery", d.event_query);
  load("cuEventSynchronize", d.event_synchronize);
  load("cuEventElapsedTime", d.event_elapsed);
  load("cuEventDestroy_v2", d.event_destroy);
  load("cuModuleLoadData", d.module_load);
  load("cuModuleUnload", d.module_unload);
  load("cuModuleGetFunction", d.module_function);
  load("cuFuncGetAttribute", d.function_attribute);
  load.optional("cuKernelGetFunction", d.kernel_function);
  load("cuFuncSetAttribute", d.set_function_attribute);
  load("cuLaunchKernel", d.launch);
  load("cuLaunchKernelEx", d.launch_ex);
  load.optional("cuFuncGetParamInfo", d.parameter_info);
  load.optional("cuProfilerStart", d.profiler_start);
  load.optional("cuProfilerStop", d.profiler_stop);
}

}  // namespace

Driver Driver::open() {
  std::string problem;
  const auto library = open_library("the CUDA driver", {"libcuda.so.1"}, problem);
  if (!library.is_open()) throw Error("{}", problem);
  Driver driver;
  Loader load(library);
  load_devices(driver, load);
  load_memory(driver, load);
  load_work(driver, load);
  if (!load.missing().empty()) {
    throw Error("the CUDA driver {} is too old: it has no {}; CUDA 12 or newer is needed", library.file(),
                fmt::join(load.missing(), ", "));
  }
  return driver;
}

std::string Driver::describe(CUresult result) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (error_name(result, &name) != CUDA_SUCCESS || error_string(result, &text) != CUDA_SUCCESS) {
    return fmt::format("CUDA error {}", static_cast<int>(result));
  }
  return fmt::format("{} ({})", name, text);
}

void Driver::check(CUresult result, const char* function) const {
  if (result != CUDA_SUCCESS) throw DriverError(result, fmt::format("{}: {}", function, describe(result)));
}

}  // namespace fib::cuda
