#include "report/summary.h"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

namespace fib::report {
namespace {

using dataset::QueryError;

Standing standing_of(const dataset::Dataset& dataset, const std::string& solution, const Outcomes& outcomes) {
  Standing standing;
  standing.solution = solution;
  standing.author = author_of(dataset, solution);
  standing.latency_ms = outcomes.mean_latency_ms();
  standing.passed = outcomes.passed();
  standing.workloads = outcomes.workloads.size();
  return standing;
}

void compare_with_baseline(Leaderboard& board, const dataset::Queries& queries, const dataset::Scope& scope) {
  Standing* baseline = nullptr;
  std::size_t baselines = 0;
  bool known = false;
  for (Standing& standing : board.standings) {
    if (!standing.author) continue;
    known = true;
    const auto score = queries.solution_score(standing.solution, scope);
    if (score) standing.speedup = board.every_trace ? score->avg_speedup : score->geomean_speedup;
    if (*standing.author != scope.baseline_author) continue;
    baseline = &standing;
    ++baselines;
  }
  if (!known) {
    throw QueryError(QueryError::Kind::value_error,
                     "No solution of definition '" + board.definition + "' is in the dataset");
  }
  if (baselines == 1 && baseline->passed > 0)
    baseline->speedup = baseline->passed == baseline->workloads ? 1 : 0;
}

void sort(std::vector<Standing>& standings) {
  const auto key = [](const Standing& standing) {
    return std::tuple(-standing.speedup.value_or(-1),
                      standing.latency_ms.value_or(std::numeric_limits<double>::infinity()),
                      standing.solution);
  };
  std::sort(standings.begin(), standings.end(),
            [&](const Standing& left, const Standing& right) { return key(left) < key(right); });
}

// Puts the standings in the order of the ranking, with its ranks.
void rank(std::vector<Standing>& standings, const SolutionOutcomes& outcomes) {
  dataset::Contest contest;
  for (const auto& [solution, results] : outcomes) {
    for (const auto& [workload, outcome] : results.workloads)
      contest.add(solution, workload, {!outcome.failed, outcome.latency_ms, outcome.interval});
  }
  std::map<std::string, Standing> by_name;
  for (Standing& standing : standings) by_name.emplace(standing.solution, std::move(standing));
  standings.clear();
  for (const auto& ranked : contest.ranking()) {
    Standing standing = std::move(by_name.at(ranked.solution));
    standing.rank = ranked.rank;
    standing.latency_ms = ranked.latency_ms;
    if (ranked.latency_ms && ranked.high_ms && *ranked.high_ms > *ranked.latency_ms)
      standing.interval = *ranked.high_ms / *ranked.latency_ms - 1;
    standing.workloads = ranked.workloads;
    standings.push_back(std::move(standing));
  }
}

// To those that passed everything.
void give_places(std::vector<Standing>& standings) {
  std::size_t place = 0;
  for (Standing& standing : standings) {
    if (standing.passed == standing.workloads) standing.rank = ++place;
  }
}

}  // namespace

void Counts::add(const dataset::TraceRow& trace) {
  ++total;
  if (trace.passed()) ++passed;
  if (trace.evaluation) ++by_status[std::string(model::name_of(trace.evaluation->status))];
}

const Leaderboard* HardwareSummary::leaderboard(const std::string& definition) const {
  const auto found = std::lower_bound(
      leaderboards.begin(), leaderboards.end(), definition,
      [](const Leaderboard& board, const std::string& name) { return board.definition < name; });
  return found != leaderboards.end() && found->definition == definition ? &*found : nullptr;
}

Counts count_traces(const dataset::Dataset& dataset, const Selection& selection) {
  Counts counts;
  for (const dataset::TraceRow& trace : dataset.traces) {
    if (selection.counts(dataset, trace)) counts.add(trace);
  }
  return counts;
}

std::map<std::string, Counts> count_by_definition(const dataset::Dataset& dataset,
                                                  const Selection& selection) {
  std::map<std::string, Counts> counts;
  for (const dataset::TraceRow& trace : dataset.traces) {
    if (selection.counts(dataset, trace)) counts[*trace.definition].add(trace);
  }
  return counts;
}

std::map<std::string, Counts> count_by_author(const dataset::Dataset& dataset, const Selection& selection) {
  std::map<std::string, Counts> counts;
  for (const dataset::TraceRow& trace : dataset.traces) {
    if (!selection.counts(dataset, trace)) continue;
    const auto author = trace.solution != nullptr ? author_of(dataset, *trace.solution) : std::nullopt;
    counts[author.value_or("-")].add(trace);
  }
  return counts;
}

std::map<std::string, double> coverage_of_authors(const dataset::Dataset& dataset,
                                                  const Selection& selection) {
  using Problem = std::pair<std::string, std::string>;  // definition, uuid
  std::set<Problem> problems;
  std::map<std::string, std::set<Problem>> solved;
  for (const auto& [definition, workloads] : dataset.workloads) {
    if (!selection.holds_definition(dataset, definition)) continue;
    for (const auto& workload : workloads) problems.emplace(definition, workload.uuid);
  }
  for (const dataset::TraceRow& trace : dataset.traces) {
    if (trace.solution == nullptr || !selection.holds(dataset, trace)) continue;
    const Problem problem(*trace.definition, trace.workload->uuid);
    problems.insert(problem);
    const auto author = author_of(dataset, *trace.solution);
    if (!author) continue;
    auto& own = solved[*author];
    if (trace.passed()) own.insert(problem);
  }
  std::map<std::string, double> coverage;
  for (const auto& [author, own] : solved)
    coverage[author] = static_cast<double>(own.size()) / static_cast<double>(problems.size());
  return coverage;
}

AuthorRanking rank_authors(const dataset::Dataset& dataset, const dataset::Queries& queries,
                           const dataset::Scope& scope, const DefinitionOutcomes& outcomes, Against against) {
  const bool known =
      outcomes.empty() || std::any_of(outcomes.begin(), outcomes.end(), [&](const auto& entry) {
        return dataset.definitions.contains(entry.first);
      });
  if (against == Against::baseline && !known) {
    throw QueryError(QueryError::Kind::value_error,
                     "None of the definitions that were tried is in the dataset");
  }
  AuthorRanking ranking;
  ranking.against = against;
  ranking.rows =
      against == Against::baseline ? queries.rank_authors(scope) : rank_against_reference(dataset, outcomes);
  return ranking;
}

Leaderboard rank_solutions(const dataset::Dataset& dataset, const dataset::Queries& queries,
                           const dataset::Scope& scope, const std::string& definition,
                           const SolutionOutcomes& outcomes, Against against, bool every_trace) {
  Leaderboard board{definition, against, {}, scope.baseline_author, every_trace};
  for (const auto& [solution, results] : outcomes) {
    board.standings.push_back(standing_of(dataset, solution, results));
    if (against == Against::baseline) continue;
    const auto score = reference_score(results);
    if (!score) continue;
    board.standings.back().speedup = every_trace ? score->avg_speedup : score->geomean_speedup;
    board.standings.back().speedup_range = every_trace ? score->avg_range : score->geomean_range;
  }
  if (against == Against::baseline) compare_with_baseline(board, queries, scope);
  sort(board.standings);
  if (every_trace) {
    give_places(board.standings);
  } else {
    rank(board.standings, outcomes);
  }
  return board;
}

std::size_t untimed_traces(const DefinitionOutcomes& outcomes) {
  std::size_t count = 0;
  for (const auto& [definition, solutions] : outcomes) {
    for (const auto& [solution, results] : solutions) count += results.untimed;
  }
  return count;
}

std::size_t unknown_traces(const dataset::Dataset& dataset, const Selection& selection) {
  return static_cast<std::size_t>(
      std::count_if(dataset.traces.begin(), dataset.traces.end(), [&](const dataset::TraceRow& trace) {
        return trace.solution != nullptr && selection.holds(dataset, trace) &&
               !dataset.solutions.contains(*trace.solution);
      }));
}

HardwareSummary summarize(const dataset::Dataset& dataset, const dataset::Queries& queries,
                          const Selection& selection, const std::string& baseline_author,
                          const dataset::StandingResults* standing) {
  const dataset::Scope scope{baseline_author, selection.op_type, selection.definition, selection.hardware,
                             selection.every_trace};
  const DefinitionOutcomes outcomes = collect(dataset, selection);
  HardwareSummary summary;
  summary.hardware = *selection.hardware;
  summary.every_trace = selection.every_trace;
  summary.counts = count_traces(dataset, selection);
  summary.untimed = untimed_traces(outcomes);
  summary.unknown = unknown_traces(dataset, selection);
  std::string reason;
  summary.authors = with_fallback(
      [&](Against against) { return rank_authors(dataset, queries, scope, outcomes, against); }, reason);
  summary.authors.reason = reason;
  summary.authors.coverage = coverage_of_authors(dataset, selection);
  summary.by_definition = count_by_definition(dataset, selection);
  summary.by_author = count_by_author(dataset, selection);
  for (const auto& [definition, solutions] : outcomes) {
    summary.leaderboards.push_back(with_fallback(
        [&, &name = definition, &tried = solutions](Against against) {
          return rank_solutions(dataset, queries, scope, name, tried, against, selection.every_trace);
        },
        reason));
    if (standing == nullptr) continue;
    for (Standing& one : summary.leaderboards.back().standings)
      one.runs = standing->runs_of(summary.hardware, definition, one.solution);
  }
  return summary;
}

bool has_references(const HardwareSummary& summary) {
  return summary.authors.against == Against::reference ||
         std::any_of(summary.leaderboards.begin(), summary.leaderboards.end(),
                     [](const Leaderboard& board) { return board.against == Against::reference; });
}

}  // namespace fib::report
