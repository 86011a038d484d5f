#include "eval_outcome.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <set>

#include "bench/fetch_blobs.h"
#include "eval_references.h"
#include "eval_results.h"
#include "present/text.h"
#include "util/clock.h"

namespace fib::cmd {
namespace {

using Traces = std::map<std::string, std::vector<model::Trace>>;  // by solution

// What a solution is compared with may fail, and need not run here: that is no failure of the try.
ExitCode exit_code_of(const bench::Plan& plan, const bench::RunReport& report, const Traces& traces,
                      const std::vector<std::string>& tried) {
  RunOutcome outcome;
  for (const std::string& name : tried) {
    const auto found = traces.find(name);
    if (found == traces.end()) continue;
    outcome.results += found->second.size();
    for (const model::Trace& trace : found->second) outcome.failures += trace.passed() ? 0 : 1;
  }
  const auto is_tried = [&](const std::string& name) {
    return std::find(tried.begin(), tried.end(), name) != tried.end();
  };
  outcome.skipped = static_cast<std::size_t>(std::count_if(
      plan.skipped.begin(), plan.skipped.end(), [&](const auto& one) { return is_tried(one.solution); }));
  outcome.not_done = static_cast<std::size_t>(
      std::count_if(report.not_done.begin(), report.not_done.end(),
                    [&](const auto& one) { return is_tried(one.planned.solution->name); }));
  outcome.is_interrupted = report.interrupted;
  return judge_run(outcome, {true, false, std::nullopt}).exit_code;
}

void log_problems(const bench::Plan& plan, const bench::RunReport& report) {
  for (const auto& skipped : plan.skipped) spdlog::error("{}: {}", skipped.solution, skipped.obstacle.why);
  for (const auto& missing : report.not_done) {
    spdlog::error("not done: {} {}: {}", missing.planned.solution->name, missing.planned.workload->uuid,
                  missing.obstacle.why);
  }
  if (!report.ended_early.empty()) spdlog::error("{}", report.ended_early);
}

// The workload with the fewest elements, as far as its axes tell.
const model::Workload& smallest(const std::vector<model::Workload>& workloads) {
  const auto size = [](const model::Workload& workload) {
    double product = 1;
    for (const auto& [axis, value] : workload.axes)
      product *= value.fits() ? static_cast<double>(value.value) : 1e18;
    return product;
  };
  return *std::min_element(workloads.begin(), workloads.end(),
                           [&](const auto& left, const auto& right) { return size(left) < size(right); });
}

// A first look: the smallest workload of each definition, with the fewest calls that a trial can have.
std::vector<dataset::Dataset> with_smallest(std::vector<dataset::Dataset> datasets) {
  for (dataset::Dataset& dataset : datasets) {
    for (auto& [definition, workloads] : dataset.workloads) {
      if (!workloads.empty()) workloads = {smallest(workloads)};
    }
  }
  return datasets;
}

bench::RunConfig with_few_calls(bench::RunConfig config) {
  config.noise.reset();
  config.warmup_runs = 0;
  config.num_trials = 1;
  config.iterations = 3;
  return config;
}

struct Ran {
  bench::RunReport report;
  Traces traces;
};

Ran run_plan(bench::Session& session, const std::vector<dataset::Dataset>& datasets, const bench::Plan& plan,
             const bench::RunConfig& config, const bench::RunRequest& request, ProgressLine line) {
  EvalProgress progress(line);
  Ran ran;
  if (!plan.evaluations.empty())
    ran.report = bench::run(session, datasets, plan, bench::Sweep(config), request, progress);
  progress.clear();
  ran.traces = progress.traces();
  return ran;
}

// Whether torch should be asked: the native engine could not evaluate a reference, or found values wrong of
// which torch may think otherwise (of equals, topk takes others on a GPU).
bool is_for_torch(const Ran& ran) {
  const auto& not_done = ran.report.not_done;
  const auto is_of_reference = [](const auto& one) {
    const auto code = one.obstacle.code;
    return code == model::ObstacleCode::unsupported_reference ||
           model::facts_of(code).fault == model::Fault::dataset;
  };
  const auto is_wrong = [](const model::Trace& trace) {
    return trace.evaluation->status == model::Status::INCORRECT_NUMERICAL;
  };
  return std::any_of(not_done.begin(), not_done.end(), is_of_reference) ||
         std::any_of(ran.traces.begin(), ran.traces.end(), [&](const auto& of_solution) {
           return std::any_of(of_solution.second.begin(), of_solution.second.end(), is_wrong);
         });
}

// Where the choice of an engine is left to fib, and the times of all references are known, without the import
// of torch: the native engine makes the expected outputs. Torch has the last word. Traces that a dataset
// keeps measure their references themselves.
Ran run_with_earlier(bench::Session& session, const std::vector<dataset::Dataset>& datasets,
                     const bench::Plan& plan, const bench::RunConfig& config,
                     const bench::RunRequest& request, ProgressLine line) {
  if (config.reference == bench::ReferenceEngine::kAuto && !request.save_results) {
    bench::RunRequest with_earlier = request;
    with_earlier.earlier_references =
        read_references(plan, datasets, config, session.environment(), util::now_us());
    bench::RunConfig native = config;
    native.reference = bench::ReferenceEngine::kNative;
    if (!with_earlier.earlier_references.empty()) {
      Ran ran = run_plan(session, datasets, plan, native, with_earlier, line);
      if (!is_for_torch(ran) || session.interrupted()) return ran;
    }
  }
  return run_plan(session, datasets, plan, config, request, line);
}

EvalOutcome evaluate(bench::Session& session, const std::vector<dataset::Dataset>& datasets,
                     const std::vector<std::string>& tried, const bench::RunConfig& config,
                     const bench::RunRequest& request, ProgressLine line) {
  const auto& environment = session.environment();
  const std::int64_t begin_ns = util::monotonic_ns();
  const auto plan = bench::make_plan(
      datasets, {}, {environment.kind(), environment.python, environment.tvm_ffi, config.torch}, {});
  const double plan_ms = util::in_ms(util::monotonic_ns() - begin_ns);
  bench::fetch_blobs(
      plan, datasets, [](const std::string& text) { spdlog::info("{}", text); }, session.interrupted());
  auto [report, traces] = run_with_earlier(session, datasets, plan, config, request, line);
  log_problems(plan, report);
  const ExitCode exit_code = exit_code_of(plan, report, traces, tried);
  EvalOutcome outcome{exit_code, std::move(traces), {}, {}, plan_ms, report.not_begun, {}};
  for (const auto& skipped : plan.skipped) outcome.skipped.push_back({skipped.solution, skipped.obstacle});
  for (const auto& missing : report.not_done)
    outcome.not_done.push_back(
        {missing.planned.solution->name, missing.planned.workload->uuid, missing.obstacle});
  return outcome;
}

// The datasets with these solutions alone.
std::vector<dataset::Dataset> with_solutions(std::vector<dataset::Dataset> datasets,
                                             const std::set<std::string>& names) {
  for (dataset::Dataset& dataset : datasets)
    std::erase_if(dataset.solutions, [&](const auto& one) { return !names.contains(one.first); });
  return datasets;
}

// The second stage of a cascade: all workloads, for the solutions that passed the first. Of the others
// `outcome` keeps what the first stage found.
void go_on(bench::Session& session, const EvalInputs& inputs, const bench::RunConfig& config,
           const bench::RunRequest& request, ProgressLine line, EvalOutcome& outcome) {
  std::set<std::string> passed;
  for (const auto& [name, traces] : outcome.traces) {
    if (report::summarize(traces).status == model::Status::PASSED) passed.insert(name);
  }
  const bool is_any_tried = std::any_of(inputs.tried.begin(), inputs.tried.end(),
                                        [&](const std::string& name) { return passed.contains(name); });
  if (!is_any_tried) return;
  spdlog::info("{} passed {} smallest workload", present::plural(passed.size(), "solution"),
               passed.size() == 1 ? "its" : "their");
  auto rest = evaluate(session, with_solutions(inputs.datasets, passed), inputs.tried, config, request, line);
  for (const std::string& name : passed) outcome.traces.erase(name);
  outcome.traces.merge(rest.traces);
  outcome.not_done.insert(outcome.not_done.end(), rest.not_done.begin(), rest.not_done.end());
  outcome.not_begun += rest.not_begun;
  const bool is_worse = rest.exit_code == kInterrupted || rest.exit_code == kNotAllDone;
  if (outcome.exit_code == kDone || is_worse) outcome.exit_code = rest.exit_code;
}

}  // namespace

EvalOutcome evaluate_all(bench::Session& session, const EvalInputs& inputs, Stages stages,
                         const bench::RunConfig& config, const bench::RunRequest& request,
                         ProgressLine line) {
  if (stages == Stages::kOne) return evaluate(session, inputs.datasets, inputs.tried, config, request, line);
  EvalOutcome outcome = evaluate(session, with_smallest(inputs.datasets), inputs.tried,
                                 with_few_calls(config), request, ProgressLine::none);
  outcome.smallest = outcome.traces;
  if (outcome.exit_code != kInterrupted) go_on(session, inputs, config, request, line, outcome);
  return outcome;
}

}  // namespace fib::cmd
