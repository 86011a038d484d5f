#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <set>

#include "worker/judge_messages.h"
#include "worker/outputs_copy.h"

namespace fib::worker {

// Expected outputs, which the judge keeps under a budget: in the memory of its device, and in the host's what
// does not fit there or is to be read there. One thread.
class ExpectedStore {
 public:
  struct Key {
    std::uint32_t workload = 0;  // the judge's number of it
    SetId set{};
    auto operator<=>(const Key&) const = default;  // NOLINT: as of SetId
  };
  enum class Place { kHost, kDevice };

  // `memory` must outlive the store.
  explicit ExpectedStore(OutputsMemory& memory) : memory_(memory) {}

  // The set's outputs, until they are dropped; null: they are not kept.
  [[nodiscard]] const OutputsCopy* find(const Key& key) const;

  // Keeps a copy of `bytes` bytes of outputs, where find() knows none yet. Until all that is kept takes at
  // most `budget` bytes, the oldest outputs are dropped; one always fits. Where the device's memory is full,
  // its oldest outputs move to the host's. Throws Error.
  void keep(const Key& key, const OutputsAt& outputs, std::uint64_t bytes, Place place, std::uint64_t budget);

  // Drops them, if they are there.
  void drop(const Key& key);

  // Drops those of a workload that belong to one solution alone.
  void drop_own_sets(std::uint32_t workload);

 private:
  struct Kept {
    std::unique_ptr<OutputsCopy> copy;
    std::uint64_t bytes = 0;
    std::uint64_t age = 0;  // smaller numbers are older
  };

  [[nodiscard]] std::unique_ptr<OutputsCopy> make_on_device(std::uint64_t bytes);
  void move_to_host(Kept& kept);

  OutputsMemory& memory_;
  std::map<Key, Kept> kept_{};
  std::map<std::uint64_t, Key> by_age_{};  // all of kept_
  std::set<std::uint64_t> on_device_{};    // ages of those there
  std::uint64_t bytes_ = 0;                // of kept_
  std::uint64_t next_age_ = 0;
};

}  // namespace fib::worker
