#include "apply/call_device.h"

#include <cstring>
#include <new>

#include "util/machine.h"

namespace fib::apply {
namespace {

constexpr std::align_val_t kHostAlignment{256};

class HostDevice final : public CallDevice {
 public:
  [[nodiscard]] tvm_ffi::Device device() const override { return {tvm_ffi::kCpu, 0}; }

  [[nodiscard]] void* allocate(std::uint64_t bytes, void* /*stream*/) override try {
    if (bytes > util::physical_memory()) throw Error("this machine has no {} bytes", bytes);
    return ::operator new(bytes, kHostAlignment);
  } catch (const std::bad_alloc&) {
    throw NoMemoryNow("no {} bytes of memory are left", bytes);
  }
  void free(void* memory) noexcept override { ::operator delete(memory, kHostAlignment); }

  [[nodiscard]] CallEnd copy(void* to, const void* from, std::uint64_t bytes, void* /*stream*/,
                             std::string& /*error*/) override {
    std::memmove(to, from, bytes);
    return CallEnd::done;
  }

  [[nodiscard]] CallEnd begin_default_stream(void* /*stream*/, std::string& /*error*/) override {
    return CallEnd::done;
  }
  [[nodiscard]] CallEnd end_default_stream(void* /*stream*/, std::string& /*error*/) override {
    return CallEnd::done;
  }
};

}  // namespace

std::shared_ptr<CallDevice> host_device() { return std::make_shared<HostDevice>(); }

}  // namespace fib::apply
