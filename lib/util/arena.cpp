#include "util/arena.h"

#include <algorithm>
#include <iterator>

namespace fib::util {

Arena::Arena(std::uint64_t bytes, std::uint64_t alignment) : alignment_(alignment) {
  if (bytes >= alignment) gaps_.emplace(0, bytes & ~(alignment - 1));
}

std::optional<std::uint64_t> Arena::take(std::uint64_t bytes) {
  const std::uint64_t wanted = (std::max<std::uint64_t>(bytes, 1) + alignment_ - 1) & ~(alignment_ - 1);
  const auto gap =
      std::find_if(gaps_.begin(), gaps_.end(), [&](const auto& g) { return g.second >= wanted; });
  if (gap == gaps_.end()) return std::nullopt;
  const auto [offset, size] = *gap;
  gaps_.erase(gap);
  if (size > wanted) gaps_.emplace(offset + wanted, size - wanted);
  taken_.emplace(offset, wanted);
  return offset;
}

void Arena::give_back(std::uint64_t offset) {
  const auto stretch = taken_.find(offset);
  if (stretch == taken_.end()) return;
  auto gap = gaps_.insert(taken_.extract(stretch)).position;
  const auto after = std::next(gap);
  if (after != gaps_.end() && gap->first + gap->second == after->first) {
    gap->second += after->second;
    gaps_.erase(after);
  }
  if (gap == gaps_.begin()) return;
  const auto before = std::prev(gap);
  if (before->first + before->second != gap->first) return;
  before->second += gap->second;
  gaps_.erase(gap);
}

}  // namespace fib::util
