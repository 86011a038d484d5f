#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "emulation/emulation.h"
#include "emulation/fibers.h"
#include "util/unique_fd.h"

namespace fib::emulation {
namespace {

std::atomic<std::size_t> memory_limit = std::size_t{4} << 30U;
std::atomic<std::size_t> uploaded = 0;
std::atomic<std::size_t> downloaded = 0;
std::atomic<std::size_t> launched = 0;
std::atomic<bool> capturing = false;
std::mutex memory_mutex;
std::atomic<std::size_t> allocated = 0;
std::atomic<std::size_t> waits = 0;
std::map<CUdeviceptr, std::size_t> blocks;

std::size_t in_use() {
  std::size_t sum = 0;
  for (const auto& block : blocks) sum += block.second;
  return sum;
}

CUresult allocate(CUdeviceptr* address, std::size_t bytes) {
  const std::lock_guard lock(memory_mutex);
  if (in_use() + bytes > memory_limit) return CUDA_ERROR_OUT_OF_MEMORY;
  void* block = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  std::memset(block, 0xa5, bytes);  // nothing may rely on what it finds
  *address = reinterpret_cast<CUdeviceptr>(block);
  blocks[*address] = bytes;
  ++allocated;
  return CUDA_SUCCESS;
}

CUresult free_block(CUdeviceptr address) {
  const std::lock_guard lock(memory_mutex);
  if (blocks.erase(address) == 0) return CUDA_ERROR_INVALID_VALUE;
  std::free(reinterpret_cast<void*>(address));
  return CUDA_SUCCESS;
}

// Whether a block holds all these bytes: a copy beyond it is a mistake of the code under test.
bool is_inside(CUdeviceptr address, std::size_t bytes) {
  const std::lock_guard lock(memory_mutex);
  auto block = blocks.upper_bound(address);
  if (block == blocks.begin()) return false;
  --block;
  return address + bytes <= block->first + block->second;
}

CUresult copy_bytes(void* to, const void* from, std::size_t bytes, CUdeviceptr device) {
  if (!is_inside(device, bytes)) return CUDA_ERROR_ILLEGAL_ADDRESS;
  std::memcpy(to, from, bytes);
  return CUDA_SUCCESS;
}

void fill_devices(cuda::Driver& d) {
  d.error_name = [](CUresult result, const char** text) {
    *text = result == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR";
    return CUDA_SUCCESS;
  };
  d.error_string = [](CUresult, const char** text) {
    *text = "emulated";
    return CUDA_SUCCESS;
  };
  d.init = [](unsigned) { return CUDA_SUCCESS; };
  d.device_count = [](int* count) {
    *count = 1;
    return CUDA_SUCCESS;
  };
  d.device_get = [](CUdevice* device, int) {
    *device = 0;
    return CUDA_SUCCESS;
  };
  d.device_name = [](char* name, int size, CUdevice) {
    std::strncpy(name, "emulated GPU", static_cast<std::size_t>(size));
    return CUDA_SUCCESS;
  };
  d.device_uuid = [](CUuuid* uuid, CUdevice) {
    std::memset(uuid, 0x11, sizeof *uuid);
    return CUDA_SUCCESS;
  };
  d.device_attribute = [](int* value, CUdevice_attribute which, CUdevice) {
    *value = which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9
             : which == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT   ? 4
                                                                   : 0;
    return CUDA_SUCCESS;
  };
  d.primary_flags = [](CUdevice, unsigned) { return CUDA_SUCCESS; };
  d.primary_retain = [](CUcontext* context, CUdevice) {
    *context = nullptr;
    return CUDA_SUCCESS;
  };
  d.set_current = [](CUcontext) { return CUDA_SUCCESS; };
  d.get_current = [](CUcontext* context) {
    static int only;  // its address stands for the context
    *context = reinterpret_cast<CUcontext>(&only);
    return CUDA_SUCCESS;
  };
  d.context_device = [](CUdevice* device) {
    *device = 0;
    return CUDA_SUCCESS;
  };
  d.exchange_capture_mode = [](CUstreamCaptureMode*) { return CUDA_SUCCESS; };
}

void fill_memory(cuda::Driver& d) {
  d.allocate = allocate;
  d.free = free_block;
  d.pool_create = [](CUmemoryPool*, const CUmemPoolProps*) { return CUDA_SUCCESS; };
  d.pool_destroy = [](CUmemoryPool) { return CUDA_SUCCESS; };
  d.pool_set = [](CUmemoryPool, CUmemPool_attribute, void*) { return CUDA_SUCCESS; };
  d.pool_allocate = [](CUdeviceptr* address, std::size_t bytes, CUmemoryPool, CUstream) {
    return allocate(address, bytes);
  };
  d.free_async = [](CUdeviceptr address, CUstream) { return free_block(address); };
  d.host_allocate = [](void** data, std::size_t bytes, unsigned) {
    *data = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    ++allocated;
    return CUDA_SUCCESS;
  };
  d.host_free = [](void* data) {
    std::free(data);
    return CUDA_SUCCESS;
  };
  d.copy_to_device = [](CUdeviceptr to, const void* from, std::size_t bytes, CUstream) {
    uploaded += bytes;
    return copy_bytes(reinterpret_cast<void*>(to), from, bytes, to);
  };
  d.copy_to_host = [](void* to, CUdeviceptr from, std::size_t bytes, CUstream) {
    downloaded += bytes;
    return copy_bytes(to, reinterpret_cast<const void*>(from), bytes, from);
  };
  d.copy = [](CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream) {
    if (!is_inside(from, bytes)) return CUDA_ERROR_ILLEGAL_ADDRESS;
    return copy_bytes(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes, to);
  };
  d.set_bytes = [](CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream) {
    if (!is_inside(to, bytes)) return CUDA_ERROR_ILLEGAL_ADDRESS;
    std::memset(reinterpret_cast<void*>(to), value, bytes);
    return CUDA_SUCCESS;
  };
}

// Physical memory that has addresses of its own and can be passed on: a memfd.
struct Allocation {
  util::UniqueFd fd;
};
Allocation& of(CUmemGenericAllocationHandle handle) { return *reinterpret_cast<Allocation*>(handle); }
CUmemGenericAllocationHandle as_handle(util::UniqueFd fd) {
  return reinterpret_cast<CUmemGenericAllocationHandle>(new Allocation{std::move(fd)});
}

CUresult create(CUmemGenericAllocationHandle* handle, std::size_t bytes, const CUmemAllocationProp*,
                unsigned long long) {
  util::UniqueFd fd(memfd_create("emulated", MFD_CLOEXEC));
  if (ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) return CUDA_ERROR_OUT_OF_MEMORY;
  *handle = as_handle(std::move(fd));
  ++allocated;
  return CUDA_SUCCESS;
}

CUresult map(CUdeviceptr address, std::size_t bytes, std::size_t, CUmemGenericAllocationHandle handle,
             unsigned long long) {
  const std::lock_guard lock(memory_mutex);
  if (in_use() + bytes > memory_limit) return CUDA_ERROR_OUT_OF_MEMORY;
  if (mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
           of(handle).fd.get(), 0) == MAP_FAILED)
    return CUDA_ERROR_INVALID_VALUE;
  blocks[address] = bytes;
  return CUDA_SUCCESS;
}

CUresult unmap(CUdeviceptr address, std::size_t bytes) {
  const std::lock_guard lock(memory_mutex);
  if (blocks.erase(address) == 0) return CUDA_ERROR_INVALID_VALUE;
  void* const place = reinterpret_cast<void*>(address);
  const void* unmapped = mmap(place, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  return unmapped == place ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

void fill_shared_memory(cuda::Driver& d) {
  d.create = create;
  d.map = map;
  d.unmap = unmap;
  d.release = [](CUmemGenericAllocationHandle handle) {
    delete &of(handle);
    return CUDA_SUCCESS;
  };
  d.reserve = [](CUdeviceptr* address, std::size_t bytes, std::size_t, CUdeviceptr, unsigned long long) {
    *address =
        reinterpret_cast<CUdeviceptr>(mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    return CUDA_SUCCESS;
  };
  d.unreserve = [](CUdeviceptr address, std::size_t bytes) {
    munmap(reinterpret_cast<void*>(address), bytes);
    return CUDA_SUCCESS;
  };
  d.set_access = [](CUdeviceptr, std::size_t, const CUmemAccessDesc*, std::size_t) { return CUDA_SUCCESS; };
  d.export_handle = [](void* fd, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType,
                       unsigned long long) {
    *static_cast<int*>(fd) = dup(of(handle).fd.get());
    return CUDA_SUCCESS;
  };
  d.import_handle = [](CUmemGenericAllocationHandle* handle, void* fd, CUmemAllocationHandleType) {
    *handle = as_handle(util::UniqueFd(dup(static_cast<int>(reinterpret_cast<std::intptr_t>(fd)))));
    return CUDA_SUCCESS;
  };
  d.granularity = [](std::size_t* bytes, const CUmemAllocationProp*, CUmemAllocationGranularity_flags) {
    *bytes = 65536;
    return CUDA_SUCCESS;
  };
  d.memory_info = [](std::size_t* free, std::size_t* total) {
    const std::lock_guard lock(memory_mutex);
    *total = memory_limit;
    *free = *total - std::min(*total, in_use());
    return CUDA_SUCCESS;
  };
}

void fill_work(cuda::Driver& d) {
  d.stream_create = [](CUstream*, unsigned) { return CUDA_SUCCESS; };
  d.stream_synchronize = [](CUstream) { return CUDA_SUCCESS; };
  d.stream_destroy = [](CUstream) { return CUDA_SUCCESS; };
  d.stream_flags = [](CUstream, unsigned* flags) {
    *flags = CU_STREAM_NON_BLOCKING;
    return CUDA_SUCCESS;
  };
  d.stream_attribute = [](CUstream, CUstreamAttrID, CUstreamAttrValue* value) {
    *value = {};
    return CUDA_SUCCESS;
  };
  d.set_stream_attribute = [](CUstream, CUstreamAttrID, const CUstreamAttrValue*) { return CUDA_SUCCESS; };
  d.stream_wait_event = [](CUstream, CUevent, unsigned) {
    ++waits;
    return CUDA_SUCCESS;
  };
  d.stream_is_capturing = [](CUstream, CUstreamCaptureStatus* status) {
    *status = capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
  };
  d.event_create = [](CUevent*, unsigned) { return CUDA_SUCCESS; };
  d.event_record = [](CUevent, CUstream) { return CUDA_SUCCESS; };
  d.event_synchronize = [](CUevent) { return CUDA_SUCCESS; };
  d.event_destroy = [](CUevent) { return CUDA_SUCCESS; };
  // A "cubin" is the path of a shared library.
  d.module_load = [](CUmodule* module, const void* image) {
    *module = reinterpret_cast<CUmodule>(dlopen(static_cast<const char*>(image), RTLD_NOW | RTLD_LOCAL));
    return *module == nullptr ? CUDA_ERROR_INVALID_IMAGE : CUDA_SUCCESS;
  };
  d.module_unload = [](CUmodule) { return CUDA_SUCCESS; };
  d.module_function = [](CUfunction* function, CUmodule module, const char* name) {
    *function = reinterpret_cast<CUfunction>(find_kernel(module, name));
    return *function == nullptr ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
  };
  d.function_attribute = [](int* value, CUfunction_attribute, CUfunction) {
    *value = 1024;
    return CUDA_SUCCESS;
  };
  d.set_function_attribute = [](CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; };
  d.launch = [](CUfunction function, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned, unsigned,
                unsigned, CUstream, void** arguments, void**) {
    ++launched;
    run_grid(*reinterpret_cast<const Kernel*>(function), {x, y, z}, threads, arguments);
    return CUDA_SUCCESS;
  };
}

}  // namespace

std::string uuid() { return "GPU-11111111-1111-1111-1111-111111111111"; }

cuda::Driver driver() {
  cuda::Driver d;
  fill_devices(d);
  fill_memory(d);
  fill_shared_memory(d);
  fill_work(d);
  return d;
}

void set_device_memory(std::size_t bytes) { memory_limit = bytes; }
std::size_t device_bytes_in_use() {
  const std::lock_guard lock(memory_mutex);
  return in_use();
}
std::size_t allocations() { return allocated; }
std::size_t stream_waits() { return waits; }
std::size_t uploaded_bytes() { return uploaded; }
std::size_t downloaded_bytes() { return downloaded; }
void set_capturing(bool yes) { capturing = yes; }
std::size_t launches() { return launched; }

}  // namespace fib::emulation
