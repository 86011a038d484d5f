#include "ops/memory.h"

#include <algorithm>
#include <new>

#include "util/error.h"

namespace fib::ops {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kKeptFrom = std::size_t{256} << 10U;  // smaller blocks are malloc's business
constexpr std::size_t kKeptAtMost = std::size_t{4} << 30U;  // bytes kept for reuse

}  // namespace

MemoryPool::~MemoryPool() { drop_kept(); }

void MemoryPool::drop_kept() {
  for (const auto& [size, data] : kept_) ::operator delete (data, std::align_val_t{kAlignment});
  kept_.clear();
  kept_bytes_ = 0;
}

std::byte* MemoryPool::from_system(std::size_t bytes) {
  return static_cast<std::byte*>(::operator new (bytes, std::align_val_t{kAlignment}, std::nothrow));
}

std::byte* MemoryPool::take_kept(std::size_t bytes, std::size_t& capacity) {
  const auto found = kept_.lower_bound(bytes);
  if (found == kept_.end() || found->first > bytes + bytes / 4) return nullptr;
  capacity = found->first;
  std::byte* data = found->second;
  kept_bytes_ -= capacity;
  kept_.erase(found);
  return data;
}

MemoryPool::Block MemoryPool::allocate(std::size_t bytes) {
  Block block{nullptr, std::max<std::size_t>(bytes, 1)};
  const std::lock_guard lock(mutex_);
  if (limit_ != 0 && (bytes > limit_ || in_use_ > limit_ - bytes)) {
    throw Error("the reference needs more than its limit of {} bytes of memory", limit_);
  }
  if (bytes >= kKeptFrom) block.data = take_kept(bytes, block.capacity);
  if (block.data == nullptr) block.data = from_system(block.capacity);
  if (block.data == nullptr) {
    drop_kept();
    block.data = from_system(block.capacity);
  }
  if (block.data == nullptr) throw Error("no memory for a tensor of {} bytes", bytes);
  in_use_ += block.capacity;
  return block;
}

void MemoryPool::release(Block block) {
  const std::lock_guard lock(mutex_);
  in_use_ -= block.capacity;
  if (block.capacity >= kKeptFrom && kept_bytes_ + block.capacity <= kKeptAtMost) {
    kept_.emplace(block.capacity, block.data);
    kept_bytes_ += block.capacity;
  } else {
    ::operator delete (block.data, std::align_val_t{kAlignment});
  }
}

}  // namespace fib::ops
