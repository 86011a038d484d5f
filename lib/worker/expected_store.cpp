#include "worker/expected_store.h"

#include <utility>

namespace fib::worker {

const OutputsCopy* ExpectedStore::find(const Key& key) const {
  const auto found = kept_.find(key);
  return found == kept_.end() ? nullptr : found->second.copy.get();
}

void ExpectedStore::keep(const Key& key, const OutputsAt& outputs, std::uint64_t bytes, Place place,
                         std::uint64_t budget) {
  while (!by_age_.empty() && bytes_ + bytes > budget) drop(Key(by_age_.begin()->second));
  auto copy = place == Place::kDevice && bytes <= memory_.device_bytes() ? make_on_device(bytes) : nullptr;
  const bool on_device = copy != nullptr;
  if (!on_device) copy = memory_.on_host(bytes);
  copy->take(outputs);
  const std::uint64_t age = next_age_++;
  if (on_device) on_device_.insert(age);
  by_age_.emplace(age, key);
  kept_.emplace(key, Kept{std::move(copy), bytes, age});
  bytes_ += bytes;
}

// Null: without any other copy there is still no room.
std::unique_ptr<OutputsCopy> ExpectedStore::make_on_device(std::uint64_t bytes) {
  for (;;) {
    auto copy = memory_.on_device(bytes);
    if (copy || on_device_.empty()) return copy;
    move_to_host(kept_.at(by_age_.at(*on_device_.begin())));
  }
}

void ExpectedStore::move_to_host(Kept& kept) {
  auto copy = memory_.on_host(kept.bytes);
  copy->take(kept.copy->at());
  kept.copy = std::move(copy);
  on_device_.erase(kept.age);
}

void ExpectedStore::drop(const Key& key) {
  const auto found = kept_.find(key);
  if (found == kept_.end()) return;
  bytes_ -= found->second.bytes;
  by_age_.erase(found->second.age);
  on_device_.erase(found->second.age);
  kept_.erase(found);
}

void ExpectedStore::drop_own_sets(std::uint32_t workload) {
  auto at = kept_.lower_bound({workload, {}});
  while (at != kept_.end() && at->first.workload == workload) {
    const Key key = (at++)->first;
    if (!key.set.owner.empty()) drop(key);
  }
}

}  // namespace fib::worker
