#include <algorithm>

#include "worker/cuda_stage.h"
#include "worker/exact_memory.h"

namespace fib::worker {
namespace {

class CudaExactMemory : public ExactMemory {
 public:
  CudaExactMemory(const device::cuda::Context& context, const eval::Layout& layout,
                  const std::vector<std::byte>& inputs)
      : context_(context) {
    layout_ = layout;
    stream_ = context.stream();
    for (auto& slot : layout_.inputs) {
      const CUdeviceptr place = allocate(slot.bytes);
      if (slot.bytes > 0) {
        context.check(
            context.driver().copy_to_device(place, inputs.data() + slot.offset, slot.bytes, context.stream()),
            "cuMemcpyHtoDAsync");
      }
      slot.offset = place;
    }
    for (auto& slot : layout_.outputs) slot.offset = allocate(slot.bytes);
    context.wait_for_all();  // for streams of the solution's own, too
  }
  ~CudaExactMemory() override {
    for (const CUdeviceptr place : places_) (void)context_.driver().free(place);
  }
  CudaExactMemory(const CudaExactMemory&) = delete;
  CudaExactMemory& operator=(const CudaExactMemory&) = delete;

  void begin_profile() override {
    if (context_.driver().profiler_start != nullptr) (void)context_.driver().profiler_start();
  }
  void end_profile() override {
    if (context_.driver().profiler_stop != nullptr) (void)context_.driver().profiler_stop();
  }
  void wait() override { context_.wait_for_all(); }

 private:
  CUdeviceptr allocate(std::uint64_t bytes) {
    CUdeviceptr place = 0;
    context_.check(context_.driver().allocate(&place, std::max<std::uint64_t>(bytes, 1)), "cuMemAlloc");
    places_.push_back(place);
    return place;
  }

  const device::cuda::Context& context_;
  std::vector<CUdeviceptr> places_;
};

}  // namespace

std::unique_ptr<ExactMemory> make_cuda_exact_memory(Stage& stage, const eval::Layout& layout,
                                                    const std::vector<std::byte>& inputs) {
  return std::make_unique<CudaExactMemory>(dynamic_cast<CudaStage&>(stage).context(), layout, inputs);
}

}  // namespace fib::worker
