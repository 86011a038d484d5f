#include "tracing/filter.h"

#include <algorithm>

namespace fib::tracing {
namespace {

using arguments::Case;
using Kind = FilterPolicy::Kind;

// Halves go to the even number. Both are positive.
std::int64_t rounded_quotient(std::int64_t dividend, std::int64_t divisor) {
  const std::int64_t quotient = dividend / divisor;
  const std::int64_t rest = dividend % divisor;
  const std::int64_t other = divisor - rest;
  return rest > other || (rest == other && quotient % 2 != 0) ? quotient + 1 : quotient;
}

}  // namespace

Filter::Filter(const FilterPolicy& policy, const arguments::Signature& signature) : policy_(policy) {
  const auto find = [&](const char* name) -> Axis {
    const auto& axes = signature.axes();
    const auto found = std::find(axes.begin(), axes.end(), name);
    return found == axes.end() ? Axis{} : Axis(static_cast<std::size_t>(found - axes.begin()));
  };
  pages_ = find("num_pages");
  queries_ = find("total_q");
  sequences_ = find("len_indptr");
  indices_ = find("num_kv_indices");
  tokens_ = find("total_kv");
  has_averages_ = policy.kind == Kind::attention && sequences_ && (indices_ || tokens_);
}

bool Filter::is_by_key() const {
  return policy_.kind == Kind::first_by_axes || policy_.kind == Kind::attention;
}

Case Filter::key_of(const Case& found) const {
  Case key;
  key.axes = found.axes;
  if (!has_averages_) return key;
  const std::int64_t sequences = found.axes[*sequences_] - 1;
  const auto average = [&](std::int64_t sum) { return sequences > 0 ? rounded_quotient(sum, sequences) : 0; };
  for (const Axis& axis : {pages_, queries_, sequences_, indices_, tokens_}) {
    if (axis) key.axes[*axis] = 0;
  }
  key.axes[indices_ ? *indices_ : *tokens_] = average(found.axes[indices_ ? *indices_ : *tokens_]);
  key.axes[*sequences_] = queries_ ? average(found.axes[*queries_]) : 1;
  return key;
}

bool Filter::take(const Case& found) {
  if (policy_.kind == Kind::all) return true;
  if (policy_.kind == Kind::none) return false;
  if (!is_by_key()) {
    if (kept_ >= policy_.k) return false;
    ++kept_;
    return true;
  }
  const Case key = key_of(found);
  const auto before = kept_by_key_.find(key);
  if (before == kept_by_key_.end()) {
    kept_by_key_.emplace(key, 1);
    return true;
  }
  if (before->second >= policy_.k) return false;
  ++before->second;
  return true;
}

void Filter::give_back(const Case& found) {
  if (policy_.kind == Kind::first) --kept_;
  if (!is_by_key()) return;
  const auto counted = kept_by_key_.find(key_of(found));
  if (counted != kept_by_key_.end() && --counted->second == 0) kept_by_key_.erase(counted);
}

}  // namespace fib::tracing
