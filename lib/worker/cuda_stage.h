#pragma once

#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "device/cuda/alias_check.h"
#include "device/cuda/context.h"
#include "device/cuda/flush.h"
#include "device/cuda/kernels.h"
#include "device/cuda/memory.h"
#include "device/cuda/pool.h"
#include "device/cuda/segment_timer.h"
#include "device/cuda/timer.h"
#include "device/cuda/tracer.h"
#include "worker/cuda_exchange.h"
#include "worker/stage.h"
#include "worker/used_memory.h"

namespace fib::worker {

// A CUDA device as a worker sees it (worker/stage.h).
class CudaStage : public Stage {
 public:
  CudaStage(const UseDevice& device, const std::string& kernels, const CudaStageOptions& options);

  void open(const eval::Layout& layout, SharedBuffers shared) override;
  Buffers buffers() override;
  void fill(Clock clock, std::uint32_t place) override;
  void flush() override;
  Done run(Target& target, Clock clock) override;
  std::string prepare_tracer() override;
  void calibrate() override { timer_.calibrate(); }
  void touch_output(const eval::Slot& slot, std::uint64_t address) override;
  void take_output(const eval::Slot& slot, std::uint64_t address) override;
  [[nodiscard]] tvm_ffi::Device device() const override { return {tvm_ffi::kCuda, context_.ordinal()}; }
  void* allocate(std::uint64_t bytes) override;
  void free(void* memory) noexcept override;
  bool collect() override;
  void wait() override;

  [[nodiscard]] const device::cuda::Context& context() const { return context_; }

 private:
  [[nodiscard]] device::cuda::Tracer& tracer();
  Done run_by(Target& target, Clock clock);
  device::cuda::Timing time(Target& target, Clock clock);
  void call_untimed(Target& target);
  void wait_where_needed();
  Done trace(Target& target, Clock clock);
  // An output that the call has returned.
  struct Returned {
    eval::Slot slot;
    CUdeviceptr address = 0;
  };
  void take_returned();
  void copy_returned(const Returned& output);
  void refuse_fibs_memory(const Returned& output);
  [[nodiscard]] const Returned* drawn_output();
  // Leaves something there that neither the call nor another one wrote.
  void spoil(CUdeviceptr memory, std::uint64_t bytes);

  // Why the driver has refused a launch since this was asked before; "": it has refused none.
  std::string refused_launch();
  // Runs fib's own work on the device, so that the tracer knows it.
  template <typename Work>
  void own(Work work);

  device::cuda::Context context_;
  device::cuda::Pool pool_;
  device::cuda::Kernels kernels_;
  device::cuda::Timer timer_;
  std::optional<device::cuda::ApiWatcher> watcher_;  // CUPTI's, if it is there, as the next two
  std::optional<device::cuda::SegmentTimer> segment_timer_;
  std::optional<device::cuda::Tracer> tracer_;
  device::cuda::Flush flush_;
  std::unique_ptr<CudaExchange> exchange_;
  device::cuda::AliasCheck alias_check_{context_};
  std::mt19937_64 random_{std::random_device{}()};
  device::cuda::DeviceMemory own_inputs_;  // where the judge has made no private buffers
  device::cuda::DeviceMemory own_outputs_;
  CUdeviceptr inputs_ = 0;  // the private buffers
  CUdeviceptr outputs_ = 0;
  std::uint64_t input_bytes_ = 0;
  Clock clock_ = Clock::kEvents;  // of the call
  std::optional<bool> in_order_;  // Timing::is_in_order of all calls that were timed; nothing: none was
  std::vector<std::byte> scalars_;
  bool is_solutions_ = false;  // the call is
  UsedMemory used_;
  std::set<std::uint64_t> copied_;  // offsets of outputs in memory that was used: copied by the call itself
  std::vector<Returned> returned_;  // until collect()
};

}  // namespace fib::worker
