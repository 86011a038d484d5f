#include <algorithm>
#include <cstring>

#include "ops/memory.h"

namespace fib::ops {
namespace {

// What is brought to a device at a time: small enough that one expert's weights do not bring all others',
// large enough for the transfer's full speed.
constexpr std::size_t kChunk = std::size_t{1} << 20U;
// Up to this size a storage is brought to the host whole when one element is asked for.
constexpr std::size_t kSmall = std::size_t{64} << 10U;

std::size_t chunks_of(std::size_t bytes) { return (bytes + kChunk - 1) / kChunk; }

}  // namespace

std::shared_ptr<Storage> Storage::allocate(std::shared_ptr<MemoryPool> pool, std::size_t bytes) {
  const MemoryPool::Block block = pool->allocate(bytes);
  return std::shared_ptr<Storage>(new Storage(std::move(pool), block, bytes, State::kHost));
}

std::shared_ptr<Storage> Storage::allocate_later(std::shared_ptr<MemoryPool> pool, std::size_t bytes) {
  return std::shared_ptr<Storage>(new Storage(std::move(pool), {}, bytes, State::kNew));
}

std::shared_ptr<Storage> Storage::borrow(std::byte* data, std::size_t bytes) {
  return std::shared_ptr<Storage>(new Storage(nullptr, {data, bytes}, bytes, State::kHost));
}

Storage::~Storage() {
  drop_copy();
  if (pool_ != nullptr && block_.data != nullptr) pool_->release(block_);
}

void Storage::drop_copy() const {
  if (copy_.block.address != 0) copy_.gpu->release(copy_.block);
  copy_ = {};
}

std::byte* Storage::to_host(bool for_writing) const {
  const std::lock_guard lock(mutex_);
  if (block_.data == nullptr) block_ = pool_->allocate(bytes_);
  if (state_ == State::kDevice) {
    copy_.gpu->download(block_.data, copy_.block.address, bytes_);
    copy_.arrived.assign(chunks_of(bytes_), true);
    state_ = State::kBoth;
  }
  if (state_ == State::kNew || for_writing) {
    drop_copy();
    state_ = State::kHost;
  }
  return block_.data;
}

void Storage::peek(std::size_t offset, std::byte* target, std::size_t bytes) const {
  if (state_ == State::kDevice && bytes_ > kSmall) {
    const std::lock_guard lock(mutex_);
    return copy_.gpu->download(target, copy_.block.address + offset, bytes);
  }
  std::memcpy(target, read() + offset, bytes);
}

bool Storage::make_copy(const std::shared_ptr<Gpu>& gpu) const {
  if (copy_.block.address != 0) return true;
  copy_.block = gpu->allocate(bytes_);
  if (copy_.block.address == 0) return false;
  copy_.gpu = gpu;
  copy_.arrived.assign(chunks_of(bytes_), false);
  return true;
}

// Uploads what is missing of [begin, end), several chunks at a time.
void Storage::bring(std::size_t begin, std::size_t end) const {
  const std::size_t last = chunks_of(std::min(end, bytes_));
  for (std::size_t chunk = begin / kChunk; chunk < last;) {
    const std::size_t first = chunk;
    while (chunk < last && !copy_.arrived[chunk]) copy_.arrived[chunk++] = true;
    if (chunk == first) {
      ++chunk;
      continue;
    }
    const std::size_t from = first * kChunk;
    const std::size_t to = std::min(chunk * kChunk, bytes_);
    copy_.gpu->upload(copy_.block.address + from, block_.data + from, to - from);
  }
}

DeviceAddress Storage::on_device(const std::shared_ptr<Gpu>& gpu, std::size_t begin, std::size_t end) const {
  const std::lock_guard lock(mutex_);
  if (!make_copy(gpu)) return 0;
  if (state_ == State::kNew) state_ = State::kDevice;  // nothing to bring: the content is undefined
  if (state_ == State::kHost) state_ = State::kBoth;
  if (state_ == State::kBoth) bring(begin, end);
  return copy_.block.address;
}

DeviceAddress Storage::for_device(const std::shared_ptr<Gpu>& gpu, std::size_t begin, std::size_t end,
                                  bool all) const {
  const std::lock_guard lock(mutex_);
  if (!make_copy(gpu)) return 0;
  if (state_ <= State::kBoth) {
    // Chunks that will be written whole may stay as they are.
    const std::size_t first_whole = all ? chunks_of(begin) : 0;
    const std::size_t end_whole = !all ? 0 : end == bytes_ ? chunks_of(end) : end / kChunk;
    for (std::size_t chunk = first_whole; chunk < end_whole; ++chunk) copy_.arrived[chunk] = true;
    bring(0, bytes_);
  }
  state_ = State::kDevice;
  return copy_.block.address;
}

}  // namespace fib::ops
