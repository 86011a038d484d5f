#pragma once

#include <atomic>

#include "bench/build_pool.h"
#include "bench/interrupt_watch.h"
#include "bench/probe.h"
#include "bench/run_folder.h"
#include "worker/spawner.h"

namespace fib::bench {

// What builds one solution outside of a run: processes of its own and a temporary folder, which go with this
// object. `setup` and `interrupted` must outlive it. One thread.
class SingleBuild {
 public:
  SingleBuild(const ProbeSetup& setup, const std::atomic<bool>& interrupted);

  // Builds it, or takes it from the cache; an error where that was interrupted.
  [[nodiscard]] BuildOutcome build(const model::Solution& solution, const model::Definition& definition);

  [[nodiscard]] worker::Spawner& spawner() { return spawner_; }
  [[nodiscard]] const worker::ChildSetup& children() const { return children_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return temporary_.path(); }

 private:
  const ProbeSetup& setup_;
  const std::atomic<bool>& interrupted_;
  worker::Spawner spawner_;
  RunFolder temporary_;
  InterruptWatch watch_;
  worker::ChildSetup children_;
};

}  // namespace fib::bench
