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
  const auto calls = static_cast<std::size_t>(plan.warmup) + static_cast<std::size_t>(plan.timed);
  for (std::size_t trial = 0; trial < static_cast<std::size_t>(plan.trials); ++trial) {
    const std::size_t first = trial * calls + (trial == 0 ? std::min(kCallsThatLoadCode, calls) : 0);
    const std::size_t choice = (trial + 1) * calls - first;
    const bool is_later = plan.may_end_sooner() && trial >= static_cast<std::size_t>(plan.least_trials());
    const std::size_t looks = is_later ? kLooksPerLaterTrial : kLooksPerTrial;
    const std::size_t wanted = places.size() + std::min(looks, choice);
    for (std::uint64_t draw = 0; places.size() < wanted; ++draw) {
      util::Sha256 hash;
      const std::string digits = hash.add("looks").add(secret).add(evaluation).add(trial).add(draw).hex();
      places.insert(first + std::stoull(digits.substr(0, 15), nullptr, 16) % choice);
    }
  }
  return places;
}

}  // namespace fib::bench
