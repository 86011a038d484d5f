#include "report/best.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "model/workload_order.h"
#include "util/find.h"

namespace fib::report {
namespace {

using dataset::TraceRow;

double speedup(const TraceRow& trace) {
  return trace.evaluation->performance ? trace.evaluation->performance->speedup_factor : 0;
}

double latency(const TraceRow& trace) {
  return trace.evaluation->performance ? trace.evaluation->performance->latency_ms : 0;
}

bool is_better(const TraceRow& trace, const TraceRow& best) {
  if (speedup(trace) != speedup(best)) return speedup(trace) > speedup(best);
  return latency(trace) > 0 && (latency(best) <= 0 || latency(trace) < latency(best));
}

// Who shares the first rank with the one that is named.
std::vector<std::string> ties_with(const std::string& winner,
                                   const std::vector<dataset::RankedSolution>& ranking) {
  std::vector<std::string> ties;
  for (const auto& one : ranking) {
    if (one.rank == 1 && one.solution != winner) ties.push_back(one.solution);
  }
  return ties;
}

class Finder {
 public:
  Finder(const dataset::Dataset& dataset, const dataset::Queries& queries, const BestOptions& options)
      : dataset_(dataset), queries_(queries), options_(options) {}

  std::vector<Best> find() {
    for (const std::string& definition : definitions()) {
      if (options_.best_of == BestOf::definition && !options_.selection.every_trace) {
        best_.push_back(winner_of(definition));
      } else if (options_.best_of == BestOf::definition) {
        add(definition, std::nullopt, best_of_definition(definition));
      } else {
        add_workloads(definition);
      }
    }
    return std::move(best_);
  }

 private:
  [[nodiscard]] std::set<std::string> definitions() const {
    std::set<std::string> names;
    for (const TraceRow& trace : dataset_.traces) {
      if (options_.selection.holds(dataset_, trace)) names.insert(*trace.definition);
    }
    return names;
  }

  // The valid traces of a definition, in file order.
  [[nodiscard]] std::vector<const TraceRow*> valid(const std::string& definition) const {
    std::vector<const TraceRow*> traces;
    for (const TraceRow& trace : dataset_.traces) {
      if (*trace.definition != definition || !trace.passed() || trace.solution == nullptr) continue;
      if (options_.selection.holds(dataset_, trace) && dataset::has_axes(*trace.workload, options_.axes) &&
          is_exact(trace)) {
        traces.push_back(&trace);
      }
    }
    return traces;
  }

  [[nodiscard]] bool is_exact(const TraceRow& trace) const {
    const auto& correctness = trace.evaluation->correctness;
    return !options_.limits ||
           (correctness && correctness->max_absolute_error <= options_.limits->max_absolute &&
            correctness->max_relative_error <= options_.limits->max_relative);
  }

  [[nodiscard]] const TraceRow* best_of_definition(const std::string& definition) const {
    const TraceRow* best =
        queries_.best_trace(definition, options_.axes, options_.limits, options_.selection.hardware);
    if (best == nullptr || speedup(*best) > 0) return best;
    for (const TraceRow* trace : valid(definition)) {
      if (is_better(*trace, *best)) best = trace;
    }
    return best;
  }

  [[nodiscard]] std::optional<std::string> author_of(const std::string& solution) const {
    const auto found = dataset_.solutions.find(solution);
    return found != dataset_.solutions.end() ? std::optional(found->second.author) : std::nullopt;
  }

  // A result beyond the limits of errors counts as one that did not pass.
  [[nodiscard]] Best winner_of(const std::string& definition) const {
    dataset::Contest contest;
    std::map<std::string, std::vector<const TraceRow*>> rows;
    for (const TraceRow& trace : dataset_.traces) {
      if (*trace.definition != definition || trace.solution == nullptr || !trace.evaluation) continue;
      if (!options_.selection.holds(dataset_, trace) || !dataset::has_axes(*trace.workload, options_.axes))
        continue;
      contest.add(*trace.solution, trace.workload->uuid,
                  {trace.passed() && is_exact(trace), latency(trace), trace.evaluation->interval});
      rows[*trace.solution].push_back(&trace);
    }
    Best best{definition, std::nullopt, nullptr, std::nullopt, std::nullopt, ""};
    const auto ranking = contest.ranking();
    if (ranking.empty()) return best;
    const dataset::RankedSolution& first = ranking.front();
    if (!first.rank) {
      best.reason = first.passed == 0 ? "no solution passed"
                                      : fmt::format("no solution passed all {} workloads; {} passed {}",
                                                    first.workloads, first.solution, first.passed);
      return best;
    }
    Winner winner = with_measures(first, rows.at(first.solution));
    winner.ties = ties_with(first.solution, ranking);
    if (ranking.size() > 1 && ranking[1].rank) {
      winner.second = ranking[1].solution;
      winner.lead = *ranking[1].latency_ms / *first.latency_ms;
    }
    best.author = author_of(first.solution);
    best.winner = std::move(winner);
    return best;
  }

  static Winner with_measures(const dataset::RankedSolution& result,
                              const std::vector<const TraceRow*>& rows) {
    Winner winner;
    winner.result = result;
    dataset::MeanSpeedup mean;
    for (const TraceRow* row : rows) {
      if (speedup(*row) > 0) mean.add(speedup(*row), row->evaluation->performance->speedup_range);
      const auto& errors = row->evaluation->correctness;
      if (!errors) continue;
      winner.max_absolute_error = std::max(winner.max_absolute_error.value_or(0), errors->max_absolute_error);
      winner.max_relative_error = std::max(winner.max_relative_error.value_or(0), errors->max_relative_error);
    }
    if (mean.count() < rows.size()) return winner;
    winner.speedup = mean.geometric_mean();
    winner.speedup_range = mean.geometric_range();
    return winner;
  }

  [[nodiscard]] bool is_lower(const TraceRow& trace, const TraceRow& best) const {
    if (options_.selection.every_trace) return is_better(trace, best);
    return latency(trace) > 0 && (latency(best) <= 0 || latency(trace) < latency(best));
  }

  void add_workloads(const std::string& definition) {
    std::vector<std::string> order;
    std::map<std::string, const TraceRow*> best;
    std::map<std::string, dataset::Contest> contests;  // by workload, as `best`
    for (const TraceRow* trace : valid(definition)) {
      contests[trace->workload->uuid].add(*trace->solution, trace->workload->uuid,
                                          {true, latency(*trace), trace->evaluation->interval});
      const auto [entry, is_new] = best.emplace(trace->workload->uuid, trace);
      if (is_new) order.push_back(trace->workload->uuid);
      if (is_lower(*trace, *entry->second)) entry->second = trace;
    }
    const auto* axes = util::find_or_null(dataset_.definitions, definition);
    std::sort(order.begin(), order.end(), [&](const std::string& left, const std::string& right) {
      return model::is_smaller(axes, *best.at(left)->workload, *best.at(right)->workload);
    });
    for (const std::string& uuid : order) {
      add(definition, uuid, best.at(uuid));
      if (!options_.selection.every_trace)
        best_.back().ties = ties_with(*best.at(uuid)->solution, contests.at(uuid).ranking());
    }
    if (order.empty()) add(definition, std::nullopt, nullptr);
  }

  void add(const std::string& definition, std::optional<std::string> workload, const TraceRow* trace) {
    Best best{definition, std::move(workload), trace, std::nullopt, std::nullopt, ""};
    if (trace != nullptr) best.author = author_of(*trace->solution);
    best_.push_back(std::move(best));
  }

  const dataset::Dataset& dataset_;
  const dataset::Queries& queries_;
  const BestOptions& options_;
  std::vector<Best> best_;
};

}  // namespace

std::vector<Best> find_best(const dataset::Dataset& dataset, const dataset::Queries& queries,
                            const BestOptions& options) {
  return Finder(dataset, queries, options).find();
}

std::vector<std::string> untried_definitions(const dataset::Dataset& dataset, const Selection& selection) {
  std::set<std::string> tried;
  for (const TraceRow& trace : dataset.traces) tried.insert(*trace.definition);
  std::vector<std::string> untried;
  for (const auto& [name, definition] : dataset.definitions) {
    if (!tried.contains(name) && selection.holds_definition(dataset, name)) untried.push_back(name);
  }
  return untried;
}

}  // namespace fib::report
