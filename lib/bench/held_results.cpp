#include "bench/held_results.h"

#include <algorithm>
#include <map>
#include <utility>

#include "util/hash.h"

namespace fib::bench {
namespace {

constexpr std::int64_t kLongestNs = std::int64_t{60} * 1'000'000'000;
constexpr std::size_t kMost = 64;
// Of results that are as they claim.
constexpr std::size_t kMostCounted = 2;

// Of the solution, too, so that none can tell another one which of its evaluations is counted.
std::string order_of(std::string_view secret, const PlannedEvaluation& planned) {
  return util::Sha256()
      .add("counted")
      .add(secret)
      .add(planned.solution->name)
      .add(planned.workload->uuid)
      .hex();
}

}  // namespace

std::string name_of(CountWork count) {
  switch (count) {
    case CountWork::kNone:
      return "none";
    case CountWork::kOne:
      return "one";
    case CountWork::kEach:
      break;
  }
  return "each";
}

void HeldResults::add(HeldResult result, std::int64_t now_ns) {
  if (results_.empty()) since_ns_ = now_ns;
  results_.push_back(std::move(result));
}

bool HeldResults::are_due(std::int64_t now_ns) const {
  return results_.size() >= kMost || (!results_.empty() && now_ns - since_ns_ >= kLongestNs);
}

std::vector<HeldResult> HeldResults::counted(std::string_view secret,
                                             const std::function<bool(HeldResult&)>& count) {
  auto results = std::exchange(results_, {});
  std::multimap<std::string, HeldResult*> in_order;
  for (auto& result : results) in_order.emplace(order_of(secret, *result.planned), &result);
  bool each = false;
  std::size_t counts = 0;
  for (auto& [order, result] : in_order) {
    if (!count(*result)) return {};
    ++counts;
    each = each || !result->is_as_claimed();
    const bool is_enough = counts == kMostCounted || !result->tells_little();
    if (!each && is_enough) break;
  }
  return results;
}

}  // namespace fib::bench
