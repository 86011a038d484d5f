#pragma once

#include <cuda.h>

#include <string>

#include "util/error.h"

namespace fib::cuda {

// What the driver answered. `code` tells errors that end a context (an illegal address) from others.
class DriverError : public Error {
 public:
  DriverError(CUresult result, const std::string& text) : Error("{}", text), code(result) {}
  CUresult code;
};

// The functions of the CUDA driver that fib uses, by the types of cuda.h. Opened at run time; the table is
// plain data, to be made once a process and passed by reference. Threads: as the driver's own.
struct Driver {
  // Opens libcuda.so.1 and fills the table; does not initialise CUDA. Throws Error with one sentence when the
  // driver is missing or too old (CUDA 12 is needed).
  [[nodiscard]] static Driver open();

  // Throws DriverError "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (out of memory)" unless `result` is a success.
  void check(CUresult result, const char* function) const;
  // "CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
  [[nodiscard]] std::string describe(CUresult result) const;

  decltype(&cuInit) init = nullptr;
  decltype(&cuDriverGetVersion) version = nullptr;
  decltype(&cuGetErrorName) error_name = nullptr;
  decltype(&cuGetErrorString) error_string = nullptr;

  decltype(&cuDeviceGetCount) device_count = nullptr;
  decltype(&cuDeviceGet) device_get = nullptr;
  decltype(&cuDeviceGetName) device_name = nullptr;
  decltype(&cuDeviceGetUuid) device_uuid = nullptr;
  decltype(&cuDeviceGetUuid) device_whole_uuid = nullptr;
  decltype(&cuDeviceGetPCIBusId) device_pci = nullptr;
  decltype(&cuDeviceGetAttribute) device_attribute = nullptr;
  decltype(&cuDeviceTotalMem) device_memory = nullptr;

  decltype(&cuDevicePrimaryCtxSetFlags) primary_flags = nullptr;
  decltype(&cuDevicePrimaryCtxRetain) primary_retain = nullptr;
  decltype(&cuCtxSetCurrent) set_current = nullptr;
  decltype(&cuCtxGetCurrent) get_current = nullptr;
  decltype(&cuCtxGetDevice) context_device = nullptr;
  decltype(&cuCtxSynchronize) synchronize = nullptr;
  decltype(&cuCtxGetLimit) get_limit = nullptr;
  decltype(&cuCtxSetLimit) set_limit = nullptr;
  decltype(&cuCtxResetPersistingL2Cache) reset_persisting_l2 = nullptr;

  decltype(&cuMemGetInfo) memory_info = nullptr;
  decltype(&cuMemAlloc) allocate = nullptr;
  decltype(&cuMemFree) free = nullptr;
  // Pools; null before CUDA 11.2.
  decltype(&cuMemPoolCreate) pool_create = nullptr;
  decltype(&cuMemPoolDestroy) pool_destroy = nullptr;
  decltype(&cuMemPoolSetAttribute) pool_set = nullptr;
  decltype(&cuMemAllocFromPoolAsync) pool_allocate = nullptr;
  decltype(&cuMemFreeAsync) free_async = nullptr;
  decltype(&cuMemHostAlloc) host_allocate = nullptr;
  decltype(&cuMemFreeHost) host_free = nullptr;
  decltype(&cuMemcpyHtoDAsync) copy_to_device = nullptr;
  decltype(&cuMemcpyDtoHAsync) copy_to_host = nullptr;
  decltype(&cuMemcpyDtoDAsync) copy = nullptr;
  decltype(&cuMemcpy2DAsync) copy_rows = nullptr;
  decltype(&cuMemsetD8Async) set_bytes = nullptr;
  decltype(&cuPointerGetAttribute) pointer_attribute = nullptr;

  decltype(&cuMemCreate) create = nullptr;
  decltype(&cuMemRelease) release = nullptr;
  decltype(&cuMemAddressReserve) reserve = nullptr;
  decltype(&cuMemAddressFree) unreserve = nullptr;
  decltype(&cuMemMap) map = nullptr;
  decltype(&cuMemUnmap) unmap = nullptr;
  decltype(&cuMemSetAccess) set_access = nullptr;
  decltype(&cuMemExportToShareableHandle) export_handle = nullptr;
  decltype(&cuMemImportFromShareableHandle) import_handle = nullptr;
  decltype(&cuMemGetAllocationGranularity) granularity = nullptr;

  decltype(&cuStreamCreate) stream_create = nullptr;
  decltype(&cuStreamSynchronize) stream_synchronize = nullptr;
  decltype(&cuStreamDestroy) stream_destroy = nullptr;
  decltype(&cuStreamGetFlags) stream_flags = nullptr;
  decltype(&cuStreamGetAttribute) stream_attribute = nullptr;
  decltype(&cuStreamSetAttribute) set_stream_attribute = nullptr;
  decltype(&cuStreamWaitEvent) stream_wait_event = nullptr;
  decltype(&cuStreamIsCapturing) stream_is_capturing = nullptr;
  decltype(&cuThreadExchangeStreamCaptureMode) exchange_capture_mode = nullptr;
  decltype(&cuEventCreate) event_create = nullptr;
  decltype(&cuEventRecord) event_record = nullptr;
  decltype(&cuEventQuery) event_query = nullptr;
  decltype(&cuEventSynchronize) event_synchronize = nullptr;
  decltype(&cuEventElapsedTime) event_elapsed = nullptr;
  decltype(&cuEventDestroy) event_destroy = nullptr;

  decltype(&cuModuleLoadData) module_load = nullptr;
  decltype(&cuModuleUnload) module_unload = nullptr;
  decltype(&cuModuleGetFunction) module_function = nullptr;
  decltype(&cuFuncGetAttribute) function_attribute = nullptr;
  // cuKernelGetFunction; null before CUDA 12, as headers are that do not declare it.
  CUresult (*kernel_function)(CUfunction* function, void* kernel) = nullptr;
  decltype(&cuFuncSetAttribute) set_function_attribute = nullptr;
  decltype(&cuLaunchKernel) launch = nullptr;
  decltype(&cuLaunchKernelEx) launch_ex = nullptr;
  decltype(&cuFuncGetParamInfo) parameter_info = nullptr;  // null before CUDA 12.4
  CUresult (*profiler_start)() = nullptr;                  // for tools that look at the process; may be null
  CUresult (*profiler_stop)() = nullptr;
};

}  // namespace fib::cuda
