#include "bench/run_processes.h"

#include <unistd.h>

#include <algorithm>

namespace fib::bench {

RunProcesses::RunProcesses(std::string program, std::filesystem::path cache, util::Timeline* timeline)
    : program_(std::move(program)), cache_(std::move(cache)), timeline_(timeline) {}

// What is being prepared need not come.
RunProcesses::~RunProcesses() {
  for (auto& [device, guests] : guests_) guests.pool->stop();
  if (spawner_) spawner_->kill_all();
}

void RunProcesses::begin() {
  if (spawner_ && folder_ && !spawner_->lost()) return;
  guests_.clear();
  bytecode_.clear();
  folder_.reset();
  spawner_.reset();
  spawner_ = std::make_unique<worker::Spawner>(program_, timeline_);
  folder_.emplace(std::filesystem::temp_directory_path(), *spawner_);
  spawner_->sweep_at_end(cache_);
  keep_to_measuring_cores();
}

const std::optional<CoreShares>& RunProcesses::share(unsigned lanes) {
  if (!shares_) shares_.emplace(share_cores(lanes));
  return *shares_;
}

void RunProcesses::keep_to_measuring_cores() {
  if (!shares_ || !*shares_) return;
  run_on(spawner_->keeper_pid(), (*shares_)->lanes);
  run_on(::getpid(), (*shares_)->lanes);
}

GuestPool& RunProcesses::guests(const std::string& device_uuid, const worker::ChildSetup& children,
                                const worker::GuestSetup& guest, const compile::PythonInterpreter& python) {
  auto& [setup, pool] = guests_[device_uuid];
  if (pool && setup.cores == guest.cores && setup.packages == guest.packages) return *pool;
  setup = guest;
  auto& bytecode = bytecode_[guest.packages];
  if (!bytecode) bytecode = std::make_unique<PackageBytecode>(python, guest.packages, cache_);
  pool = std::make_unique<GuestPool>(*spawner_, children, guest, bytecode.get());
  return *pool;
}

void RunProcesses::prepare_next() {
  constexpr std::size_t kMostAtOnce = 2;  // an import of torch takes a core for seconds
  for (auto& [device, guests] : guests_) {
    const std::size_t taken = guests.pool->taken();
    guests.pool->expect(taken, static_cast<unsigned>(std::min(taken, kMostAtOnce)));
  }
}

}  // namespace fib::bench
