#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "device/cpu/cache.h"
#include "device/cpu/hardware.h"
#include "device/cpu/memory.h"
#include "util/machine.h"
#include "worker/doors.h"

namespace fib::worker {
namespace {

using device::cpu::PrivateMemory;
using device::cpu::SharedMemory;
using device::cpu::WorkerAccess;

using Pool = MemoryPool<PrivateMemory>;

class CpuCopy : public OutputsCopy {
 public:
  CpuCopy(Pool& pool, std::uint64_t bytes) : pool_(pool), memory_(pool.take(bytes)), bytes_(bytes) {}
  ~CpuCopy() override { pool_.give_back(std::move(memory_), bytes_); }
  CpuCopy(const CpuCopy&) = delete;
  CpuCopy& operator=(const CpuCopy&) = delete;

  void take(const OutputsAt& outputs) override { std::memcpy(memory_->data(), outputs.host, bytes_); }
  OutputsAt at() const override { return {memory_->data()}; }

 private:
  Pool& pool_;
  std::unique_ptr<PrivateMemory> memory_;
  std::uint64_t bytes_;
};

class CpuDoor : public Door {
 public:
  CpuDoor(const eval::Layout& layout, std::uint32_t places, unsigned threads, PrivateMemory& snapshot)
      : layout_(layout),
        places_(places),
        threads_(threads),
        snapshot_(snapshot),
        inputs_(SharedMemory::create(places * layout.input_stride(), WorkerAccess::kReads)),
        outputs_(SharedMemory::create(places * layout.output_stride(), WorkerAccess::kWrites)) {}

  std::uint32_t places() const override { return places_; }

  void fill(std::uint32_t place, const synthesis::InputSets& sets, std::string_view seed,
            synthesis::Scale scale) override {
    sets.fill(seed, inputs_.data() + place * layout_.input_stride(), threads_, scale);
  }

  void poison(std::uint32_t place, const std::vector<eval::PoisonElement>& elements) override {
    eval::fill_poison(layout_, elements, outputs_.data() + place * layout_.output_stride());
  }

  void wait() override {}

  OutputsAt outputs(std::uint32_t place) const override {
    return {outputs_.data() + place * layout_.output_stride()};
  }

  const std::byte* host_inputs() const override { return inputs_.data(); }

  void take_outputs(std::uint32_t place) override {
    if (snapshot_.size() < layout_.output_bytes)
      snapshot_ = PrivateMemory(layout_.output_bytes, device::cpu::Pages::kHuge);
    std::memcpy(snapshot_.data(), outputs(place).host, layout_.output_bytes);
  }

  eval::Judgement judge_taken(const OutputsAt& expected, const std::vector<eval::PoisonElement>& poison,
                              const eval::Tolerance& tolerance, std::size_t count) override {
    return eval::judge_outputs(layout_, snapshot_.data(), expected.host, poison, tolerance, count, threads_);
  }

  std::vector<bool> judge_zeros(const OutputsAt& expected, const eval::Tolerance& tolerance) override {
    std::memset(snapshot_.data(), 0, layout_.output_bytes);
    std::vector<bool> right;
    for (const auto& slot : layout_.outputs) {
      const auto comparison =
          eval::compare(slot.dtype, snapshot_.data() + slot.offset, expected.host + slot.offset, slot.count(),
                        tolerance, eval::kNoZero.data(), threads_);
      right.push_back(slot.count() > 0 && eval::is_right(comparison, tolerance));
    }
    return right;
  }

  std::vector<int> fds() const override { return {inputs_.fd(), outputs_.fd()}; }

 private:
  eval::Layout layout_;
  std::uint32_t places_;
  unsigned threads_;
  PrivateMemory& snapshot_;
  SharedMemory inputs_;
  SharedMemory outputs_;
};

class CpuJudgeDevice : public JudgeDevice {
 public:
  explicit CpuJudgeDevice(unsigned threads) : threads_(threads) {}
  std::unique_ptr<Door> make_door(const eval::Layout& layout, DoorUse /*use*/,
                                  std::uint32_t places) override {
    return std::make_unique<CpuDoor>(layout, fitting_places(layout, places, util::physical_memory()),
                                     threads_, snapshot_);
  }
  std::unique_ptr<OutputsCopy> on_host(std::uint64_t bytes) override {
    return std::make_unique<CpuCopy>(pool_, bytes);
  }
  std::uint64_t device_bytes() const override { return 0; }
  std::unique_ptr<OutputsCopy> on_device(std::uint64_t /*bytes*/) override { return nullptr; }
  DeviceState describe() override {
    const nlohmann::ordered_json state = {{"cpu", device::cpu::model_name()},
                                          {"governor", device::cpu::governor()},
                                          {"load_average", device::cpu::load_average()}};
    return {device::cpu::model_name(), std::string(device::cpu::flush_method()), state.dump()};
  }
  bool is_idle() override { return true; }  // nobody asks: what solutions do there is stopped with them
  // Each side has its own copy of everything, and the reference and expected outputs come on top.
  std::uint64_t memory_limit() const override { return util::physical_memory() / 6; }

 private:
  unsigned threads_;
  PrivateMemory snapshot_;  // outputs that were taken, for all doors: they are judged before others are taken
  Pool pool_{
      [](std::uint64_t bytes) { return std::make_unique<PrivateMemory>(bytes, device::cpu::Pages::kHuge); }};
};

}  // namespace

std::uint32_t fitting_places(const eval::Layout& layout, std::uint32_t wanted, std::uint64_t device_bytes) {
  constexpr std::uint64_t kShare = 32;
  const std::uint64_t bytes = std::max<std::uint64_t>(1, layout.input_stride() + layout.output_stride());
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(device_bytes / kShare / bytes, 1, wanted));
}

std::unique_ptr<JudgeDevice> make_cpu_judge_device(unsigned threads) {
  return std::make_unique<CpuJudgeDevice>(threads);
}

}  // namespace fib::worker
