#include "validate_strength.h"

#include <fmt/format.h>

#include <filesystem>

#include "bench/strength_check.h"
#include "devices.h"
#include "present/text.h"
#include "progress.h"
#include "validate_cases.h"

namespace fib::cmd {

validate::StrengthChecks judge_null_answers(const std::filesystem::path& root, std::size_t synthesize,
                                            const std::vector<std::string>& definitions,
                                            const std::atomic<bool>& interrupted) {
  const auto dataset = dataset::load(root, {.results = dataset::KeepResults::no});
  validate::StrengthChecks checks;
  const auto planned = plan_cases(dataset, definitions, synthesize, checks.definitions);
  if (planned.cases.empty()) return checks;
  // References run in the native engine, and nothing is built.
  const bench::Environment environment{
      choose_devices({"cpu"}).devices, std::filesystem::read_symlink("/proc/self/exe"), {}};
  bench::Session session(environment, interrupted);
  Progress progress(usual_progress());
  const bench::EngineCheckObserver observer{
      [&](const std::string& name) { progress.waiting_for_device(name); },
      [&](const bench::EngineCase& next, std::size_t done) {
        progress.step("judging null answers of " +
                          present::printable(fmt::format("{} {}", next.definition->name, next.workload.uuid)),
                      done, planned.cases.size());
      }};
  auto outcomes = bench::check_strength(session, planned.cases, {}, observer);
  for (std::size_t i = 0; i < planned.cases.size(); ++i) {
    auto& check = *planned.owners[i];
    if (i < outcomes.size()) {
      auto& outcome = outcomes[i];
      validate::StrengthRun run{planned.cases[i].workload.uuid,
                                sentence_of(outcome.problem),
                                {},
                                std::move(outcome.made),
                                outcome.tolerance};
      for (auto& one : outcome.passed) run.passed.push_back({one.answer, std::move(one.output)});
      check.runs.push_back(std::move(run));
    } else if (check.runs.empty()) {
      check.no_workloads = "interrupted before its workloads were judged";
    }
  }
  if (interrupted)
    checks.notes.push_back(interruption("workload-strength", outcomes.size(), planned.cases.size()));
  return checks;
}

}  // namespace fib::cmd
