#include "worker/exact_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "util/error.h"

namespace fib::worker {
namespace {

struct Freed {
  void operator()(void* memory) const { std::free(memory); }  // NOLINT(cppcoreguidelines-no-malloc)
};

// A sanitizer's allocator makes these; what lies behind their last byte is its own.
class HostMemory : public ExactMemory {
 public:
  HostMemory(const eval::Layout& layout, const std::vector<std::byte>& inputs) {
    layout_ = layout;
    for (auto& slot : layout_.inputs) {
      void* place = allocate(slot.bytes);
      std::memcpy(place, inputs.data() + slot.offset, slot.bytes);
      slot.offset = reinterpret_cast<std::uintptr_t>(place);  // NOLINT
    }
    for (auto& slot : layout_.outputs)
      slot.offset = reinterpret_cast<std::uintptr_t>(allocate(slot.bytes));  // NOLINT
  }

  void wait() override {}

 private:
  void* allocate(std::uint64_t bytes) {
    void* place = nullptr;
    if (::posix_memalign(&place, eval::Layout::kAlignment, std::max<std::uint64_t>(bytes, 1)) != 0)
      throw Error("no memory for {} bytes", bytes);
    places_.emplace_back(place);
    return place;
  }

  std::vector<std::unique_ptr<void, Freed>> places_;
};

}  // namespace

std::unique_ptr<ExactMemory> make_exact_memory(Stage& stage, bool on_cuda, const eval::Layout& layout,
                                               const std::vector<std::byte>& inputs) {
  if (on_cuda) return make_cuda_exact_memory(stage, layout, inputs);
  return std::make_unique<HostMemory>(layout, inputs);
}

}  // namespace fib::worker
