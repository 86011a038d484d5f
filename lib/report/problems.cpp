#include "report/problems.h"

#include <algorithm>
#include <set>

namespace fib::report {
namespace {

struct Best {
  double latency_ms = 0;  // 0: none
  std::optional<double> speedup;
};

// The fastest of an author's solutions on each problem that they solved.
using BestOfAuthor = std::map<Problem, Best>;

void offer(BestOfAuthor& best, const Problem& problem, const Outcome& outcome) {
  if (outcome.failed || outcome.latency_ms == 0) return;
  const auto [entry, is_new] = best.emplace(problem, Best{});
  if (!is_new && entry->second.latency_ms <= outcome.latency_ms) return;
  entry->second.latency_ms = outcome.latency_ms;
  entry->second.speedup.reset();
  if (outcome.speedup_factor > 0) entry->second.speedup = outcome.speedup_factor;
}

std::map<std::string, BestOfAuthor> best_of_authors(const dataset::Dataset& dataset,
                                                    const DefinitionOutcomes& outcomes) {
  std::map<std::string, BestOfAuthor> authors;
  for (const auto& [definition, solutions] : outcomes) {
    for (const auto& [name, results] : solutions) {
      const auto solution = dataset.solutions.find(name);
      if (solution == dataset.solutions.end()) continue;
      BestOfAuthor& best = authors[solution->second.author];
      for (const auto& [uuid, outcome] : results.workloads) offer(best, {definition, uuid}, outcome);
    }
  }
  return authors;
}

std::set<Problem> all_problems(const dataset::Dataset& dataset, const Selection& selection,
                               const DefinitionOutcomes& outcomes) {
  std::set<Problem> problems;
  for (const auto& [definition, workloads] : dataset.workloads) {
    if (!selection.holds_definition(dataset, definition)) continue;
    for (const auto& workload : workloads) problems.emplace(definition, workload.uuid);
  }
  for (const auto& [definition, solutions] : outcomes) {
    for (const auto& [name, results] : solutions) {
      for (const auto& [uuid, outcome] : results.workloads) problems.emplace(definition, uuid);
    }
  }
  return problems;
}

Solved against_baseline(const BestOfAuthor& own, const BestOfAuthor& baseline) {
  Solved solved;
  for (const auto& [problem, best] : own) {
    const auto yardstick = baseline.find(problem);
    auto& speedup = solved[problem];
    if (yardstick != baseline.end()) speedup = yardstick->second.latency_ms / best.latency_ms;
  }
  return solved;
}

Solved against_reference(const BestOfAuthor& own) {
  Solved solved;
  for (const auto& [problem, best] : own) solved[problem] = best.speedup;
  return solved;
}

}  // namespace

ProblemResults solve_problems(const dataset::Dataset& dataset, const Selection& selection,
                              const std::string& baseline_author, Against against) {
  const DefinitionOutcomes outcomes = collect(dataset, selection);
  const auto authors = best_of_authors(dataset, outcomes);
  ProblemResults results;
  results.hardware = selection.hardware.value_or("");
  results.against = against;
  results.baseline_author = baseline_author;
  results.problems = all_problems(dataset, selection, outcomes).size();
  const auto found = authors.find(baseline_author);
  const BestOfAuthor nothing;
  const BestOfAuthor& baseline = found == authors.end() ? nothing : found->second;
  for (const auto& [author, best] : authors) {
    if (against == Against::reference) {
      results.authors[author] = against_reference(best);
    } else if (author != baseline_author) {
      results.authors[author] = against_baseline(best, baseline);
    }
  }
  return results;
}

Against natural_yardstick(const dataset::Dataset& dataset, const Selection& selection,
                          const std::string& baseline_author) {
  const auto authors = best_of_authors(dataset, collect(dataset, selection));
  const auto baseline = authors.find(baseline_author);
  const bool any = baseline != authors.end() && !baseline->second.empty();
  return any ? Against::baseline : Against::reference;
}

double fast_p(const Solved& solved, std::size_t problems, double p) {
  if (problems == 0) return 0;
  const auto count = std::count_if(solved.begin(), solved.end(), [&](const auto& entry) {
    return p <= 0 || (entry.second && *entry.second > p);
  });
  return static_cast<double>(count) / static_cast<double>(problems);
}

std::vector<std::pair<double, double>> fast_p_curve(const Solved& solved, std::size_t problems) {
  std::vector<double> speedups;
  for (const auto& [problem, speedup] : solved) {
    if (speedup) speedups.push_back(*speedup);
  }
  std::sort(speedups.begin(), speedups.end());
  const auto share = [&](std::size_t count) {
    return problems == 0 ? 0 : static_cast<double>(count) / static_cast<double>(problems);
  };
  std::vector<std::pair<double, double>> curve;
  curve.emplace_back(0, share(speedups.size()));
  for (std::size_t i = 0; i < speedups.size(); ++i) {
    const bool is_last = i + 1 == speedups.size() || speedups[i + 1] > speedups[i];
    if (is_last && speedups[i] > 0) curve.emplace_back(speedups[i], share(speedups.size() - i - 1));
  }
  return curve;
}

}  // namespace fib::report
