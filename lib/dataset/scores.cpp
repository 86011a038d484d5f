#include <algorithm>
#include <cmath>
#include <set>

#include "dataset/python_text.h"
#include "dataset/queries.h"

namespace fib::dataset {

// The traces that one question is about.
struct Queries::Group {
  std::optional<std::string> hardware;    // count traces of this hardware only; nothing: all
  std::optional<model::DeviceKind> kind;  // of the hardware; nothing when there are no traces at all
  bool several = false;                   // the dataset has other hardware too

  [[nodiscard]] bool counts(const TraceRow& trace) const {
    return trace.evaluation && (!hardware || *trace.evaluation->hardware == *hardware);
  }
};

namespace {

using Latencies = std::map<std::string, double>;  // by workload uuid

[[noreturn]] void value_error(const std::string& message) {
  throw QueryError(QueryError::Kind::value_error, message);
}

double valid_latency(const TraceRow& trace) {
  const auto& performance = trace.evaluation->performance;
  if (!performance || !(performance->latency_ms > 0) || !std::isfinite(performance->latency_ms)) {
    value_error(fmt::format("PASSED trace for solution {} workload {} has invalid performance data",
                            python_repr(*trace.solution), python_repr(trace.workload->uuid)));
  }
  return performance->latency_ms;
}

// What the traces of one solution say.
struct BestLatencies {
  Latencies best;               // the lowest of the passing traces
  std::set<std::string> tried;  // uuids with any trace
  bool failed = false;          // some trace did not pass

  void add(const TraceRow& trace) {
    tried.insert(trace.workload->uuid);
    if (!trace.passed()) {
      failed = true;
      return;
    }
    const double latency = valid_latency(trace);
    const auto [entry, is_new] = best.emplace(trace.workload->uuid, latency);
    if (!is_new) entry->second = std::min(entry->second, latency);
  }
};

std::vector<std::string> common_uuids(const BestLatencies& baseline, const BestLatencies& solution) {
  std::vector<std::string> common;
  for (const auto& [uuid, latency] : baseline.best) {
    if (solution.tried.contains(uuid)) common.push_back(uuid);
  }
  return common;
}

std::optional<Score> compare(const BestLatencies& baseline, const BestLatencies& solution) {
  const std::vector<std::string> common = common_uuids(baseline, solution);
  if (common.empty()) return std::nullopt;
  Score score;
  score.definitions = 1;
  score.workloads = static_cast<std::int64_t>(common.size());
  if (solution.failed) return score;
  const auto count = static_cast<double>(common.size());
  double sum = 0;
  double logs = 0;
  double wins = 0;
  for (const std::string& uuid : common) {
    const double ratio = baseline.best.at(uuid) / solution.best.at(uuid);
    sum += ratio;
    logs += std::log(ratio);
    wins += ratio > 1 ? 1 : 0;
  }
  score.avg_speedup = sum / count;
  score.geomean_speedup = std::exp(logs / count);
  score.success_rate = 1;
  score.win_rate = wins / count;
  return score;
}

std::vector<std::string> names_of(const std::vector<const model::Solution*>& solutions) {
  std::vector<std::string> names;
  for (const model::Solution* solution : solutions) names.push_back(solution->name);
  return names;
}

std::vector<const model::Solution*> able(const std::vector<const model::Solution*>& solutions,
                                         model::DeviceKind kind) {
  std::vector<const model::Solution*> kept;
  std::copy_if(solutions.begin(), solutions.end(), std::back_inserter(kept),
               [&](const model::Solution* solution) { return may_run_on(*solution, kind); });
  return kept;
}

}  // namespace

Score mean_score(const std::vector<Score>& scores) {
  Score total;
  MeanSpeedup averages;
  MeanSpeedup geomeans;  // of a failure it is 0, which makes their mean 0
  for (const Score& score : scores) {
    averages.add(score.avg_speedup, score.avg_range);
    geomeans.add(score.geomean_speedup, score.geomean_range);
    total.success_rate += score.success_rate;
    total.win_rate += score.win_rate;
    total.workloads += score.workloads;
  }
  const auto count = static_cast<double>(scores.size());
  total.avg_speedup = *averages.mean();
  total.avg_range = averages.range();
  total.geomean_speedup = *geomeans.geometric_mean();
  total.geomean_range = geomeans.geometric_range();
  total.success_rate /= count;
  total.win_rate /= count;
  total.definitions = static_cast<std::int64_t>(scores.size());
  return total;
}

Queries::Group Queries::group(const Scope& scope) const {
  Group group{scope.hardware, std::nullopt, hardware_.size() > 1};
  if (group.hardware) {
    const auto known = hardware_.find(*group.hardware);
    if (known != hardware_.end()) group.kind = known->second;
  } else if (group.several) {
    value_error(fmt::format("The traces come from several hardware {}: scores never mix them, choose one",
                            python_repr(hardware())));
  } else if (!hardware_.empty()) {
    group.kind = hardware_.begin()->second;
  }
  return group;
}

// With one hardware the baseline author's only solution is the baseline, whatever it is; with several, only
// solutions that may run there can be.
const model::Solution& Queries::baseline(const model::Solution& solution, const Scope& scope,
                                         const Group& group) const {
  const auto& all = solutions_.find(solution.definition)->second;
  std::vector<const model::Solution*> candidates;
  std::copy_if(all.begin(), all.end(), std::back_inserter(candidates),
               [&](const model::Solution* other) { return other->author == scope.baseline_author; });
  if (group.kind && (group.several || candidates.size() > 1)) {
    const auto kept = able(candidates, *group.kind);
    if (group.several || kept.size() == 1) candidates = kept;
  }
  const std::string suffix = group.several ? " on " + python_repr(*group.hardware) : "";
  const std::string whose =
      fmt::format("from author {} for definition {}{}", python_repr(scope.baseline_author),
                  python_repr(solution.definition), suffix);
  if (candidates.empty()) value_error("No baseline solution " + whose);
  if (candidates.size() > 1) {
    value_error("Multiple baseline solutions " + whose + ": " + python_repr(names_of(candidates)));
  }
  return *candidates.front();
}

std::optional<Score> Queries::score(const model::Solution& solution, const Scope& scope,
                                    const Group& group) const {
  const auto results_of = [&](const std::string& name) {
    BestLatencies results;
    const auto traces = by_solution_.find(name);
    if (traces == by_solution_.end()) return results;
    for (const TraceRow* trace : traces->second) {
      if (group.counts(*trace)) results.add(*trace);
    }
    return results;
  };
  const auto was_tried = [&] {
    const auto traces = by_solution_.find(solution.name);
    return traces != by_solution_.end() && std::any_of(traces->second.begin(), traces->second.end(),
                                                       [&](const auto* t) { return group.counts(*t); });
  };
  // Elsewhere in a mixed dataset a definition needs no baseline.
  if ((group.several || !scope.untried_need_baseline) && !was_tried()) return std::nullopt;
  const model::Solution& base = baseline(solution, scope, group);
  if (solution.author == scope.baseline_author) return std::nullopt;
  const BestLatencies own = results_of(solution.name);
  return compare(results_of(base.name), own);
}

std::optional<Score> Queries::score_author(std::string_view author, const Scope& scope,
                                           const Group& group) const {
  std::vector<Score> best_scores;
  std::map<std::string, std::string> best_solutions;
  for (const std::string& definition : definitions(scope)) {
    const auto solutions = solutions_.find(definition);
    if (solutions == solutions_.end()) continue;
    std::optional<Score> best;
    for (const model::Solution* solution : solutions->second) {
      if (solution->author != author) continue;
      const std::optional<Score> own = score(*solution, scope, group);
      if (!own || (best && own->avg_speedup <= best->avg_speedup)) continue;
      best = own;
      best_solutions[definition] = solution->name;
    }
    if (best) best_scores.push_back(*best);
  }
  if (best_scores.empty()) return std::nullopt;
  Score result = mean_score(best_scores);
  result.best_solutions = std::move(best_solutions);
  return result;
}

std::vector<std::string> Queries::definitions(const Scope& scope) const {
  if (scope.op_type && scope.definition) {
    value_error("Only one of 'op_type' or 'definition_name' may be provided");
  }
  std::vector<std::string> names;
  if (scope.definition && !dataset_.definitions.contains(*scope.definition)) {
    throw QueryError(QueryError::Kind::key_error, "Unknown definition: " + python_repr(*scope.definition));
  }
  for (const auto& [name, definition] : dataset_.definitions) {
    if (scope.definition && name != *scope.definition) continue;
    if (scope.op_type && definition.op_type != *scope.op_type) continue;
    names.push_back(name);
  }
  return names;
}

std::optional<Score> Queries::solution_score(std::string_view solution, const Scope& scope) const {
  const auto found = dataset_.solutions.find(std::string(solution));
  if (found == dataset_.solutions.end()) return std::nullopt;
  return score(found->second, scope, group(scope));
}

std::optional<Score> Queries::author_score(std::string_view author, const Scope& scope) const {
  return score_author(author, scope, group(scope));
}

Ranking Queries::rank_authors(const Scope& scope) const {
  const Group traces = group(scope);
  std::set<std::string> authors;
  for (const std::string& definition : definitions(scope)) {
    const auto solutions = solutions_.find(definition);
    if (solutions == solutions_.end()) continue;
    for (const model::Solution* solution : solutions->second) authors.insert(solution->author);
  }
  Ranking ranking;
  for (const std::string& author : authors) {
    if (auto score = score_author(author, scope, traces)) ranking.emplace_back(author, *std::move(score));
  }
  std::stable_sort(ranking.begin(), ranking.end(), [](const auto& left, const auto& right) {
    return left.second.avg_speedup > right.second.avg_speedup;
  });
  return ranking;
}

Summary Queries::summary(const Scope& scope) const {
  Summary summary;
  for (const TraceRow& trace : dataset_.traces) {
    if (scope.hardware && (!trace.evaluation || *trace.evaluation->hardware != *scope.hardware)) continue;
    ++summary.total;
    if (trace.passed()) ++summary.passed;
  }
  summary.failed = summary.total - summary.passed;
  if (summary.total > 0) summary.rankings = rank_authors(scope);
  return summary;
}

}  // namespace fib::dataset
