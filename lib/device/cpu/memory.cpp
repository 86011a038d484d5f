#include "device/cpu/memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "util/errno_error.h"

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

namespace fib::device::cpu {
namespace {

constexpr std::size_t kPage = 4096;

std::size_t whole_pages(std::size_t bytes) { return std::max(kPage, (bytes + kPage - 1) / kPage * kPage); }

std::byte* map(std::size_t size, int protection, int flags, int fd) {
  void* memory = ::mmap(nullptr, size, protection, flags, fd, 0);
  if (memory == MAP_FAILED) throw util::errno_error(fmt::format("cannot map {} bytes of memory", size));
  return static_cast<std::byte*>(memory);
}

}  // namespace

SharedMemory SharedMemory::create(std::size_t bytes, WorkerAccess access) {
  SharedMemory memory;
  memory.size_ = whole_pages(bytes);
  memory.fd_.reset(::memfd_create("fib-buffer", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory.fd_.valid()) throw util::errno_error("cannot make a shared buffer");
  if (::ftruncate(memory.fd_.get(), static_cast<off_t>(memory.size_)) != 0) {
    throw util::errno_error(fmt::format("cannot make a shared buffer of {} bytes", memory.size_));
  }
  memory.data_ = map(memory.size_, PROT_READ | PROT_WRITE, MAP_SHARED, memory.fd_.get());
  int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW;
  if (access == WorkerAccess::kReads) seals |= F_SEAL_FUTURE_WRITE;
  if (::fcntl(memory.fd_.get(), F_ADD_SEALS, seals) != 0)
    throw util::errno_error("cannot seal a shared buffer");
  return memory;
}

SharedMemory SharedMemory::open(util::UniqueFd fd, std::size_t bytes, WorkerAccess access) {
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) throw util::errno_error("cannot look at a shared buffer");
  SharedMemory memory;
  memory.size_ = whole_pages(bytes);
  if (static_cast<std::size_t>(info.st_size) < memory.size_) throw Error("a shared buffer is too small");
  const int protection = access == WorkerAccess::kReads ? PROT_READ : PROT_READ | PROT_WRITE;
  memory.data_ = map(memory.size_, protection, MAP_SHARED, fd.get());
  memory.fd_ = std::move(fd);
  return memory;
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : fd_(std::move(other.fd_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

PrivateMemory::PrivateMemory(std::size_t bytes, Pages pages) : size_(whole_pages(bytes)) {
  data_ = map(size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  if (pages == Pages::kHuge) ::madvise(data_, size_, MADV_HUGEPAGE);  // kernels without them say no
}

PrivateMemory::PrivateMemory(PrivateMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

PrivateMemory& PrivateMemory::operator=(PrivateMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

PrivateMemory::~PrivateMemory() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

}  // namespace fib::device::cpu
