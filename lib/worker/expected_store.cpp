#include "worker/expected_store.h"

#include <algorithm>
#include <utility>

namespace fib::worker {

using device::cpu::PrivateMemory;

const std::byte* ExpectedStore::find(const Key& key) const {
  const auto found = kept_.find(key);
  return found == kept_.end() ? nullptr : found->second.memory.data();
}

ExpectedStore::Outputs ExpectedStore::take(std::uint64_t bytes, std::uint64_t budget) {
  const auto fits = [&] { return !unused_.empty() && unused_.front().bytes == bytes; };
  if (!fits()) give_up_unused();
  while (!fits() && !order_.empty() && bytes_ + bytes > budget) {
    drop(Key(order_.front()));
    if (!fits()) give_up_unused();
  }
  if (!fits()) return {PrivateMemory(bytes, device::cpu::Pages::kHuge), bytes};
  Outputs outputs = std::move(unused_.back());
  unused_.pop_back();
  bytes_ -= outputs.bytes;
  return outputs;
}

void ExpectedStore::keep(const Key& key, Outputs outputs) {
  bytes_ += outputs.bytes;
  kept_.emplace(key, std::move(outputs));
  order_.push_back(key);
}

void ExpectedStore::drop(const Key& key) {
  const auto found = kept_.find(key);
  if (found == kept_.end()) return;
  if (!unused_.empty() && unused_.front().bytes != found->second.bytes) give_up_unused();
  unused_.push_back(std::move(found->second));
  kept_.erase(found);
  order_.erase(std::find(order_.begin(), order_.end(), key));
}

void ExpectedStore::drop_own_sets(std::uint32_t workload) {
  std::vector<Key> own;
  for (const auto& key : order_) {
    if (key.workload == workload && !key.set.solution_sha256.empty()) own.push_back(key);
  }
  for (const auto& key : own) drop(key);
}

void ExpectedStore::give_up_unused() {
  for (const auto& outputs : unused_) bytes_ -= outputs.bytes;
  unused_.clear();
}

}  // namespace fib::worker
