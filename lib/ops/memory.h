#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "ops/gpu/gpu.h"

namespace fib::ops {

// Where tensors get their bytes: counts what is in use against a limit, and keeps large freed blocks for the
// next tensor of about the same size, since fresh pages cost more than most operations. Safe from any thread.
class MemoryPool {
 public:
  // `limit` in bytes; 0 means no limit.
  explicit MemoryPool(std::size_t limit) : limit_(limit) {}
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  struct Block {
    std::byte* data = nullptr;
    std::size_t capacity = 0;
  };

  // At least `bytes` bytes with undefined content, aligned to 64. Throws Error when the limit or the
  // machine's memory is exhausted. The block goes back by release().
  [[nodiscard]] Block allocate(std::size_t bytes);
  void release(Block block);

  [[nodiscard]] std::size_t bytes_in_use() const { return in_use_; }

 private:
  static std::byte* from_system(std::size_t bytes);
  std::byte* take_kept(std::size_t bytes, std::size_t& capacity);
  void drop_kept();

  const std::size_t limit_;
  std::atomic<std::size_t> in_use_ = 0;
  std::mutex mutex_;
  std::multimap<std::size_t, std::byte*> kept_;
  std::size_t kept_bytes_ = 0;
};

// The bytes behind one or more tensors: in the host's memory, and where an operation ran on a GPU in a copy
// there. Either side is brought up to date when it is asked for, so that code for the host need not know of
// the other. Functions may be called from any thread, but reading and writing must not overlap.
class Storage {
 public:
  // Undefined content. The pool lives as long as the storage. Throws as MemoryPool::allocate.
  [[nodiscard]] static std::shared_ptr<Storage> allocate(std::shared_ptr<MemoryPool> pool, std::size_t bytes);
  // Likewise, but takes memory of the host only when the host needs it.
  [[nodiscard]] static std::shared_ptr<Storage> allocate_later(std::shared_ptr<MemoryPool> pool,
                                                               std::size_t bytes);
  // Memory of the caller, who keeps it alive and lets it be written.
  [[nodiscard]] static std::shared_ptr<Storage> borrow(std::byte* data, std::size_t bytes);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  // The host's bytes, to be written and read: a copy on a device is stale afterwards. Stays in place.
  [[nodiscard]] std::byte* data() const { return state_ == State::kHost ? block_.data : to_host(true); }
  // The same to be read only: a copy on a device stays.
  [[nodiscard]] const std::byte* read() const {
    return state_ <= State::kBoth ? block_.data : to_host(false);
  }
  // Copies some bytes, without bringing the rest of a large storage to the host.
  void peek(std::size_t offset, std::byte* target, std::size_t bytes) const;

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] bool is_borrowed() const { return pool_ == nullptr; }

  // Only the device's copy is up to date.
  [[nodiscard]] bool lives_on_device() const { return state_ == State::kDevice; }
  // Nothing has been written yet.
  [[nodiscard]] bool is_new() const { return state_ == State::kNew; }

  // The address of the storage's copy on the device, whose bytes [begin, end) are up to date when what is
  // queued now comes to run: for reading. 0 when the device has no memory for it.
  [[nodiscard]] DeviceAddress on_device(const std::shared_ptr<Gpu>& gpu, std::size_t begin,
                                        std::size_t end) const;
  // The same for writing: the host's bytes are stale afterwards. `all` says that all of [begin, end) will be
  // written, so that those bytes need not be brought there first.
  [[nodiscard]] DeviceAddress for_device(const std::shared_ptr<Gpu>& gpu, std::size_t begin, std::size_t end,
                                         bool all) const;

 private:
  // In this order: the host's bytes are up to date in the first two.
  enum class State : std::uint8_t { kHost, kBoth, kDevice, kNew };

  // Where the copy is, and which chunks of it are up to date while the host's bytes are, too.
  struct DeviceCopy {
    std::shared_ptr<Gpu> gpu;
    DeviceBlock block;
    std::vector<bool> arrived;
  };

  Storage(std::shared_ptr<MemoryPool> pool, MemoryPool::Block block, std::size_t bytes, State state)
      : pool_(std::move(pool)), block_(block), bytes_(bytes), state_(state) {}

  std::byte* to_host(bool for_writing) const;
  bool make_copy(const std::shared_ptr<Gpu>& gpu) const;
  void drop_copy() const;
  void bring(std::size_t begin, std::size_t end) const;

  std::shared_ptr<MemoryPool> pool_;
  mutable MemoryPool::Block block_;
  std::size_t bytes_;
  mutable std::atomic<State> state_;
  mutable std::mutex mutex_;
  mutable DeviceCopy copy_;
};

}  // namespace fib::ops
