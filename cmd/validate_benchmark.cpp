#include "validate_benchmark.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>

#include "bench/fetch_blobs.h"
#include "bench/run.h"
#include "commands.h"
#include "dataset/queries.h"
#include "devices.h"
#include "environment.h"
#include "progress.h"

namespace fib::cmd {
namespace {

using Benchmarks = std::map<std::string, validate::Benchmark>;

// Shows progress, and keeps what failed.
class Collector : public Progress {
 public:
  explicit Collector(Benchmarks& benchmarks) : Progress(usual_progress()), benchmarks_(benchmarks) {}

  void evaluation_finished(const bench::PlannedEvaluation& planned, const model::Evaluation& evaluation,
                           std::size_t done, std::size_t total) override {
    Progress::evaluation_finished(planned, evaluation, done, total);
    auto& runs = benchmarks_[planned.definition->name].baselines[planned.solution->name];
    ++runs.judged;
    if (evaluation.status == model::Status::PASSED) return;
    runs.failures.push_back(fmt::format("workload {}: {}: {}", planned.workload->uuid,
                                        model::name_of(evaluation.status),
                                        evaluation.log.substr(0, evaluation.log.find('\n'))));
  }

 private:
  Benchmarks& benchmarks_;
};

Benchmarks subjects(const dataset::Dataset& dataset, const std::vector<std::string>& definitions,
                    const bench::Plan& plan) {
  Benchmarks benchmarks;
  for (const auto& name : definitions) {
    const auto workloads = dataset.workloads.find(name);
    if (workloads != dataset.workloads.end()) benchmarks[name].workloads = workloads->second.size();
  }
  std::map<std::string, std::string> skipped;
  for (const auto& one : plan.skipped) skipped.emplace(one.solution, one.obstacle.why);
  for (const auto& [name, solution] : dataset.solutions) {
    if (solution.author != dataset::kUsualBaselineAuthor) continue;
    auto& benchmark = benchmarks[solution.definition];
    const auto reason = skipped.find(name);
    if (reason != skipped.end()) {
      benchmark.skipped.insert(*reason);
    } else {
      benchmark.baselines[name];
    }
  }
  return benchmarks;
}

}  // namespace

Benchmarks run_baselines(const std::filesystem::path& root, const std::vector<std::string>& definitions,
                         const std::vector<std::string>& words, std::atomic<bool>& interrupted) {
  const auto devices = choose_devices(words).devices;
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);  // a worker must not read the run's secret
  std::vector<dataset::Dataset> datasets;
  datasets.push_back(dataset::load(root, {.results = dataset::KeepResults::no}));
  bench::RunConfig config;
  config.warmup_runs = 2;
  config.iterations = 5;
  config.num_trials = 1;
  config.profile_baseline = false;
  const auto environment = environment_of(devices);
  auto plan = bench::make_plan(datasets, {.authors = {dataset::kUsualBaselineAuthor}},
                               {environment.kind(), environment.python, environment.tvm_ffi}, {});
  std::erase_if(plan.evaluations, [&](const bench::PlannedEvaluation& planned) {
    return std::find(definitions.begin(), definitions.end(), planned.definition->name) == definitions.end();
  });
  auto benchmarks = subjects(datasets[0], definitions, plan);
  if (plan.evaluations.empty()) return benchmarks;
  bench::fetch_blobs(
      plan, datasets, [](const std::string& text) { spdlog::info("{}", text); }, interrupted);
  Collector collector(benchmarks);
  bench::Session session(environment, interrupted);
  const auto report = bench::run(session, datasets, plan, bench::Sweep(config),
                                 {.version = FIB_VERSION, .save_results = false}, collector);
  if (report.interrupted) throw Error("interrupted; not all baselines were run");
  for (const auto& [planned, obstacle] : report.not_done)
    benchmarks[planned.definition->name].not_done.push_back(
        fmt::format("workload {}: {}", planned.workload->uuid, obstacle.why));
  return benchmarks;
}

}  // namespace fib::cmd
