#include "report/sol.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "dataset/ranking.h"
#include "util/error.h"

namespace fib::report {
namespace {

using dataset::Dataset;
using dataset::TraceRow;

// What the traces of one solution on one workload say.
struct Tried {
  const TraceRow* fastest = nullptr;  // of the passing traces with a latency
  bool failed = false;
  bool shown = false;  // a trace passes the whole filter
};

struct WorkloadTries {
  const model::Workload* workload = nullptr;
  std::size_t place = 0;  // in the order of the traces
  std::map<std::string, Tried> solutions;
};

using Workloads = std::map<std::string, WorkloadTries>;     // by uuid
using Definitions = std::map<std::string, Workloads>;       // by name
using HardwareGroups = std::map<std::string, Definitions>;  // by hardware
using Kinds = std::map<std::string, model::DeviceKind>;     // by hardware

double usable_latency(const TraceRow& trace) {
  const auto& performance = trace.evaluation->performance;
  return performance && dataset::is_latency(performance->latency_ms) ? performance->latency_ms : 0;
}

void add(WorkloadTries& group, const TraceRow& trace, bool shown) {
  Tried& tried = group.solutions[*trace.solution];
  tried.shown = tried.shown || shown;
  tried.failed = tried.failed || !trace.passed();
  if (!trace.passed() || usable_latency(trace) == 0) return;
  if (tried.fastest == nullptr || usable_latency(trace) < usable_latency(*tried.fastest))
    tried.fastest = &trace;
}

HardwareGroups collect(const Dataset& dataset, const dataset::Filter& filter, Kinds& kinds) {
  dataset::Filter wide = filter;
  wide.solutions.clear();
  wide.authors.clear();
  wide.statuses.clear();
  HardwareGroups groups;
  for (const TraceRow& trace : dataset.traces) {
    if (trace.solution == nullptr || !trace.evaluation || !wide.holds_trace(dataset, trace)) continue;
    const std::string& hardware = *trace.evaluation->hardware;
    kinds.emplace(hardware, trace.evaluation->device);
    Workloads& workloads = groups[hardware][*trace.definition];
    WorkloadTries& group = workloads[trace.workload->uuid];
    if (group.workload == nullptr) {
      group.workload = trace.workload;
      group.place = workloads.size();
    }
    add(group, trace, filter.holds_trace(dataset, trace));
  }
  return groups;
}

using Baselines = std::map<std::string, std::vector<const model::Solution*>>;  // by definition

Baselines baselines_of(const Dataset& dataset, const std::string& author) {
  Baselines baselines;
  for (const auto& [name, solution] : dataset.solutions) {
    if (solution.author == author) baselines[solution.definition].push_back(&solution);
  }
  return baselines;
}

// Nothing when there is none, or when it cannot be told which of several it is.
std::optional<std::string> baseline_of(const Baselines& baselines, const std::string& definition,
                                       model::DeviceKind kind) {
  const auto all = baselines.find(definition);
  if (all == baselines.end()) return std::nullopt;
  if (all->second.size() == 1) return all->second.front()->name;
  std::vector<std::string> able;
  for (const model::Solution* solution : all->second) {
    if (may_run_on(*solution, kind)) able.push_back(solution->name);
  }
  if (able.size() == 1) return able.front();
  return std::nullopt;
}

void compare(SolPoint& point, const Tried& tried, const Tried* baseline,
             const std::optional<roofline::Bound>& bound) {
  const auto& performance = tried.fastest->evaluation->performance;
  if (baseline != nullptr && baseline->fastest != nullptr) {
    point.baseline_ms = usable_latency(*baseline->fastest);
  } else if (dataset::is_latency(performance->reference_latency_ms)) {
    point.against = Against::reference;
    point.baseline_ms = performance->reference_latency_ms;
  }
  if (!bound) return;
  point.share = bound->ms / point.latency_ms;
  if (point.baseline_ms) point.score = roofline::sol_score(point.latency_ms, *point.baseline_ms, bound->ms);
}

void measure(WorkloadSol& result, const Dataset& dataset, const std::optional<roofline::Peak>& peak) {
  try {
    result.work = roofline::work_of(dataset.definitions.at(result.definition), *result.workload);
  } catch (const Error& error) {
    result.reason = error.what();
    return;
  }
  if (peak) result.bound = roofline::bound_of(*result.work, *peak);
}

WorkloadSol workload_sol(const Dataset& dataset, const std::string& definition, const WorkloadTries& group,
                         const std::optional<std::string>& baseline,
                         const std::optional<roofline::Peak>& peak) {
  WorkloadSol result;
  result.definition = definition;
  result.workload = group.workload;
  measure(result, dataset, peak);
  const auto base = baseline ? group.solutions.find(*baseline) : group.solutions.end();
  const Tried* compared = base != group.solutions.end() && !base->second.failed ? &base->second : nullptr;
  for (const auto& [name, tried] : group.solutions) {
    if (!tried.shown) continue;
    if (tried.failed) result.failed.push_back(name);
    if (tried.failed || tried.fastest == nullptr) continue;
    SolPoint point{name, author_of(dataset, name), usable_latency(*tried.fastest), {}, {}, Against::baseline,
                   {}};
    compare(point, tried, compared, result.bound);
    result.points.push_back(std::move(point));
  }
  std::stable_sort(result.points.begin(), result.points.end(),
                   [](const auto& left, const auto& right) { return left.latency_ms < right.latency_ms; });
  return result;
}

// The sums behind a SolutionSol.
struct Sums {
  double score = 0;
  double share = 0;
  std::size_t scores = 0;
  std::size_t shares = 0;
  std::size_t passed = 0;
  std::size_t failed = 0;
  std::size_t failed_with_bound = 0;
};

// Over `count` workloads with a number and the failed ones, which count 0.
std::optional<double> mean(double sum, std::size_t count, const Sums& sums) {
  const std::size_t all = count + sums.failed_with_bound;
  if (all == 0 || (count == 0 && sums.passed > 0)) return std::nullopt;
  return sum / static_cast<double>(all);
}

void add(std::map<std::string, Sums>& sums, const WorkloadSol& workload) {
  for (const SolPoint& point : workload.points) {
    Sums& own = sums[point.solution];
    ++own.passed;
    own.score += point.score.value_or(0);
    own.share += point.share.value_or(0);
    own.scores += point.score ? 1 : 0;
    own.shares += point.share ? 1 : 0;
  }
  for (const std::string& name : workload.failed) {
    ++sums[name].failed;
    sums[name].failed_with_bound += workload.bound ? 1 : 0;
  }
}

void add_solutions(HardwareSol& result, const Dataset& dataset, const std::string& definition,
                   std::size_t first_workload) {
  std::map<std::string, Sums> sums;
  for (std::size_t i = first_workload; i < result.workloads.size(); ++i) add(sums, result.workloads[i]);
  const std::size_t first = result.solutions.size();
  for (const auto& [name, own] : sums) {
    result.solutions.push_back({definition, name, author_of(dataset, name), mean(own.score, own.scores, own),
                                mean(own.share, own.shares, own), own.passed, own.passed + own.failed});
  }
  const auto key = [](const SolutionSol& solution) {
    return std::tuple(-solution.mean_score.value_or(-1), -solution.mean_share.value_or(-1));
  };
  std::stable_sort(result.solutions.begin() + static_cast<std::ptrdiff_t>(first), result.solutions.end(),
                   [&](const auto& left, const auto& right) { return key(left) < key(right); });
}

std::optional<roofline::Peak> peak_for(const std::string& hardware, const SolQuestion& question) {
  std::optional<roofline::Peak> peak = roofline::peak_of(hardware);
  if (!question.bytes_per_s && !question.flops_per_s) return peak;
  if (!peak) peak = roofline::Peak{};
  if (question.bytes_per_s) peak->bytes_per_s = *question.bytes_per_s;
  if (const auto& rate = question.flops_per_s)
    peak = roofline::Peak{peak->bytes_per_s, *rate, *rate, *rate, *rate, *rate, *rate, *rate};
  return peak;
}

bool is_shown(const WorkloadTries& group) {
  return std::any_of(group.solutions.begin(), group.solutions.end(),
                     [](const auto& solution) { return solution.second.shown; });
}

std::vector<const WorkloadTries*> in_order(const Workloads& workloads) {
  std::vector<const WorkloadTries*> groups;
  for (const auto& [uuid, group] : workloads) {
    if (is_shown(group)) groups.push_back(&group);
  }
  std::sort(groups.begin(), groups.end(),
            [](const WorkloadTries* left, const WorkloadTries* right) { return left->place < right->place; });
  return groups;
}

}  // namespace

SolReport sol_report(const Dataset& dataset, const SolQuestion& question) {
  SolReport report{dataset.root.string(), {}, !dataset.traces.empty(), question.baseline_author, {}};
  const Baselines baselines = baselines_of(dataset, question.baseline_author);
  Kinds kinds;
  for (const auto& [hardware, definitions] : collect(dataset, question.filter, kinds)) {
    HardwareSol result{hardware, peak_for(hardware, question), {}, {}, {}};
    for (const auto& [name, workloads] : definitions) {
      const auto groups = in_order(workloads);
      if (groups.empty()) continue;
      if (!dataset.definitions.contains(name)) {
        result.unknown.push_back(name);
        continue;
      }
      const std::size_t first = result.workloads.size();
      const auto baseline = baseline_of(baselines, name, kinds.at(hardware));
      for (const WorkloadTries* group : groups)
        result.workloads.push_back(workload_sol(dataset, name, *group, baseline, result.peak));
      add_solutions(result, dataset, name, first);
    }
    if (!result.workloads.empty() || !result.unknown.empty()) report.hardware.push_back(std::move(result));
  }
  return report;
}

bool uses_references(const SolReport& report) {
  for (const HardwareSol& hardware : report.hardware) {
    for (const WorkloadSol& workload : hardware.workloads) {
      for (const SolPoint& point : workload.points) {
        if (point.against == Against::reference && point.baseline_ms) return true;
      }
    }
  }
  return false;
}

}  // namespace fib::report
