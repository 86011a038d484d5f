#include "dataset/ranking.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace fib::dataset {
namespace {

using Results = std::map<std::string, RankedResult>;

// The geometric means over what passed; `passed` counts these, `known` whether all their latencies are.
struct Means {
  std::vector<double> latencies;
  std::vector<double> lows;
  std::vector<double> highs;
  std::size_t passed = 0;
  bool known = true;

  void add(const RankedResult& result) {
    if (!result.passed) return;
    ++passed;
    if (!is_latency(result.latency_ms)) {
      known = false;
      return;
    }
    const double share = result.interval.value_or(0);
    latencies.push_back(result.latency_ms);
    highs.push_back(result.latency_ms * (1 + share));
    // Below the latency an interval ends above 0, or a mean would be 0.
    lows.push_back(result.latency_ms / (1 + share));
  }
};

RankedSolution ranked(const std::string& solution, const Results& results, std::size_t workloads) {
  Means means;
  for (const auto& [workload, result] : results) means.add(result);
  RankedSolution one{solution, std::nullopt, means.passed, workloads, {}, {}, {}};
  if (means.latencies.empty()) return one;
  one.latency_ms = geometric_mean(means.latencies);
  one.low_ms = geometric_mean(means.lows);
  // Of one workload the interval says it itself: from 0 where another run may read anything below.
  if (results.size() == 1)
    one.low_ms = *one.latency_ms * std::max(0.0, 1 - results.begin()->second.interval.value_or(0));
  one.high_ms = geometric_mean(means.highs);
  if (means.known && means.passed == workloads) one.rank = 1;
  return one;
}

}  // namespace

void Contest::add(const std::string& solution, const std::string& workload, const RankedResult& result) {
  workloads_.insert(workload);
  const auto [entry, is_new] = results_[solution].emplace(workload, result);
  if (is_new) return;
  const bool passed = entry->second.passed && result.passed;
  entry->second = result;
  entry->second.passed = passed;
}

std::vector<RankedSolution> Contest::ranking() const {
  std::vector<RankedSolution> all;
  for (const auto& [solution, results] : results_)
    all.push_back(ranked(solution, results, workloads_.size()));
  const auto key = [](const RankedSolution& one) {
    const double latency = one.latency_ms.value_or(std::numeric_limits<double>::infinity());
    return std::tuple(!one.rank, one.rank ? 0 : -static_cast<double>(one.passed), latency, one.solution);
  };
  std::sort(all.begin(), all.end(),
            [&](const RankedSolution& left, const RankedSolution& right) { return key(left) < key(right); });
  const RankedSolution* first = nullptr;  // of the rank
  for (std::size_t i = 0; i < all.size() && all[i].rank; ++i) {
    const bool shares = first != nullptr && *all[i].low_ms <= *first->high_ms;
    all[i].rank = shares ? *first->rank : i + 1;
    if (!shares) first = &all[i];
  }
  return all;
}

double geometric_mean(const std::vector<double>& values) {
  if (values.size() == 1) return values.front();
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

bool is_latency(double value) { return std::isfinite(value) && value > 0; }

}  // namespace fib::dataset
