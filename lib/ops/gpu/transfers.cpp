#include "ops/gpu/transfers.h"

#include <algorithm>
#include <cstring>

#include "ops/runtime.h"

namespace fib::ops::gpu {
namespace {

constexpr std::size_t kPiece = std::size_t{4} << 20U;
constexpr std::size_t kBuffersALane = 2;
// More threads than this only share the memory's bandwidth.
constexpr std::size_t kMostLanes = 12;
// Uploads of up to this size are only queued, each through a buffer of its own: the driver would wait for all
// work before it to end. Small enough that many are on their way at once.
constexpr std::size_t kSmall = std::size_t{64} << 10U;
constexpr std::size_t kSmallBuffers = 64;

}  // namespace

Transfers::Transfers(const Device& device, int threads)
    : device_(device), lanes_(std::clamp<std::size_t>(static_cast<std::size_t>(threads), 1, kMostLanes)) {}

Transfers::~Transfers() {
  if (device_.driver.set_current(device_.context) != CUDA_SUCCESS) return;
  buffers_.insert(buffers_.end(), small_.begin(), small_.end());
  for (const Buffer& buffer : buffers_) {
    (void)device_.driver.host_free(buffer.data);
    (void)device_.driver.event_destroy(buffer.free);
  }
}

Transfers::Buffer Transfers::make_buffer(std::size_t bytes) const {
  void* data = nullptr;
  CUevent event = nullptr;
  device_.check(device_.driver.host_allocate(&data, bytes, CU_MEMHOSTALLOC_PORTABLE), "cuMemHostAlloc");
  device_.check(device_.driver.event_create(&event, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
  return {static_cast<std::byte*>(data), event};
}

void Transfers::make_buffers() {
  while (buffers_.size() < lanes_ * kBuffersALane) buffers_.push_back(make_buffer(kPiece));
}

// Calls body(buffer, begin, count) for all pieces, each lane in a thread of its own and with its buffers in
// turn.
template <typename Body>
void Transfers::for_pieces(std::size_t bytes, const Body& body) {
  make_buffers();
  const std::size_t pieces = (bytes + kPiece - 1) / kPiece;
  const auto lanes = static_cast<std::int64_t>(std::min(lanes_, pieces));
  parallel_for(static_cast<int>(lanes), lanes, static_cast<std::int64_t>(kPiece), 1,
               [&](std::int64_t first, std::int64_t end) {
                 device_.enter();
                 for (std::int64_t lane = first; lane < end; ++lane) {
                   std::size_t turn = 0;
                   for (auto piece = static_cast<std::size_t>(lane); piece < pieces;
                        piece += static_cast<std::size_t>(lanes)) {
                     const std::size_t begin = piece * kPiece;
                     const Buffer& buffer = buffers_[static_cast<std::size_t>(lane) * kBuffersALane + turn];
                     body(buffer, begin, std::min(kPiece, bytes - begin));
                     turn = (turn + 1) % kBuffersALane;
                   }
                 }
               });
}

void Transfers::upload_small(DeviceAddress target, const std::byte* source, std::size_t bytes) {
  if (small_.size() < kSmallBuffers) small_.push_back(make_buffer(kSmall));
  const Buffer& buffer = small_[turn_++ % kSmallBuffers];
  device_.check(device_.driver.event_synchronize(buffer.free), "cuEventSynchronize");
  std::memcpy(buffer.data, source, bytes);
  device_.check(device_.driver.copy_to_device(target, buffer.data, bytes, device_.stream),
                "cuMemcpyHtoDAsync");
  device_.check(device_.driver.event_record(buffer.free, device_.stream), "cuEventRecord");
}

void Transfers::upload(DeviceAddress target, const std::byte* source, std::size_t bytes) {
  const auto& driver = device_.driver;
  const std::lock_guard lock(mutex_);
  device_.enter();
  if (bytes <= kSmall) return upload_small(target, source, bytes);
  for_pieces(bytes, [&](const Buffer& buffer, std::size_t begin, std::size_t count) {
    device_.check(driver.event_synchronize(buffer.free), "cuEventSynchronize");
    std::memcpy(buffer.data, source + begin, count);
    device_.check(driver.copy_to_device(target + begin, buffer.data, count, device_.stream),
                  "cuMemcpyHtoDAsync");
    device_.check(driver.event_record(buffer.free, device_.stream), "cuEventRecord");
  });
}

void Transfers::download(std::byte* target, DeviceAddress source, std::size_t bytes) {
  const auto& driver = device_.driver;
  const std::lock_guard lock(mutex_);
  device_.enter();
  if (bytes <= kSmall) {
    device_.check(driver.copy_to_host(target, source, bytes, device_.stream), "cuMemcpyDtoHAsync");
    return device_.wait();
  }
  for_pieces(bytes, [&](const Buffer& buffer, std::size_t begin, std::size_t count) {
    device_.check(driver.copy_to_host(buffer.data, source + begin, count, device_.stream),
                  "cuMemcpyDtoHAsync");
    device_.check(driver.event_record(buffer.free, device_.stream), "cuEventRecord");
    device_.check(driver.event_synchronize(buffer.free), "cuEventSynchronize");
    std::memcpy(target + begin, buffer.data, count);
  });
}

}  // namespace fib::ops::gpu
