#include "report/outcomes.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "dataset/filter.h"
#include "dataset/ranking.h"

namespace fib::report {
namespace {

using dataset::Score;

// The author's best scores, one a definition.
struct AuthorScores {
  std::map<std::string, Score> best;  // by definition
  std::map<std::string, std::string> solutions;

  void offer(const std::string& definition, const std::string& solution, const Score& score) {
    const auto [entry, is_new] = best.emplace(definition, score);
    if (!is_new && score.avg_speedup <= entry->second.avg_speedup) return;
    entry->second = score;
    solutions[definition] = solution;
  }

  [[nodiscard]] Score mean() const {
    std::vector<Score> scores;
    for (const auto& [definition, score] : best) scores.push_back(score);
    Score total = dataset::mean_score(scores);
    total.best_solutions = solutions;
    return total;
  }
};

}  // namespace

bool Selection::holds_definition(const dataset::Dataset& dataset, const std::string& name) const {
  if (definition && name != *definition) return false;
  if (!op_type) return true;
  const auto found = dataset.definitions.find(name);
  return found != dataset.definitions.end() && found->second.op_type == *op_type;
}

bool Selection::holds(const dataset::Dataset& dataset, const dataset::TraceRow& trace) const {
  if (hardware && (!trace.evaluation || *trace.evaluation->hardware != *hardware)) return false;
  return holds_definition(dataset, *trace.definition);
}

bool Selection::counts(const dataset::Dataset& dataset, const dataset::TraceRow& trace) const {
  if (!holds(dataset, trace)) return false;
  if (statuses.empty()) return true;
  return trace.evaluation && dataset::matches_status(statuses, trace.evaluation->status);
}

void Outcomes::add(const dataset::TraceRow& trace) {
  Outcome& outcome = workloads[trace.workload->uuid];
  if (!trace.passed()) {
    failed = outcome.failed = true;
    return;
  }
  const auto& performance = trace.evaluation->performance;
  const double latency = performance ? performance->latency_ms : 0;
  const double factor = performance ? performance->speedup_factor : 0;
  if (dataset::is_latency(latency) && (outcome.latency_ms == 0 || latency < outcome.latency_ms)) {
    outcome.latency_ms = latency;
    outcome.interval = trace.evaluation->interval;
  }
  if (!dataset::is_latency(latency) || !dataset::is_latency(factor)) {
    ++untimed;
  } else if (outcome.speedup_factor == 0 || latency < outcome.timed_latency_ms) {
    outcome.speedup_factor = factor;
    outcome.speedup_range = performance->speedup_range;
    outcome.timed_latency_ms = latency;
  }
}

std::size_t Outcomes::passed() const {
  return static_cast<std::size_t>(std::count_if(
      workloads.begin(), workloads.end(), [](const auto& workload) { return !workload.second.failed; }));
}

std::optional<double> Outcomes::mean_latency_ms() const {
  std::vector<double> latencies;
  double sum = 0;
  for (const auto& [uuid, outcome] : workloads) {
    if (outcome.failed) continue;
    if (outcome.latency_ms == 0) return std::nullopt;
    latencies.push_back(outcome.latency_ms);
    sum += std::log(outcome.latency_ms);
  }
  if (latencies.empty()) return std::nullopt;
  if (latencies.size() == 1) return latencies.front();  // exactly
  return std::exp(sum / static_cast<double>(latencies.size()));
}

std::optional<std::string> author_of(const dataset::Dataset& dataset, const std::string& solution) {
  const auto found = dataset.solutions.find(solution);
  if (found == dataset.solutions.end()) return std::nullopt;
  return found->second.author;
}

DefinitionOutcomes collect(const dataset::Dataset& dataset, const Selection& selection) {
  DefinitionOutcomes outcomes;
  for (const dataset::TraceRow& trace : dataset.traces) {
    if (trace.solution == nullptr || !trace.evaluation || !selection.holds(dataset, trace)) continue;
    outcomes[*trace.definition][*trace.solution].add(trace);
  }
  return outcomes;
}

std::optional<Score> reference_score(const Outcomes& outcomes) {
  Score score;
  dataset::MeanSpeedup mean;
  double wins = 0;
  for (const auto& [uuid, outcome] : outcomes.workloads) {
    if (!outcome.failed && outcome.speedup_factor == 0) continue;
    ++score.workloads;
    mean.add(outcome.speedup_factor, outcome.speedup_range);
    wins += outcome.speedup_factor > 1 ? 1 : 0;
  }
  if (score.workloads == 0) return std::nullopt;
  score.definitions = 1;
  if (outcomes.failed) return score;
  score.avg_speedup = *mean.mean();
  score.avg_range = mean.range();
  score.geomean_speedup = *mean.geometric_mean();
  score.geomean_range = mean.geometric_range();
  score.success_rate = 1;
  score.win_rate = wins / static_cast<double>(score.workloads);
  return score;
}

dataset::Ranking rank_against_reference(const dataset::Dataset& dataset, const DefinitionOutcomes& outcomes) {
  std::map<std::string, AuthorScores> authors;
  for (const auto& [definition, solutions] : outcomes) {
    for (const auto& [name, results] : solutions) {
      const auto solution = dataset.solutions.find(name);
      if (solution == dataset.solutions.end()) continue;
      const auto score = reference_score(results);
      if (score) authors[solution->second.author].offer(definition, name, *score);
    }
  }
  dataset::Ranking ranking;
  for (const auto& [author, scores] : authors) ranking.emplace_back(author, scores.mean());
  std::stable_sort(ranking.begin(), ranking.end(), [](const auto& left, const auto& right) {
    return left.second.avg_speedup > right.second.avg_speedup;
  });
  return ranking;
}

}  // namespace fib::report
