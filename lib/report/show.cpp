#include "report/show.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "dataset/ranking.h"
#include "dataset/runs.h"
#include "dataset/standing.h"
#include "dataset/trace_stream.h"
#include "model/workload_order.h"
#include "present/text.h"
#include "report/details.h"
#include "report/outcomes.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/find.h"

namespace fib::report {
namespace {

using dataset::Dataset;
using dataset::Filter;
using model::Trace;
using Unreadable = std::vector<std::string>;

// Traces without a readable time are the oldest.
std::int64_t time_of(const Trace& trace) {
  return util::parse_timestamp(trace.evaluation->timestamp)
      .value_or(std::numeric_limits<std::int64_t>::min());
}

std::optional<double> latency_of(const Trace& trace) {
  const auto& performance = trace.evaluation->performance;
  if (!trace.passed() || !performance || !std::isfinite(performance->latency_ms)) return std::nullopt;
  if (performance->latency_ms <= 0) return std::nullopt;
  return performance->latency_ms;
}

// The filter without what names records.
Filter about_results(const Filter& filter) {
  Filter kept = filter;
  kept.definitions.clear();
  kept.solutions.clear();
  return kept;
}

// Every result of the dataset that has a solution and passes the filter, its speedup as reports have it.
void for_each_result(const Dataset& dataset, const Filter& filter, Unreadable& unreadable,
                     const std::function<void(const Trace&)>& visit) {
  dataset::for_each_trace(dataset, filter, unreadable, [&](const Trace& trace) {
    if (!trace.solution || !trace.evaluation) return;
    if (!filter.standing) return visit(trace);
    dataset::TraceRow row = dataset.pool->row(trace);
    filter.standing->settle_reference(row);
    if (!row.evaluation->performance) return visit(trace);
    Trace settled = trace;
    settled.evaluation->performance->reference_latency_ms = row.evaluation->performance->reference_latency_ms;
    settled.evaluation->performance->speedup_factor = row.evaluation->performance->speedup_factor;
    visit(settled);
  });
}

// Of a result's speedup; nothing where every trace counts, or the times of its reference are not known.
std::optional<dataset::SpeedupRange> speedup_range_of(const Dataset& dataset, const Filter& filter,
                                                      const Trace& trace) {
  if (!filter.standing) return std::nullopt;
  dataset::TraceRow row = dataset.pool->row(trace);
  filter.standing->settle_reference(row);
  const auto& performance = row.evaluation->performance;
  return performance ? performance->speedup_range : std::nullopt;
}

enum class Logs { none, of_failures };

// The latest trace of each key, ties by place in the files; in the order in which the keys were met.
class Latest {
 public:
  using Key = std::tuple<std::string, std::string, std::string>;  // solution, uuid, hardware

  // Logs are kept where they are asked for.
  void add(Trace trace, Logs logs) {
    if (logs == Logs::none || (logs == Logs::of_failures && trace.passed())) trace.evaluation->log.clear();
    const Key key{*trace.solution, trace.workload.uuid, trace.evaluation->environment.hardware};
    const auto [entry, is_new] = places_.emplace(key, traces_.size());
    if (is_new) {
      traces_.push_back(std::move(trace));
    } else if (time_of(trace) >= time_of(traces_[entry->second])) {
      traces_[entry->second] = std::move(trace);
    }
  }

  [[nodiscard]] const std::vector<Trace>& traces() const { return traces_; }
  [[nodiscard]] std::vector<Shown> shown(const Dataset& dataset, const Filter& filter) const {
    std::vector<Shown> result;
    for (const Trace& trace : traces_)
      result.push_back(
          {trace, author_of(dataset, *trace.solution), speedup_range_of(dataset, filter, trace)});
    return result;
  }

 private:
  std::map<Key, std::size_t> places_;
  std::vector<Trace> traces_;
};

// A hardware's solutions.
struct HardwareContest {
  dataset::Contest contest;
  std::map<std::string, Tally> tallies;  // by solution

  void add(const Trace& trace) {
    const auto& performance = trace.evaluation->performance;
    contest.add(
        *trace.solution, trace.workload.uuid,
        {trace.passed(), performance ? performance->latency_ms : 0, interval_share(*trace.evaluation)});
    Tally& tally = tallies[*trace.solution];
    if (!trace.passed()) {
      ++tally.failed;
      return;
    }
    ++tally.passed;
    const auto latency = latency_of(trace);
    if (latency && (!tally.best_ms || *latency < *tally.best_ms)) tally.best_ms = latency;
  }
};

std::vector<Tally> tallies_of(const Dataset& dataset, const std::vector<Trace>& traces) {
  std::map<std::string, HardwareContest> groups;  // by hardware
  for (const Trace& trace : traces) groups[trace.evaluation->environment.hardware].add(trace);
  std::vector<Tally> tallies;
  for (const auto& [hardware, group] : groups) {
    for (const auto& ranked : group.contest.ranking()) {
      Tally tally = group.tallies.at(ranked.solution);
      tally.solution = ranked.solution;
      tally.rank = ranked.rank;
      tally.author = author_of(dataset, ranked.solution);
      tally.hardware = hardware;
      tally.mean_ms = ranked.latency_ms;
      tallies.push_back(std::move(tally));
    }
  }
  return tallies;
}

// What a uuid, or its beginning, may mean: definition and workload.
struct Meanings {
  std::string wanted;
  std::map<std::pair<std::string, std::string>, model::Workload> found;  // by definition and uuid

  void offer(const std::string& definition, const model::Workload& workload) {
    const bool fits = workload.uuid == wanted ||
                      (wanted.size() >= kShortestUuidPrefix && workload.uuid.starts_with(wanted));
    if (fits) found.emplace(std::pair(definition, workload.uuid), workload);
  }

  // A whole uuid means nothing that only begins with it.
  void settle() {
    const auto is_whole = [&](const auto& entry) { return entry.first.second == wanted; };
    if (std::none_of(found.begin(), found.end(), is_whole)) return;
    std::erase_if(found, [&](const auto& entry) { return entry.first.second != wanted; });
  }

  // Throws Error when it means several.
  [[nodiscard]] bool means_one() const {
    if (found.size() <= 1) return !found.empty();
    std::vector<std::string> lines;
    for (const auto& [key, workload] : found)
      lines.push_back(present::printable(key.second + " of " + key.first));
    throw Error("\"{}\" means {} workloads; write more of the uuid, or --definitions:{}", wanted,
                found.size(), dataset::first_lines(lines));
  }
};

void check_length(const std::string& uuid) {
  if (uuid.size() < kShortestUuidPrefix)
    throw Error("no workload has the uuid \"{}\"; at least {} characters of a uuid are needed", uuid,
                kShortestUuidPrefix);
}

Meanings meanings_of(const Dataset& dataset, const std::string& uuid, const Filter& filter,
                     Unreadable& unreadable) {
  Meanings meanings{uuid, {}};
  for (const auto& [definition, workloads] : dataset.workloads) {
    if (!filter.holds_definition(dataset, definition)) continue;
    for (const model::Workload& workload : workloads) meanings.offer(definition, workload);
  }
  if (meanings.found.empty()) {
    dataset::for_each_trace(dataset, filter, unreadable,
                            [&](const Trace& trace) { meanings.offer(trace.definition, trace.workload); });
  }
  meanings.settle();
  return meanings;
}

}  // namespace

std::optional<DefinitionView> show_definition(const Dataset& dataset, const std::string& name,
                                              const Filter& filter, Unreadable& unreadable) {
  const auto found = dataset.definitions.find(name);
  if (found == dataset.definitions.end()) return std::nullopt;
  Filter wanted = about_results(filter);
  wanted.definitions = {name};
  wanted.solutions = filter.solutions;
  wanted.statuses.clear();  // solutions are ranked by all of their results
  Latest latest;
  std::set<std::string> tried;
  std::set<std::pair<std::string, std::string>> listed;  // solution and hardware
  for_each_result(dataset, wanted, unreadable, [&](const Trace& trace) {
    if (trace.definition != name) return;
    tried.insert(*trace.solution);
    if (dataset::matches_status(filter.statuses, trace.evaluation->status))
      listed.emplace(*trace.solution, trace.evaluation->environment.hardware);
    latest.add(trace, Logs::none);
  });
  DefinitionView view{dataset.root.string(), &found->second, 0, tallies_of(dataset, latest.traces())};
  std::erase_if(view.tallies, [&](const Tally& tally) {
    return !listed.contains({tally.solution, tally.hardware});
  });
  const auto workloads = dataset.workloads.find(name);
  if (workloads != dataset.workloads.end()) view.workloads = workloads->second.size();
  for (const auto& [solution, document] : dataset.solutions) {
    if (wanted.holds_solution(dataset, document) && !tried.contains(solution))
      view.untried.push_back(solution);
  }
  return view;
}

namespace {

// Whatever filters hold, and whether it counts.
bool has_any_result(const Dataset& dataset, const std::string& solution, Unreadable& unreadable) {
  Filter all;
  all.solutions = {solution};
  bool found = false;
  for_each_result(dataset, all, unreadable,
                  [&](const Trace& trace) { found = found || *trace.solution == solution; });
  return found;
}

void tell_skipped(SolutionView& view, const Dataset& dataset) {
  std::vector<dataset::Problem> problems;
  for (const auto& run : dataset::read_runs(dataset.root, problems)) {
    for (const auto* list : {&run.skipped, &run.in_vain}) {
      for (const auto& one : *list) {
        if (one.solution != view.solution->name) continue;
        view.skipped_by = run.run_id;
        view.skipped_why = one.reason;
      }
    }
  }
}

}  // namespace

std::optional<SolutionView> show_solution(const Dataset& dataset, const std::string& name,
                                          const Filter& filter, Unreadable& unreadable) {
  const auto found = dataset.solutions.find(name);
  if (found == dataset.solutions.end()) return std::nullopt;
  Filter wanted = about_results(filter);
  wanted.solutions = {name};
  Latest latest;
  for_each_result(dataset, wanted, unreadable, [&](const Trace& trace) {
    if (*trace.solution == name) latest.add(trace, Logs::of_failures);
  });
  SolutionView view{dataset.root.string(), &found->second, latest.shown(dataset, wanted)};
  const auto* definition = util::find_or_null(dataset.definitions, found->second.definition);
  std::stable_sort(view.results.begin(), view.results.end(), [&](const Shown& left, const Shown& right) {
    const auto& on_left = left.trace.evaluation->environment.hardware;
    const auto& on_right = right.trace.evaluation->environment.hardware;
    if (on_left != on_right) return on_left < on_right;
    return model::is_smaller(definition, left.trace.workload, right.trace.workload);
  });
  if (view.results.empty() && !has_any_result(dataset, name, unreadable)) tell_skipped(view, dataset);
  return view;
}

std::optional<WorkloadView> show_workload(const Dataset& dataset, const std::string& uuid,
                                          const Filter& filter, Unreadable& unreadable) {
  const Meanings meanings = meanings_of(dataset, uuid, filter, unreadable);
  if (meanings.found.empty()) check_length(uuid);
  if (!meanings.means_one()) return std::nullopt;
  const auto& [key, workload] = *meanings.found.begin();
  WorkloadView view{dataset.root.string(), key.first, workload, {}};
  Filter wanted = about_results(filter);
  wanted.definitions = {view.definition};
  wanted.solutions = filter.solutions;
  Latest latest;
  for_each_result(dataset, wanted, unreadable, [&](const Trace& trace) {
    if (trace.definition == view.definition && trace.workload.uuid == view.workload.uuid)
      latest.add(trace, Logs::none);
  });
  view.results = latest.shown(dataset, wanted);
  const auto order = [](const Shown& shown) {
    const double latency = latency_of(shown.trace).value_or(std::numeric_limits<double>::infinity());
    return std::tuple(shown.trace.evaluation->environment.hardware, !shown.trace.passed(), latency,
                      *shown.trace.solution);
  };
  std::stable_sort(view.results.begin(), view.results.end(),
                   [&](const Shown& left, const Shown& right) { return order(left) < order(right); });
  return view;
}

std::optional<TraceView> show_trace(const Dataset& dataset, const std::string& solution,
                                    const std::string& uuid, const Filter& filter, Unreadable& unreadable,
                                    std::vector<std::string>& tried) {
  Filter wanted = about_results(filter);
  wanted.solutions = {solution};
  Meanings meanings{uuid, {}};
  std::set<std::string> uuids;
  std::vector<Trace> traces;
  for_each_result(dataset, wanted, unreadable, [&](const Trace& trace) {
    if (*trace.solution != solution) return;
    uuids.insert(trace.workload.uuid);
    meanings.offer(trace.definition, trace.workload);
    if (meanings.found.contains({trace.definition, trace.workload.uuid})) traces.push_back(trace);
  });
  meanings.settle();
  tried.insert(tried.end(), uuids.begin(), uuids.end());
  if (!meanings.means_one()) return std::nullopt;
  const auto& key = meanings.found.begin()->first;
  std::erase_if(traces, [&](const Trace& trace) {
    return trace.definition != key.first || trace.workload.uuid != key.second;
  });
  std::stable_sort(traces.begin(), traces.end(),
                   [](const Trace& left, const Trace& right) { return time_of(left) < time_of(right); });
  return TraceView{dataset.root.string(), solution, author_of(dataset, solution), key.second,
                   std::move(traces)};
}

}  // namespace fib::report
