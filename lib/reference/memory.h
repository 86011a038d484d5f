#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

namespace fib::reference {

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

// The bytes behind one or more tensors.
class Storage {
 public:
  // Undefined content. The pool lives as long as the storage. Throws as MemoryPool::allocate.
  [[nodiscard]] static std::shared_ptr<Storage> allocate(std::shared_ptr<MemoryPool> pool, std::size_t bytes);
  // Memory of the caller, who keeps it alive and lets it be written.
  [[nodiscard]] static std::shared_ptr<Storage> borrow(std::byte* data, std::size_t bytes);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  [[nodiscard]] std::byte* data() const { return block_.data; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] bool is_borrowed() const { return pool_ == nullptr; }

 private:
  Storage(std::shared_ptr<MemoryPool> pool, MemoryPool::Block block, std::size_t bytes)
      : pool_(std::move(pool)), block_(block), bytes_(bytes) {}

  std::shared_ptr<MemoryPool> pool_;
  MemoryPool::Block block_;
  std::size_t bytes_;
};

}  // namespace fib::reference
