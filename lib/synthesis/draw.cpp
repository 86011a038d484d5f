#include "synthesis/draw.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>

#include "tensor/random.h"
#include "util/hash.h"

namespace fib::synthesis {
namespace {

std::uint64_t key_of(std::string_view seed, std::string_view name) {
  const std::string digest = util::Sha256().add("synthesis").add(seed).add(name).hex();
  return std::stoull(digest.substr(0, 16), nullptr, 16);
}

}  // namespace

Draw::Draw(std::string_view seed, std::string_view name) : key_(key_of(seed, name)) {}

// Two to a block of the generator.
std::uint64_t Draw::bits() {
  const auto block = tensor::random_block(key_, next_ / 2);
  const bool upper = next_++ % 2 == 1;
  return upper ? tensor::join_words(block.word2, block.word3) : tensor::join_words(block.word0, block.word1);
}

// Bits above the largest multiple of n are drawn again, so that no number is likelier than another.
std::int64_t Draw::below(std::int64_t n) {
  const auto range = static_cast<std::uint64_t>(n);
  const std::uint64_t surplus = (std::uint64_t{0} - range) % range;
  for (;;) {
    const std::uint64_t drawn = bits();
    if (drawn >= surplus) return static_cast<std::int64_t>(drawn % range);
  }
}

std::int64_t Draw::between(std::int64_t low, std::int64_t high) {
  return high <= low ? low : low + below(high - low + 1);
}

// Fisher and Yates's shuffle as far as it is needed; only what has moved is kept, since `bound` may be the
// pages of a large cache.
Integers distinct(Draw& draw, std::int64_t count, std::int64_t bound) {
  std::unordered_map<std::int64_t, std::int64_t> moved;
  const auto at = [&](std::int64_t place) {
    const auto found = moved.find(place);
    return found == moved.end() ? place : found->second;
  };
  Integers numbers;
  numbers.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < std::min(count, bound); ++i) {
    const std::int64_t place = draw.between(i, bound - 1);
    numbers.push_back(at(place));
    moved[place] = at(i);
  }
  for (std::int64_t i = bound; i < count; ++i)
    numbers.push_back(numbers[static_cast<std::size_t>(i - bound)]);
  return numbers;
}

Integers parts(Draw& draw, std::int64_t total, const Integers& least) {
  if (least.empty()) return {};
  const std::int64_t rest = total - std::accumulate(least.begin(), least.end(), std::int64_t{0});
  Integers cuts = {0, rest};
  for (std::size_t i = 1; i < least.size(); ++i) cuts.push_back(draw.between(0, rest));
  std::sort(cuts.begin(), cuts.end());
  Integers sizes;
  for (std::size_t i = 0; i < least.size(); ++i) sizes.push_back(least[i] + cuts[i + 1] - cuts[i]);
  return sizes;
}

}  // namespace fib::synthesis
