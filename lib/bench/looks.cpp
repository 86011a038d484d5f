#include "bench/looks.h"

#include <algorithm>
#include <string>

#include "util/hash.h"

namespace fib::bench {
namespace {

constexpr std::size_t kCallsThatLoadCode = 2;

}  // namespace

std::set<std::size_t> look_places(std::string_view secret, std::string_view evaluation,
                                  const CallPlan& plan) {
  std::set<std::size_t> places;
  for (int trial = 0; trial < plan.trials; ++trial) {
    const auto end = static_cast<std::size_t>(plan.calls_of(trial + 1));
    const std::size_t first =
        trial == 0 ? std::min(kCallsThatLoadCode, end) : static_cast<std::size_t>(plan.calls_of(trial));
    const std::size_t choice = end - first;
    const bool is_later = plan.may_end_sooner() && trial >= plan.least_trials();
    const std::size_t looks = is_later ? kLooksPerLaterTrial : kLooksPerTrial;
    const std::size_t wanted = places.size() + std::min(looks, choice);
    for (std::uint64_t draw = 0; places.size() < wanted; ++draw) {
      util::Sha256 hash;
      const std::string digits = hash.add("looks")
                                     .add(secret)
                                     .add(evaluation)
                                     .add(static_cast<std::uint64_t>(trial))
                                     .add(draw)
                                     .hex();
      places.insert(first + std::stoull(digits.substr(0, 15), nullptr, 16) % choice);
    }
  }
  return places;
}

}  // namespace fib::bench
