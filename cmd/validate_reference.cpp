#include "validate_reference.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "bench/engine_check.h"
#include "bench/python_code.h"
#include "commands.h"
#include "dataset/load.h"
#include "devices.h"
#include "environment.h"
#include "present/text.h"
#include "progress.h"
#include "validate_cases.h"

namespace fib::cmd {
namespace {

using validate::ReferenceCheck;
using validate::ReferenceChecks;
using validate::ReferenceRun;

ReferenceRun run_of(const bench::EngineCase& one, bench::EngineOutcome outcome) {
  ReferenceRun run;
  run.workload = one.workload.uuid;
  run.problem = sentence_of(outcome.problem);
  run.made = std::move(outcome.made);
  run.native = {sentence_of(outcome.native.error), outcome.native.best_ms};
  run.tied_rows = outcome.native.tied_rows;
  run.python = {sentence_of(outcome.python.error), outcome.python.best_ms};
  for (auto& output : outcome.outputs)
    run.outputs.push_back({std::move(output.name), std::move(output.shape), std::move(output.difference)});
  return run;
}

std::string note_of(const bench::EngineReport& report, const bench::LaneDevice& device) {
  const auto named = [](const std::string& engine, const char* kind) {
    return engine.empty() ? fmt::format("the {} engine", kind) : engine;
  };
  return fmt::format("the reference check compares {} with {}, {}", named(report.native, "native"),
                     named(report.python, "Python"),
                     device.is_cuda()
                         ? fmt::format("the first with tensors in host memory, the second on {}", device.name)
                         : "both on the CPU");
}

}  // namespace

ReferenceChecks compare_engines(const ReferenceOptions& options, const std::vector<std::string>& definitions,
                                const std::atomic<bool>& interrupted) {
  const auto device =
      choose_devices(options.devices.empty() ? std::vector<std::string>{"cpu"} : options.devices)
          .devices.front();
  auto environment = environment_of({device});
  if (const auto why = bench::why_no_torch(environment.python, device.is_cuda()); !why.empty()) {
    throw Error("the reference check needs a Python with torch: {}; FIB_PYTHON names another", why);
  }
  const auto dataset = dataset::load(options.root, {.results = dataset::KeepResults::no});
  ReferenceChecks checks;
  const auto planned = plan_cases(dataset, definitions, options.synthesize, checks.definitions);
  if (planned.cases.empty()) return checks;
  bench::Session session(std::move(environment), interrupted);
  Progress progress(usual_progress());
  const bench::EngineCheckObserver observer{
      [&](const std::string& name) { progress.waiting_for_device(name); },
      [&](const bench::EngineCase& next, std::size_t done) {
        progress.step("comparing " +
                          present::printable(fmt::format("{} {}", next.definition->name, next.workload.uuid)),
                      done, planned.cases.size());
      }};
  auto report = bench::check_engines(session, planned.cases, observer);
  for (std::size_t i = 0; i < planned.cases.size(); ++i) {
    ReferenceCheck& check = *planned.owners[i];
    check.python_on_cuda = device.is_cuda();
    if (i < report.outcomes.size()) {
      check.runs.push_back(run_of(planned.cases[i], std::move(report.outcomes[i])));
    } else if (check.runs.empty()) {
      check.no_workloads = "interrupted before its workloads were compared";
    }
  }
  if (!report.outcomes.empty()) checks.notes.push_back(note_of(report, device));
  if (interrupted)
    checks.notes.push_back(interruption("reference", report.outcomes.size(), planned.cases.size()));
  return checks;
}

}  // namespace fib::cmd
