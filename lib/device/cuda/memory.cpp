#include "device/cuda/memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace fib::device::cuda {
namespace {

constexpr std::uint64_t kPadding = 256;

std::uint64_t rounded(std::uint64_t bytes, std::uint64_t unit) {
  return std::max(unit, (bytes + unit - 1) / unit * unit);
}

CUmemAllocationProp properties_of(const Context& context) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = context.device();
  return properties;
}

std::uint64_t granularity_of(const Context& context) {
  const auto properties = properties_of(context);
  std::size_t bytes = 0;
  context.check(context.driver().granularity(&bytes, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
                "cuMemGetAllocationGranularity");
  return bytes;
}

}  // namespace

DeviceMemory::DeviceMemory(const Context& context, std::uint64_t bytes)
    : context_(&context), size_(rounded(bytes, kPadding)) {
  context.check(context.driver().allocate(&data_, size_), "cuMemAlloc");
}

DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept
    : context_(other.context_), data_(std::exchange(other.data_, 0)), size_(std::exchange(other.size_, 0)) {}

DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  std::swap(context_, other.context_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

DeviceMemory::~DeviceMemory() {
  if (data_ != 0) context_->driver().free(data_);
}

void SharedDeviceMemory::map(CUmemGenericAllocationHandle handle) {
  const Driver& driver = context_->driver();
  context_->check(driver.reserve(&data_, size_, 0, 0, 0), "cuMemAddressReserve");
  const CUresult mapped = driver.map(data_, size_, 0, handle, 0);
  driver.release(handle);  // the mapping keeps the allocation
  if (mapped != CUDA_SUCCESS) {
    driver.unreserve(data_, size_);
    data_ = 0;
    context_->check(mapped, "cuMemMap");
  }
  CUmemAccessDesc access{};
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.location.id = context_->device();
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  context_->check(driver.set_access(data_, size_, &access, 1), "cuMemSetAccess");
}

SharedDeviceMemory SharedDeviceMemory::create(const Context& context, std::uint64_t bytes) {
  SharedDeviceMemory memory(context);
  const Driver& driver = context.driver();
  memory.size_ = rounded(bytes, granularity_of(context));
  const auto properties = properties_of(context);
  CUmemGenericAllocationHandle handle = 0;
  context.check(driver.create(&handle, memory.size_, &properties, 0), "cuMemCreate");
  int fd = -1;
  const CUresult exported = driver.export_handle(&fd, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
  memory.fd_.reset(fd);
  if (exported != CUDA_SUCCESS) driver.release(handle);
  context.check(exported, "cuMemExportToShareableHandle");
  memory.map(handle);
  return memory;
}

SharedDeviceMemory SharedDeviceMemory::open(const Context& context, util::UniqueFd fd, std::uint64_t bytes) {
  SharedDeviceMemory memory(context);
  memory.size_ = rounded(bytes, granularity_of(context));
  CUmemGenericAllocationHandle handle = 0;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a descriptor travels in the pointer's place
  void* const os_handle = reinterpret_cast<void*>(static_cast<std::uintptr_t>(fd.get()));
  context.check(context.driver().import_handle(&handle, os_handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
                "cuMemImportFromShareableHandle");
  memory.map(handle);
  return memory;
}

SharedDeviceMemory::SharedDeviceMemory(SharedDeviceMemory&& other) noexcept
    : context_(other.context_),
      fd_(std::move(other.fd_)),
      data_(std::exchange(other.data_, 0)),
      size_(std::exchange(other.size_, 0)) {}

SharedDeviceMemory& SharedDeviceMemory::operator=(SharedDeviceMemory&& other) noexcept {
  std::swap(context_, other.context_);
  std::swap(fd_, other.fd_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

SharedDeviceMemory::~SharedDeviceMemory() {
  if (data_ == 0) return;
  context_->driver().unmap(data_, size_);
  context_->driver().unreserve(data_, size_);
}

PinnedMemory::PinnedMemory(const Context& context, std::size_t bytes) : context_(context) {
  void* memory = nullptr;
  context.check(context.driver().host_allocate(&memory, std::max<std::size_t>(bytes, 1),
                                               CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE),
                "cuMemHostAlloc");
  data_ = static_cast<std::byte*>(memory);
  std::memset(data_, 0, bytes);
}

PinnedMemory::~PinnedMemory() { context_.driver().host_free(data_); }

}  // namespace fib::device::cuda
