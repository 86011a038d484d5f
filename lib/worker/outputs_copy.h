#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace fib::worker {

// Where the outputs of a call lie: what the host reads, and what the judge's device reads. One of the two is
// there at least.
struct OutputsAt {
  const std::byte* host = nullptr;
  std::uint64_t device = 0;  // an address of the device
};

// A copy of the outputs of one call that no worker can reach. One thread.
class OutputsCopy {
 public:
  virtual ~OutputsCopy() = default;

  // Copies outputs that lie there. What is queued on the device afterwards finds the copy; what is on the
  // host is there when this returns. Throws Error.
  virtual void take(const OutputsAt& outputs) = 0;

  [[nodiscard]] virtual OutputsAt at() const = 0;
};

// Where a judge's device has memory for copies. It must outlive them. One thread.
class OutputsMemory {
 public:
  virtual ~OutputsMemory() = default;

  // Memory for `bytes` bytes of outputs, with any content. Throws Error.
  [[nodiscard]] virtual std::unique_ptr<OutputsCopy> on_host(std::uint64_t bytes) = 0;
  // How much memory of the device is for copies; 0 where the device is the host.
  [[nodiscard]] virtual std::uint64_t device_bytes() const = 0;
  // Null: it is full.
  [[nodiscard]] virtual std::unique_ptr<OutputsCopy> on_device(std::uint64_t bytes) = 0;
};

// Host memory that is used again: fresh memory of a hundred megabytes costs more than the copy to it. Keeps
// what was given back as long as memory of one size is asked for. One thread.
template <typename Memory>
class MemoryPool {
 public:
  explicit MemoryPool(std::function<std::unique_ptr<Memory>(std::uint64_t)> make) : make_(std::move(make)) {}

  [[nodiscard]] std::unique_ptr<Memory> take(std::uint64_t bytes) {
    if (bytes != bytes_) unused_.clear();
    bytes_ = bytes;
    if (unused_.empty()) return make_(bytes);
    auto memory = std::move(unused_.back());
    unused_.pop_back();
    return memory;
  }

  void give_back(std::unique_ptr<Memory> memory, std::uint64_t bytes) {
    if (bytes == bytes_) unused_.push_back(std::move(memory));
  }

 private:
  std::function<std::unique_ptr<Memory>(std::uint64_t)> make_;
  std::vector<std::unique_ptr<Memory>> unused_{};
  std::uint64_t bytes_ = 0;  // of each
};

}  // namespace fib::worker
