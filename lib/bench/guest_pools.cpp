#include "bench/guest_pools.h"

#include <algorithm>

#include "util/machine.h"

namespace fib::bench {
namespace {

// Longer than most calls take: on virtual machines each wake-up costs some 50 us, and a call has ten
// requests.
constexpr std::uint32_t kAwakeUs = 3000;

}  // namespace

void GuestPools::prepare(const Environment& environment, const GuestNeed& need, worker::Spawner& spawner,
                         const worker::ChildSetup& children) {
  if (!environment.python) return;
  const auto& devices = environment.devices;
  worker::GuestSetup guest;
  guest.python = environment.python->path;
  guest.packages = need.packages;
  unsigned ahead = 0;
  std::size_t expected = 0;
  if (environment.is_cuda() && need.guests > 0) {
    if (!is_decided_) shares_ = share_cores(static_cast<unsigned>(devices.size()));
    is_decided_ = true;
    if (shares_) {
      guest.cores = shares_->preparing;
      guest.cores_when_used = shares_->lanes;
      ahead = std::max<unsigned>(1, static_cast<unsigned>(shares_->preparing.size() / devices.size()));
      expected = (need.guests + devices.size() - 1) / devices.size();
    }
  }
  auto& bytecode = bytecode_[guest.packages];
  if (!bytecode)
    bytecode = std::make_unique<PackageBytecode>(*environment.python, guest.packages, environment.cache);
  for (const auto& device : devices) {
    auto& [setup, files, pool] = guests_[device.uuid];
    const std::string wanted_files = children.files.to_json();
    if (!pool || setup.cores != guest.cores || setup.packages != guest.packages || files != wanted_files) {
      setup = guest;
      files = wanted_files;
      setup.device_uuid = device.uuid;
      pool = std::make_unique<GuestPool>(
          spawner, children_on(device, children, measuring_cores(), devices.size()), setup, bytecode.get());
    }
    pool->expect(expected, ahead);
  }
}

GuestPool* GuestPools::on(const LaneDevice& device) const {
  const auto found = guests_.find(device.uuid);
  return found != guests_.end() ? found->second.pool.get() : nullptr;
}

std::size_t GuestPools::measuring_cores() const {
  return shares_ ? shares_->lanes.size() : util::usable_cores();
}

void GuestPools::settle() {
  for (auto& [device, guests] : guests_) guests.pool->settle();
}

void GuestPools::prepare_again() {
  constexpr std::size_t kMostAtOnce = 2;  // an import of torch takes a core for seconds
  for (auto& [device, guests] : guests_) {
    const std::size_t taken = guests.pool->taken();
    guests.pool->expect(taken, static_cast<unsigned>(std::min(taken, kMostAtOnce)));
  }
}

void GuestPools::stop() {
  for (auto& [device, guests] : guests_) guests.pool->stop();
}

void GuestPools::clear() {
  guests_.clear();
  bytecode_.clear();
}

// Judge, worker, reference and coordinator of a GPU may each keep one of the cores awake that measure on so
// many devices; on the CPU they would disturb.
worker::ChildSetup children_on(const LaneDevice& device, worker::ChildSetup children, std::size_t cores,
                               std::size_t devices) {
  if (device.is_cuda() && cores >= 4 * devices + 2) children.awake_us = kAwakeUs;
  children.files.gpu_node = device.node;
  children.device_uuid = device.uuid;
  return children;
}

}  // namespace fib::bench
