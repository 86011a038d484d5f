#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "device/cpu/cache.h"
#include "device/cpu/memory.h"
#include "util/clock.h"
#include "worker/stage.h"
#include "worker/used_memory.h"

namespace fib::worker {
namespace {

using device::cpu::PrivateMemory;
using device::cpu::SharedMemory;
using device::cpu::WorkerAccess;

class CpuStage : public Stage {
 public:
  void open(const eval::Layout& layout, SharedBuffers shared) override {
    layout_ = layout;
    shared_inputs_.emplace(SharedMemory::open(std::move(shared.inputs), shared.places * layout.input_stride(),
                                              WorkerAccess::kReads));
    shared_outputs_.emplace(SharedMemory::open(
        std::move(shared.outputs), shared.places * layout.output_stride(), WorkerAccess::kWrites));
    inputs_ = PrivateMemory(layout.input_bytes);
    outputs_ = PrivateMemory(layout.output_bytes);
    scalars_.assign(8 * layout.inputs.size(), {});
  }

  Buffers buffers() override { return {inputs_.data(), outputs_.data(), scalars_.data(), nullptr}; }

  void fill(Clock /*clock*/, std::uint32_t place) override {
    place_ = place;
    used_.begin(reinterpret_cast<std::uint64_t>(inputs_.data()), layout_.input_bytes);  // NOLINT
    std::memcpy(inputs_.data(), shared_inputs(), layout_.input_bytes);
    std::memcpy(outputs_.data(), shared_outputs(), layout_.output_bytes);
    for (std::size_t i = 0; i < layout_.inputs.size(); ++i) {
      const auto& slot = layout_.inputs[i];
      if (slot.scalar) std::memcpy(scalars_.data() + 8 * i, inputs_.data() + slot.offset, 8);
    }
  }

  // The shared buffers too: they hold the same values, and a target can find them.
  void flush() override {
    device::cpu::flush_from_caches(shared_inputs(), layout_.input_bytes);
    device::cpu::flush_from_caches(shared_outputs(), layout_.output_bytes);
    device::cpu::flush_from_caches(inputs_.data(), layout_.input_bytes);
    device::cpu::flush_from_caches(outputs_.data(), layout_.output_bytes);
  }

  Done run(Target& target, Clock) override {
    const std::int64_t begin = util::monotonic_ns();
    target.call();
    Done done;
    done.elapsed_ns = static_cast<double>(util::monotonic_ns() - begin);
    done.host_ns = done.elapsed_ns;
    return done;
  }

  bool watches_processes() const override { return false; }

  void take_output(const eval::Slot& slot, std::uint64_t address) override {
    std::memcpy(outputs_.data() + slot.offset, reinterpret_cast<const void*>(address), slot.bytes);  // NOLINT
  }

  // One byte of each page: memory may be made when it is looked at.
  void touch_output(const eval::Slot& slot, std::uint64_t address) override {
    constexpr std::uint64_t kPage = 4096;
    const auto* bytes = reinterpret_cast<const volatile std::byte*>(address);  // NOLINT
    for (std::uint64_t i = 0; i < slot.bytes; i += kPage) (void)bytes[i];
    if (slot.bytes > 0) (void)bytes[slot.bytes - 1];
    if (used_.add(address, slot.bytes))
      std::memcpy(outputs_.data() + slot.offset, reinterpret_cast<const void*>(address),  // NOLINT
                  slot.bytes);
  }

  void* allocate(std::uint64_t bytes) override {
    constexpr std::uint64_t kAlignment = eval::Layout::kAlignment;
    void* memory = nullptr;
    if (bytes > UINT64_MAX - kAlignment ||
        ::posix_memalign(&memory, kAlignment, std::max<std::uint64_t>(bytes, 1)) != 0)
      throw Error("no memory for {} bytes", bytes);
    return memory;
  }
  void free(void* memory) noexcept override { std::free(memory); }  // NOLINT(cppcoreguidelines-no-malloc)

  bool collect() override {
    std::memcpy(shared_outputs(), outputs_.data(), layout_.output_bytes);
    return std::memcmp(inputs_.data(), shared_inputs(), layout_.input_bytes) != 0;
  }

 private:
  // Of this call.
  [[nodiscard]] const std::byte* shared_inputs() const {
    return shared_inputs_->data() + place_ * layout_.input_stride();
  }
  [[nodiscard]] std::byte* shared_outputs() const {
    return shared_outputs_->data() + place_ * layout_.output_stride();
  }

  eval::Layout layout_;
  std::optional<SharedMemory> shared_inputs_;
  std::optional<SharedMemory> shared_outputs_;
  PrivateMemory inputs_;
  PrivateMemory outputs_;
  std::vector<std::byte> scalars_;
  std::uint32_t place_ = 0;
  UsedMemory used_;
};

}  // namespace

std::unique_ptr<Stage> make_cpu_stage() { return std::make_unique<CpuStage>(); }

}  // namespace fib::worker
