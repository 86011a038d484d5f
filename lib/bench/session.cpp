#include "bench/session.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "bench/build_pool.h"
#include "bench/device_lock.h"
#include "bench/memory_limits.h"
#include "bench/python_code.h"
#include "bench/solution_files.h"
#include "util/machine.h"

namespace fib::bench {
namespace {

void keep_to_measuring_cores(const GuestPools& guests, const worker::Spawner& spawner) {
  const auto& shares = guests.shares();
  if (!shares) return;
  run_on(spawner.keeper_pid(), shares->lanes);
  run_on(::getpid(), shares->lanes);
}

}  // namespace

Session::Session(Environment environment, const std::atomic<bool>& interrupted, util::Timeline* timeline)
    : environment_(std::move(environment)), interrupted_(interrupted), timeline_(timeline) {}

// What is being prepared need not come.
Session::~Session() {
  if (environment_.driver) environment_.driver->let_go();  // takes as long to end as they do
  guests_.stop();
  if (spawner_) spawner_->kill_all();
}

void Session::begin(const RunConfig& config) {
  start_keeper();
  kernels_.clear();  // the cache may have been emptied meanwhile
  flush_ = config.flush;
  for (const auto& device : environment_.devices) {
    auto& next = next_[device.uuid];
    if (!next) next = std::make_shared<NextProcesses>();
  }
  children_ = {environment_.program, temporary()};
  children_.files = files_of_solutions(config, environment_.kind(), environment_.python);
  children_.memory_limit = memory_limit(children_.files);
}

void Session::start_keeper() {
  if (spawner_ && folder_ && !spawner_->lost()) return;
  await_ends();
  next_.clear();
  guests_.clear();
  locks_.clear();
  watch_.reset();
  folder_.reset();
  spawner_.reset();
  sweep_run_folders(std::filesystem::temp_directory_path());
  spawner_ = std::make_unique<worker::Spawner>(environment_.program, timeline_);
  folder_.emplace(std::filesystem::temp_directory_path(), *spawner_);
  if (!environment_.cache.empty()) spawner_->sweep_at_end(environment_.cache);
  watch_.emplace(interrupted_, *spawner_);
  keep_to_measuring_cores(guests_, *spawner_);
}

bool Session::take(const LaneDevice& device, const std::function<void(const std::string&)>& waiting,
                   const std::function<bool()>& stops) {
  {
    const std::lock_guard lock(mutex_);
    if (locks_.contains(device.uuid)) return true;
  }
  auto taken = take_device(device, *spawner_, waiting, stops);
  if (!taken) return false;
  const std::lock_guard lock(mutex_);
  locks_.emplace(device.uuid, std::move(*taken));
  return true;
}

void Session::prepare(const GuestNeed& need) {
  const auto& devices = environment_.devices;
  for (const auto& device : devices) {
    if (device.is_cuda() && !kernels_.contains(device.architecture))
      kernels_[device.architecture] =
          build_device_kernels(*spawner_, children_, device.architecture, environment_.cache);
  }
  guests_.prepare(environment_, need, *spawner_, children_);
}

void Session::begin_measuring() {
  keep_to_measuring_cores(guests_, *spawner_);
  if (environment_.is_cuda()) return;
  guests_.settle();
}

void Session::leave_to_end(std::shared_ptr<const void> client) {
  const std::lock_guard lock(mutex_);
  leaving_.push_back(std::move(client));
}

void Session::await_ends() {
  decltype(leaving_) leaving;
  const std::lock_guard lock(mutex_);
  leaving.swap(leaving_);
}

void Session::prepare_next(NativeReference reference) {
  if (!spawner_ || spawner_->lost()) return;
  for (const auto& device : environment_.devices) bench::prepare_next(processes(device, flush_), reference);
  guests_.prepare_again();
}

void Session::give_up_devices() {
  await_ends();
  for (auto& [device, lock] : locks_) lock.give_up();
  locks_.clear();
}

DeviceProcesses Session::processes(const LaneDevice& device, worker::Flush flush) const {
  const std::size_t devices = environment_.devices.size();
  DeviceProcesses processes{
      *spawner_, children_on(device, children_, guests_.measuring_cores(), devices), {}};
  const auto kernels = kernels_.find(device.architecture);
  processes.device = {device.uuid, kernels != kernels_.end() ? kernels->second : "", flush,
                      processes.children.awake_us};
  processes.threads = std::max<unsigned>(1, util::usable_cores() / static_cast<unsigned>(devices));
  processes.guests = guests_.on(device);
  const auto next = next_.find(device.uuid);
  if (next != next_.end()) processes.next = next->second;
  processes.no_torch = why_no_torch(environment_.python, environment_.is_cuda());
  return processes;
}

}  // namespace fib::bench
