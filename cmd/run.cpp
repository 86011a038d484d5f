#include "bench/run.h"

#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "bench/fetch_blobs.h"
#include "bench/input_files.h"
#include "bench/run_folder.h"
#include "commands.h"
#include "compile/builder.h"
#include "dataset/baselines.h"
#include "dataset/known_names.h"
#include "dataset/load.h"
#include "dataset/paths.h"
#include "dataset/runs.h"
#include "environment.h"
#include "filters.h"
#include "interrupt.h"
#include "logging.h"
#include "present/text.h"
#include "report_common.h"
#include "run_events.h"
#include "run_gate.h"
#include "run_options.h"
#include "run_results.h"
#include "run_surroundings.h"
#include "run_sweep.h"
#include "time_table.h"
#include "util/clock.h"
#include "util/machine.h"
#include "util/shell_word.h"
#include "util/some_of.h"
#include "util/utf8.h"

namespace fib::cmd {
namespace {

// What of the records of runs, and of baselines, cannot be read. A run needs neither; what comes after it
// does.
void add_problems_of_runs(const std::string& root, bool strict, std::vector<dataset::Problem>& problems) {
  std::vector<dataset::Problem> found;
  try {
    (void)dataset::read_runs(root, found);
    (void)dataset::read_baselines(root, found);
  } catch (const Error& error) {
    found.push_back({dataset::runs_file("").string(), 0, error.what()});
  }
  for (const auto& problem : found) {
    if (strict && problem.severity == dataset::Severity::error)
      throw Error("{}/{}", root, dataset::to_string(problem));
  }
  problems.insert(problems.end(), found.begin(), found.end());
}

std::vector<dataset::Dataset> load_all(const RunOptions& options) {
  std::vector<std::string> roots = options.local;
  if (roots.empty()) roots.push_back(dataset::default_dataset_path().string());
  std::vector<dataset::Dataset> datasets;
  for (const auto& root : roots) {
    dataset::expect_dataset_folder(root);
    datasets.push_back(dataset::load(root, {options.strict_load, model::Mode::lenient}));
    add_problems_of_runs(root, options.strict_load, datasets.back().problems);
    for (const auto& problem : datasets.back().problems) spdlog::warn("{}", dataset::to_string(problem));
  }
  return datasets;
}

enum class Unloaded {
  records,  // definitions, solutions and workloads: what is planned hangs on them
  traces,   // and records of runs
};

std::size_t count_unloaded(const std::vector<dataset::Dataset>& datasets, Unloaded what) {
  std::size_t count = 0;
  for (const auto& dataset : datasets) {
    const auto is_of_results = [](const dataset::Problem& problem) {
      return problem.file.starts_with(dataset::traces_folder("").string() + "/") ||
             problem.file.starts_with(dataset::runs_file("").parent_path().string() + "/");
    };
    count += static_cast<std::size_t>(
        std::count_if(dataset.problems.begin(), dataset.problems.end(), [&](const dataset::Problem& problem) {
          return problem.severity == dataset::Severity::error &&
                 is_of_results(problem) == (what == Unloaded::traces);
        }));
  }
  return count;
}

// "owner=alice" as a member of an object; null where there are none.
nlohmann::ordered_json parse_tags(const std::vector<std::string>& texts) {
  constexpr std::size_t kLongest = 200;
  nlohmann::ordered_json tags = nullptr;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const std::string key = text.substr(0, equals);
    const bool is_text = text.size() <= kLongest && util::valid_utf8(text) == text;
    if (equals == std::string::npos || key.empty() || !is_text)
      throw CLI::ValidationError("--tag",
                                 text + ": expected KEY=VALUE of at most 200 bytes, for example ticket=42");
    if (tags.contains(key)) throw CLI::ValidationError("--tag", key + " is there twice");
    tags[key] = text.substr(equals + 1);
  }
  return tags;
}

void print_plan(const bench::Plan& plan, model::DeviceKind device) {
  for (const auto& planned : plan.evaluations) {
    const std::string line = fmt::format("{}  {}  {}  {}{}", model::name_of(device), planned.definition->name,
                                         planned.solution->name, planned.workload->uuid, swept_text(planned));
    fmt::print("{}\n", present::printable(line));
  }
  fmt::print("{} planned", present::plural(plan.evaluations.size(), "evaluation"));
  if (plan.resumed > 0) fmt::print(", {} already done", plan.resumed);
  if (!plan.skipped.empty()) fmt::print(", {} skipped", present::plural(plan.skipped.size(), "solution"));
  fmt::print("\n");
}

void log_plan_remarks(const bench::Plan& plan) {
  constexpr std::size_t kReasonsShown = 3;
  std::map<std::string, std::vector<std::string>> lacking;
  for (const auto& one : plan.incomplete) lacking[one.obstacle.why].push_back(one.solution);
  std::size_t shown = 0;
  std::size_t more = 0;
  for (const auto& [reason, solutions] : lacking) {
    if (shown++ >= kReasonsShown) {
      more += solutions.size();
      continue;
    }
    spdlog::warn("{} cannot be evaluated: {}", present::printable(util::some_of(solutions, "", 1)),
                 present::printable(reason));
  }
  if (more > 0)
    spdlog::warn("nor can {}, of {} more that lack workloads, or a definition",
                 present::plural(more, "solution"),
                 present::plural(lacking.size() - kReasonsShown, "definition"));
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const auto& skipped : plan.skipped) by_reason[skipped.obstacle.why].push_back(skipped.solution);
  for (const auto& [reason, solutions] : by_reason) {
    if (solutions.size() == 1) {
      spdlog::info("skipped {}: {}", solutions[0], reason);
    } else {
      spdlog::info("skipped {} solutions ({}, …): {}", solutions.size(), solutions[0], reason);
    }
  }
}

// What --resume finds of results with other options than the run's.
class OtherOptions {
 public:
  explicit OtherOptions(const bench::RunConfig& config) : config_(bench::to_json(config)) {}

  void add(const bench::DoneKey& key, const nlohmann::json& config) {
    evaluations_.insert(key);
    for (const auto& [name, value] : config_.items()) {
      if (!config.contains(name) || config.at(name) != value) names_.insert(name);
    }
    for (const auto& [name, value] : config.items()) {
      if (!config_.contains(name)) names_.insert(name);
    }
  }

  void warn_of(const bench::Plan& plan) const {
    const auto count =
        std::count_if(plan.evaluations.begin(), plan.evaluations.end(), [&](const auto& planned) {
          return evaluations_.contains(
              {planned.dataset, planned.workload->uuid, planned.solution->name, planned.solution_sha256});
        });
    if (count == 0) return;
    spdlog::warn(
        "{} of these have results with other options, which are not taken for done ({}): they are made again",
        count, present::printable(util::some_of(names_)));
  }

 private:
  nlohmann::json config_;
  std::set<bench::DoneKey> evaluations_;
  std::set<std::string> names_;  // of members of evaluation.fib.config
};

// Of the solutions of these names, each once.
std::vector<std::string> definitions_of(const std::vector<std::string>& solutions,
                                        const std::vector<dataset::Dataset>& datasets) {
  dataset::Filter named;
  named.solutions = solutions;
  std::set<std::string> definitions;
  for (const dataset::Dataset& dataset : datasets) {
    for (const auto& [name, solution] : dataset.solutions) {
      if (!solutions.empty() && named.holds_solution(dataset, solution))
        definitions.insert(solution.definition);
    }
  }
  return {definitions.begin(), definitions.end()};
}

// ": …", or nothing where the remarks have said it.
std::string why_nothing(const bench::Plan& plan, const std::vector<dataset::Dataset>& datasets,
                        const dataset::Filter& filter) {
  if (plan.resumed > 0)
    return fmt::format(": {} {} done (--since TIME does those again that are older)",
                       present::plural(plan.resumed, "evaluation"), plan.resumed == 1 ? "is" : "are");
  const auto holds_some = [&](const dataset::Dataset& dataset) {
    return std::any_of(dataset.workloads.begin(), dataset.workloads.end(), [&](const auto& entry) {
      return std::any_of(entry.second.begin(), entry.second.end(), [&](const model::Workload& workload) {
        return filter.holds_workload(dataset, entry.first, workload);
      });
    });
  };
  if (!filter.conditions.empty() && std::none_of(datasets.begin(), datasets.end(), holds_some))
    return ": no workload of what was asked for has the sizes that --where names";
  if (!plan.skipped.empty()) return "";
  const auto none = [&](const auto& of) {
    return std::all_of(datasets.begin(), datasets.end(), [&](const auto& one) { return of(one).empty(); });
  };
  if (none([](const auto& one) -> const auto& { return one.solutions; })) return ": there are no solutions";
  if (none([](const auto& one) -> const auto& { return one.workloads; })) return ": there are no workloads";
  if (!filter.conditions.empty())
    return ": no workload of what was asked for has the sizes that --where names";
  const auto others = definitions_of(filter.solutions, datasets);
  const bool is_any_held = std::any_of(others.begin(), others.end(), [&](const std::string& name) {
    return std::any_of(datasets.begin(), datasets.end(),
                       [&](const auto& one) { return filter.holds_definition(one, name); });
  });
  if (!others.empty() && !is_any_held)
    return fmt::format(": the solutions that were asked for are for {}",
                       present::printable(util::some_of(others)));
  return ": no definition that was asked for has both solutions and workloads that were asked for";
}

dataset::Confinement confinement(const RunOptions& options) {
  return options.measure.config.allow_outside ? dataset::Confinement::none : dataset::Confinement::to_root;
}

// Results on made inputs are not results on the dataset's: that is said before anything runs.
void log_synthesized(const RunOptions& options, const bench::Plan& plan,
                     const std::vector<dataset::Dataset>& datasets) {
  if (!options.measure.config.synthesize_missing) return;
  const auto counts = bench::count_synthesized(plan, datasets, confinement(options));
  if (counts.affected == 0) return;
  spdlog::warn(
      "--synthesize-missing makes inputs of {} of {} workloads: {} whose blobs are missing, {} that would be "
      "random without meaning; their traces say so (evaluation.fib.synthesized)",
      counts.affected, counts.workloads, counts.missing, counts.random);
}

// How the rest of a run is done that began then, and keeps its results: what was measured before it began is
// no part of it.
std::string how_to_do_the_rest(const RunOptions& options, const std::string& began) {
  if (!options.save_results) return "";
  if (options.retry_failed)
    return "; to do the rest, and what did not pass once more, run the same command again";
  if (options.resume) return "; to do the rest, run the same command again";
  return fmt::format("; to do the rest, run the same command with --resume --since {}", began);
}

void print_report(const bench::RunReport& report, const bench::Plan& plan, const std::string& rest,
                  std::FILE* out) {
  for (const auto& missing : report.not_done) {
    spdlog::error("not done: {} {}: {}", missing.planned.solution->name, missing.planned.workload->uuid,
                  missing.obstacle.why);
  }
  fmt::print(out, "{} of {} evaluations done: {} passed, {} did not{}{}\n", report.finished,
             plan.evaluations.size(), report.passed, report.finished - report.passed,
             plan.resumed == 0 ? "" : fmt::format("; {} more had been done before", plan.resumed),
             plan.skipped.empty()
                 ? ""
                 : fmt::format("; {} skipped", present::plural(plan.skipped.size(), "solution")));
  if (!report.ended_early.empty()) {
    const std::string left =
        report.limit ? fmt::format("; {} did not begin", present::plural(report.not_begun, "evaluation"))
                     : "";
    const bool is_worth_resuming = report.limit != bench::EarlyEnd::Cause::failure;
    spdlog::error("{}{}{}", report.ended_early, left, is_worth_resuming ? rest : "");
  }
  if (report.interrupted) fmt::print(out, "interrupted{}\n", rest);
}

// What to ask next, of results that were saved.
void print_hints(const bench::RunReport& report, const std::string& failed_solution,
                 const std::vector<dataset::Dataset>& datasets, std::FILE* out) {
  std::string locals;
  for (const auto& dataset : datasets) locals += " --local " + util::shell_word(dataset.root.string());
  if (report.passed > 0) fmt::print(out, "who won: fib report summary{}\n", locals);
  if (failed_solution.empty()) return;
  fmt::print(out, "why {} did not pass: fib report show solution {}{}\n", present::printable(failed_solution),
             present::printable(util::shell_word(failed_solution)), locals);
}

// What is known before anything runs.
RunOutcome planned_outcome(const bench::Plan& plan, const std::vector<dataset::Dataset>& datasets) {
  RunOutcome outcome;
  outcome.unloaded = count_unloaded(datasets, Unloaded::records);
  outcome.unloaded_traces = count_unloaded(datasets, Unloaded::traces);
  outcome.skipped = plan.skipped.size();
  outcome.incomplete = plan.incomplete.size();
  outcome.results = plan.resumed;
  outcome.failures = plan.resumed_failures;
  outcome.failed_solutions = plan.failed_before;
  return outcome;
}

GateVerdict pass_gate(const RunOutcome& outcome, const GateOptions& options) {
  GateVerdict verdict = judge_run(outcome, options);
  for (const std::string& reason : verdict.reasons) spdlog::error("{}", reason);
  return verdict;
}

// Null where nobody wants to know where the time goes.
std::unique_ptr<util::Timeline> wanted_timeline(const RunOptions& options) {
  if (!options.timeline.empty()) return std::make_unique<util::Timeline>(options.timeline);
  return options.explain_time ? std::make_unique<util::Timeline>() : nullptr;
}

// The configuration's lists of what to run hold where the command line has none.
void take_names(RunOptions& options) {
  if (options.filter.definitions.empty()) options.filter.definitions = options.measure.file.definitions;
  if (options.filter.solutions.empty()) options.filter.solutions = options.measure.file.solutions;
}

int run(RunOptions options) {
  if (options.quiet) spdlog::set_level(std::max(spdlog::get_level(), spdlog::level::warn));
  set_up_logging();
  const auto tags = parse_tags(options.tags);
  const auto since = parsed_since(options.since);
  if (since && !options.takes_results())
    throw CLI::ValidationError("--since", "it is of results that --resume or --retry-failed takes for done");
  const std::string began = util::utc_timestamp().substr(0, 23);  // to the millisecond; without offset: UTC
  ChosenEnvironment machine = choose_environment(options.devices);
  bench::Environment& environment = machine.environment;
  const auto& devices = environment.devices;
  const model::DeviceKind kind = environment.kind();
  options.measure.finish(kind);
  take_names(options);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);  // a worker must not read the run's secret
  std::atomic<bool> interrupted = false;
  const InterruptSignals signals(interrupted);
  const std::int64_t begin_ns = util::monotonic_ns();
  auto datasets = load_all(options);
  dataset::KnownNames(datasets).check(options.filter);
  // The user's own file may be for other datasets, too.
  if (!options.measure.config_file.empty()) {
    for (const std::string& sentence : bench::unmatched_names(options.measure.file, datasets))
      spdlog::warn("{}", present::printable(sentence));
  }
  // Datasets first: what is wrong with the words of the command is told before a cache that has no name.
  if (!options.dry_run) environment.cache = dataset::own_cache_path();
  const auto around = options.dry_run ? Surroundings{} : surroundings(machine.chosen, environment.python);
  const bench::Sweep sweep = choose_sweep(options.sweep, options.measure.config, datasets, options.filter);
  const auto workloads = swept_workloads(datasets, options.filter, sweep);
  OtherOptions others(options.measure.config);
  const auto done_of = [&](const bench::RunConfig& config) {
    if (!options.takes_results()) return bench::DoneEvaluations{};
    const auto rejected = [&](const auto& key, const auto& of_trace) {
      if (sweep.points.size() == 1) others.add(key, of_trace);
    };
    auto done = bench::finished_evaluations(datasets, devices.front().name, bench::accepting(config),
                                            rejected, since);
    if (options.retry_failed)
      std::erase_if(done, [](const auto& entry) { return entry.second != model::Status::PASSED; });
    return done;
  };
  const auto plan = bench::plan_sweep(
      datasets, options.filter, {kind, environment.python, environment.tvm_ffi, options.measure.config.torch},
      sweep, workloads, done_of);
  const double plan_ms = util::in_ms(util::monotonic_ns() - begin_ns);
  log_plan_remarks(plan);
  others.warn_of(plan);
  RunOutcome outcome = planned_outcome(plan, datasets);
  RunProgress progress(options.quiet ? ProgressLine::none : usual_progress(), datasets);
  std::optional<RunEvents> events;
  if (options.format == RunFormat::jsonl) {
    events.emplace(progress);
    events->began(plan, devices, plan_ms);
  }
  const auto end = [&](const bench::RunReport& report, const GateVerdict& verdict) {
    if (!events) return static_cast<int>(verdict.exit_code);
    events->ended(report, verdict);
    events->expect_written();
    return static_cast<int>(verdict.exit_code);
  };
  if (options.dry_run) {
    log_synthesized(options, plan, datasets);
    if (events) events->planned(plan);
    if (!events) print_plan(plan, kind);
    outcome.results += plan.evaluations.size();  // if all goes well
    return end({}, pass_gate(outcome, options.gate));
  }
  if (plan.evaluations.empty()) {
    fmt::print(options.for_people(), "nothing to run{}\n", why_nothing(plan, datasets, options.filter));
    GateVerdict verdict = pass_gate(outcome, options.gate);
    if (outcome.unloaded == 0 || plan.resumed > 0) return end({}, verdict);
    spdlog::error("{} of the dataset did not load: what was to be run may be there",
                  present::plural(outcome.unloaded, "file or line"));
    verdict.exit_code = kNotAllDone;
    return end({}, verdict);
  }
  bench::fetch_blobs(
      plan, datasets, [](const std::string& text) { spdlog::info("{}", text); }, interrupted);
  log_synthesized(options, plan, datasets);
  const auto timeline = wanted_timeline(options);
  const bench::RunRequest request{
      FIB_VERSION, options.save_results, around.record,  around.tools,
      tags,        util::machine_load(), options.limits, options.measure.counted(bench::CountWork::kOne)};
  bench::RunObserver& observer = events ? static_cast<bench::RunObserver&>(*events) : progress;
  const auto report = [&] {
    bench::Session session(environment, interrupted, timeline.get());
    return bench::run(session, datasets, plan, sweep, request, observer);
  }();
  progress.clear();
  std::FILE* const out = options.for_people();
  print_report(report, plan, how_to_do_the_rest(options, began), out);
  if (!options.quiet || !options.save_results) {  // what is saved nowhere has to be seen
    const std::string results = progress.results(stdout_style());
    if (!results.empty()) fmt::print(out, "\n{}\n", results);
    if (options.save_results) print_hints(report, progress.first_failure(), datasets, out);
  }
  if (options.explain_time)
    fmt::print(out, "\n{}", present::to_text(time_table(timeline->totals()), stdout_style()));
  if (timeline) timeline->finish();
  outcome.not_done = report.not_done.size();
  if (report.limit == bench::EarlyEnd::Cause::time) outcome.not_done += report.not_begun;
  outcome.has_failed_fast = report.limit == bench::EarlyEnd::Cause::failure;
  outcome.results += report.finished;
  outcome.failures += report.finished - report.passed;
  outcome.failed_solutions.insert(progress.failed_solutions().begin(), progress.failed_solutions().end());
  outcome.is_interrupted = report.interrupted;
  return end(report, pass_gate(outcome, options.gate));
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* run_app = app.add_subcommand("run", "Compile, run, check and time the solutions of datasets");
  add_run_options(*run_app, *options);
  run_app->footer(
      "Examples:\n"
      "  fib run --local dataset-examples\n"
      "  fib run --local D --definitions 'gemm_*' --authors alice bob --resume\n"
      "  fib run --local D --solutions my_kernel --iterations 20 --strict\n"
      "  fib run --local D --sweep iterations=5,20,50 --sweep batch_size=1,64\n"
      "Exit codes: 0 everything planned has a trace, 1 something has none (listed at the end) or the "
      "dataset\n"
      "cannot be read, 2 wrong usage, 3 --strict, --expect or --fail-fast does not hold, 130 interrupted.");
  run_app->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace fib::cmd
