#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/cores.h"
#include "bench/environment.h"
#include "bench/guest_need.h"
#include "bench/guest_pool.h"
#include "bench/package_bytecode.h"

namespace fib::bench {

// The interpreters of a session, a pool for each device, and the cores that they are prepared on. One thread;
// const functions may be called by several while no other is.
class GuestPools {
 public:
  // Begins to prepare what is needed; those that wait already are used, where they were made with the same
  // packages on the same cores, and may reach the same. Where solutions run on GPUs and there are cores
  // enough, interpreters are prepared ahead on cores of their own, beside builds, and while others are
  // measured. Nothing without Python. References must outlive the pools, or clear().
  void prepare(const Environment& environment, const GuestNeed& need, worker::Spawner& spawner,
               const worker::ChildSetup& children);

  // The pool of a device; null: there is no Python.
  [[nodiscard]] GuestPool* on(const LaneDevice& device) const;

  // Which cores measure and which prepare; nothing: each may do both. Decided once, where prepare() first
  // prepares ahead.
  [[nodiscard]] const std::optional<CoreShares>& shares() const { return shares_; }

  // How many cores measure.
  [[nodiscard]] std::size_t measuring_cores() const;

  // Waits until none is being prepared.
  void settle();
  // Begins to prepare as many as were taken since the last time, or since the beginning.
  void prepare_again();
  // What is being prepared need not come.
  void stop();
  // The keeper is lost, and they with it.
  void clear();

 private:
  struct Guests {
    worker::GuestSetup setup;
    std::string files;  // what they may reach (ChildSetup::files)
    std::unique_ptr<GuestPool> pool;
  };
  std::optional<CoreShares> shares_;
  bool is_decided_ = false;
  std::map<std::vector<std::string>, std::unique_ptr<PackageBytecode>> bytecode_;  // by packages
  std::map<std::string, Guests> guests_;                                           // by device
};

// How children are started on a device whose measurements have so many cores.
[[nodiscard]] worker::ChildSetup children_on(const LaneDevice& device, worker::ChildSetup children,
                                             std::size_t cores, std::size_t devices);

}  // namespace fib::bench
