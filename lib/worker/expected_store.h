#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "device/cpu/memory.h"
#include "worker/judge_messages.h"

namespace fib::worker {

// Expected outputs, which the judge keeps in host memory under a budget. Memory is used again: fresh memory
// of a hundred megabytes costs more than the copy. One thread.
class ExpectedStore {
 public:
  struct Key {
    std::uint32_t workload = 0;  // the judge's number of it
    SetId set{};
    auto operator<=>(const Key&) const = default;  // NOLINT: as of SetId
  };

  // Memory for the outputs of one set.
  struct Outputs {
    device::cpu::PrivateMemory memory{};
    std::uint64_t bytes = 0;  // those that count under the budget: pages are not split
  };

  // The set's outputs, valid until they are dropped; null: they are not kept.
  [[nodiscard]] const std::byte* find(const Key& key) const;

  // Memory for `bytes` of outputs, with any content. Until it and all that is kept take at most `budget`
  // bytes, the oldest outputs are dropped; one always fits. Throws Error.
  [[nodiscard]] Outputs take(std::uint64_t bytes, std::uint64_t budget);

  // Keeps outputs in memory of take(). They are not there yet.
  void keep(const Key& key, Outputs outputs);

  // Drops them, if they are there.
  void drop(const Key& key);

  // Drops those of a workload that belong to one solution alone.
  void drop_own_sets(std::uint32_t workload);

 private:
  void give_up_unused();

  std::map<Key, Outputs> kept_;
  std::deque<Key> order_;          // of kept_, oldest first
  std::vector<Outputs> unused_{};  // all of one size
  std::uint64_t bytes_ = 0;        // of kept_ and unused_
};

}  // namespace fib::worker
