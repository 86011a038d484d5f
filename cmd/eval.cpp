#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <thread>

#include "bench/fetch_blobs.h"
#include "bench/run.h"
#include "bench/run_folder.h"
#include "choice.h"
#include "commands.h"
#include "compile/python_interpreter.h"
#include "dataset/add_record.h"
#include "dataset/paths.h"
#include "environment.h"
#include "eval_inputs.h"
#include "eval_results.h"
#include "interrupt.h"
#include "logging.h"
#include "measure_options.h"
#include "present/text.h"
#include "report/compare_text.h"
#include "report/show_text.h"
#include "report/try_json.h"
#include "report/try_summary.h"
#include "report_common.h"
#include "run_gate.h"
#include "run_surroundings.h"
#include "time_table.h"
#include "util/error.h"
#include "util/find.h"
#include "util/timeline.h"

namespace fib::cmd {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLast = "last";

enum class EvalFormat { table, json };

struct EvalOptions {
  EvalWords words;
  std::vector<std::string> devices;
  MeasureOptions measure;
  bool add = false;
  bool replace = false;
  bool cascade = false;
  bool watch = false;
  bool explain_time = false;
  bool quiet = false;
  bool full_log = false;
  EvalFormat format = EvalFormat::table;
};

// The exit code as `fib run --strict` has it.
ExitCode exit_code_of(const bench::Plan& plan, const bench::RunReport& report) {
  RunOutcome outcome;
  outcome.skipped = plan.skipped.size();
  outcome.not_done = report.not_done.size();
  outcome.results = report.finished;
  outcome.failures = report.finished - report.passed;
  outcome.is_interrupted = report.interrupted;
  return judge_run(outcome, {true, false, std::nullopt}).exit_code;
}

void log_problems(const bench::Plan& plan, const bench::RunReport& report) {
  for (const auto& skipped : plan.skipped) spdlog::error("{}: {}", skipped.solution, skipped.reason);
  for (const auto& missing : report.not_done) {
    spdlog::error("not done: {} {}: {}", missing.planned.solution->name, missing.planned.workload->uuid,
                  missing.reason);
  }
  if (!report.ended_early.empty()) spdlog::error("{}", report.ended_early);
}

// What --watch cannot wait for.
void check_watched(const EvalWords& words) {
  for (const std::string& word : words.solutions) {
    if (word == "-") throw CLI::ValidationError("--watch", "standard input does not change; name a file");
    if (!fs::exists(word)) throw Error("there is no file or folder {}", word);
  }
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

// What is left of a stage when its datasets are gone.
struct Outcome {
  ExitCode exit_code = kDone;
  std::map<std::string, std::vector<model::Trace>> traces;  // by solution
  std::vector<std::pair<std::string, std::string>>
      skipped;  // solutions that cannot run here, with the reason
  std::vector<report::TryReport::NotDone> not_done;
  report::SettledTries settled = {};
};

Outcome evaluate(bench::Session& session, const std::vector<dataset::Dataset>& datasets,
                 const bench::RunConfig& config, const bench::RunRequest& request, ProgressLine line) {
  const auto& environment = session.environment();
  const bench::Sweep sweep(config);
  const auto plan = bench::make_plan(
      datasets, {}, {environment.kind(), environment.python, environment.tvm_ffi, config.torch}, {});
  bench::fetch_blobs(
      plan, datasets, [](const std::string& text) { spdlog::info("{}", text); }, session.interrupted());
  EvalProgress progress(line);
  bench::RunReport report;
  if (!plan.evaluations.empty()) report = bench::run(session, datasets, plan, sweep, request, progress);
  progress.clear();
  log_problems(plan, report);
  Outcome outcome{exit_code_of(plan, report), progress.traces(), {}, {}, {}};
  for (const auto& skipped : plan.skipped) outcome.skipped.emplace_back(skipped.solution, skipped.reason);
  for (const auto& missing : report.not_done)
    outcome.not_done.push_back({missing.planned.solution->name, missing.planned.workload->uuid,
                                std::string(model::name_of(missing.fault)), missing.reason});
  return outcome;
}

std::vector<report::Detail> details_of(const std::vector<model::Trace>& traces, dataset::RowPool& pool) {
  std::vector<report::Detail> details;
  for (const model::Trace& trace : traces)
    details.push_back(report::make_detail(trace, pool, report::KeepLogs::no));
  return details;
}

// What there is to compare `now` with, of the same workloads: where some of a workload passed, these alone.
std::vector<report::Detail> comparable(std::vector<report::Detail> before,
                                       const std::vector<report::Detail>& now) {
  std::set<std::string> workloads;
  std::set<std::string> passed;
  for (const report::Detail& detail : now) workloads.insert(detail.row.workload->uuid);
  for (const report::Detail& detail : before) {
    if (detail.row.passed()) passed.insert(detail.row.workload->uuid);
  }
  std::erase_if(before, [&](const report::Detail& detail) {
    const std::string& uuid = detail.row.workload->uuid;
    return !workloads.contains(uuid) || (passed.contains(uuid) && !detail.row.passed());
  });
  return before;
}

std::string comparison(const report::CompareSide& a, const report::CompareSide& b, report::PairBy pair_by,
                       report::CompareFormat format) {
  return report::render_compare(report::compare(a, b, pair_by), std::nullopt, format,
                                {stdout_style(), {}, false});
}

// With the solution of that name in the same run.
std::string comparison_with_other(const std::vector<model::Trace>& other,
                                  const std::vector<model::Trace>& now, report::CompareFormat format) {
  dataset::RowPool pool;
  const auto a = details_of(other, pool);
  const auto b = details_of(now, pool);
  return comparison({"solution " + *other.front().solution, report::latest(a)},
                    {"solution " + *now.front().solution, report::latest(b)}, report::PairBy::workload,
                    format);
}

// With the last try of a solution of the same name, or with what the dataset has of it, whatever is newer;
// nothing when there is neither.
std::optional<std::string> comparison_with_last(const EvalInputs& inputs,
                                                const std::vector<model::Trace>& now,
                                                report::CompareFormat format) {
  const std::string& name = *now.front().solution;
  dataset::RowPool pool;
  auto before = details_of(read_tries(now.front().definition, name), pool);
  const auto of_dataset = inputs.results.find(name);
  if (of_dataset != inputs.results.end())
    before.insert(before.end(), of_dataset->second.begin(), of_dataset->second.end());
  const auto b = details_of(now, pool);
  const auto is_last_failed = !before.empty() && !report::latest(before).front()->row.passed();
  const auto a = comparable(std::move(before), b);
  if (a.empty()) return std::nullopt;
  const bool has_passed = report::latest(a).front()->row.passed();
  const char* label = is_last_failed && has_passed ? "the last result that passed" : "the last result";
  return comparison({label, report::latest(a)}, {"this one", report::latest(b)}, report::PairBy::solution,
                    format);
}

// What --against asks for, of one solution; nothing where there is nothing to compare with.
std::optional<std::string> wanted_comparison(const EvalInputs& inputs, const Outcome& outcome,
                                             const std::vector<model::Trace>& now, bool against_last,
                                             report::CompareFormat format) {
  if (against_last) return comparison_with_last(inputs, now, format);
  const auto other = outcome.traces.find(inputs.against);
  if (other == outcome.traces.end()) return std::nullopt;
  return comparison_with_other(other->second, now, format);
}

void print_solution(const std::vector<model::Trace>& traces, const report::SpeedupRanges& ranges,
                    const report::Missing& missing, bool quiet, bool full_log) {
  const auto summary = report::summarize(traces, ranges);
  print_result(report::headline(summary, missing) + "\n");
  if (!quiet && !summary.code.empty())
    print_result(fmt::format("what to do: fib explain {}\n", present::printable(summary.code)));
  if (quiet) return;
  std::vector<report::Shown> shown;
  for (const model::Trace& trace : traces) {
    const auto range = ranges.find({summary.solution, trace.workload.uuid});
    shown.push_back(
        {trace, std::nullopt, range != ranges.end() ? std::optional(range->second) : std::nullopt});
  }
  print_result("\n" + report::render_results(shown, {present::Format::table, stdout_style(), full_log}));
  for (const model::Trace& trace : traces) {
    const auto kernels = report::kernel_lines(trace);
    if (kernels.empty()) continue;
    print_result(fmt::format("\n{}\n", fmt::join(kernels, "\n")));
    break;
  }
}

// Of two solutions of one name that differ a dataset has none. That of the same author is for `Existing`.
void expect_free_name(const dataset::Dataset& dataset, const model::Solution& solution,
                      const std::string& op_type) {
  const auto known = dataset.solution_files.find(solution.name);
  if (known == dataset.solution_files.end()) return;
  const fs::path own =
      dataset::solution_file("", solution.author, op_type, solution.definition, solution.name);
  if (fs::path(known->second) != own)
    throw Error("{} has a solution {} already, in {}; give the new one another name", dataset.root.string(),
                solution.name, known->second);
}

// The solutions' files, written into the datasets that have their definitions.
void add_solutions(const EvalInputs& inputs, bool replace) {
  if (inputs.is_against_foreign)
    throw Error("--add saves what --against runs too, and the dataset has no {}: compare first, then add",
                inputs.against);
  for (const dataset::Dataset& dataset : inputs.datasets) {
    for (const auto& [name, solution] : dataset.solutions) {
      if (name == inputs.against) continue;
      const auto& definition = dataset.definitions.at(solution.definition);
      expect_free_name(dataset, solution, definition.op_type);
      const fs::path file = dataset::add_solution(
          dataset.root, solution, definition.op_type,
          replace ? dataset::Existing::replace : dataset::Existing::refuse, "replace it: --replace");
      spdlog::info("the solution's record: {}", file.string());
    }
  }
}

// That with the solution, and so with its definition.
const dataset::Dataset& dataset_of(const EvalInputs& inputs, const std::string& solution) {
  for (const dataset::Dataset& dataset : inputs.datasets) {
    if (dataset.solutions.contains(solution)) return dataset;
  }
  throw Error("the solution {} is gone", solution);
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
void go_on(bench::Session& session, const EvalInputs& inputs, const EvalOptions& options,
           const bench::RunRequest& request, ProgressLine line, Outcome& outcome) {
  std::set<std::string> passed;
  for (const auto& [name, traces] : outcome.traces) {
    if (report::summarize(traces).status == model::Status::PASSED) passed.insert(name);
  }
  const bool is_any_tried = std::any_of(inputs.tried.begin(), inputs.tried.end(),
                                        [&](const std::string& name) { return passed.contains(name); });
  if (!is_any_tried) return;
  spdlog::info("{} passed {} smallest workload", present::plural(passed.size(), "solution"),
               passed.size() == 1 ? "its" : "their");
  auto rest =
      evaluate(session, with_solutions(inputs.datasets, passed), options.measure.config, request, line);
  for (const std::string& name : passed) outcome.traces.erase(name);
  outcome.traces.merge(rest.traces);
  outcome.not_done.insert(outcome.not_done.end(), rest.not_done.begin(), rest.not_done.end());
  const bool is_worse = rest.exit_code == kInterrupted || rest.exit_code == kNotAllDone;
  if (outcome.exit_code == kDone || is_worse) outcome.exit_code = rest.exit_code;
}

// The workloads of its definition without a result of this solution, whose results are `traces`.
report::Missing missing_of(const EvalInputs& inputs, const Outcome& outcome,
                           const std::vector<model::Trace>& traces) {
  const std::string& solution = *traces.front().solution;
  const auto* workloads =
      util::find_or_null(dataset_of(inputs, solution).workloads, traces.front().definition);
  const std::size_t all = workloads == nullptr ? 0 : workloads->size();
  const auto not_done =
      static_cast<std::size_t>(std::count_if(outcome.not_done.begin(), outcome.not_done.end(),
                                             [&](const auto& one) { return one.solution == solution; }));
  return {not_done, all - std::min(all, traces.size() + not_done), outcome.exit_code == kInterrupted};
}

void print_json(const EvalInputs& inputs, const Outcome& outcome, bool against_last) {
  report::TryReport report;
  report.version = FIB_VERSION;
  for (const std::string& name : inputs.tried) {
    const auto found = outcome.traces.find(name);
    if (found == outcome.traces.end()) continue;
    const auto against =
        wanted_comparison(inputs, outcome, found->second, against_last, report::CompareFormat::json);
    report.solutions.push_back({&dataset_of(inputs, name).definitions.at(found->second.front().definition),
                                found->second, missing_of(inputs, outcome, found->second),
                                against.value_or("")});
  }
  report.skipped = outcome.skipped;
  report.not_done = outcome.not_done;
  report.is_interrupted = outcome.exit_code == kInterrupted;
  report.settled = outcome.settled;
  print_result(report::to_json(report));
}

void print_tables(const EvalInputs& inputs, const EvalOptions& options, const Outcome& outcome,
                  bool against_last) {
  for (const std::string& name : inputs.tried) {
    const auto found = outcome.traces.find(name);
    if (found == outcome.traces.end()) continue;
    print_solution(found->second, outcome.settled.ranges, missing_of(inputs, outcome, found->second),
                   options.quiet, options.full_log);
    const auto against =
        wanted_comparison(inputs, outcome, found->second, against_last, report::CompareFormat::table);
    if (against) print_result("\n" + *against);
    if (against_last && !against) fmt::print("\nThere is no earlier try of {}.\n", present::printable(name));
  }
  if (options.quiet || outcome.settled.cautions.empty()) return;
  std::string lines = "\n";
  for (const std::string& caution : outcome.settled.cautions)
    lines += present::wrap(present::printable(caution), stdout_style().width, 2) + "\n";
  print_result(lines);
}

// All solutions; with --cascade those that pass on their smallest workload go on.
Outcome evaluate_all(bench::Session& session, const EvalInputs& inputs, const EvalOptions& options,
                     const bench::RunRequest& request) {
  const ProgressLine line = options.quiet ? ProgressLine::none : usual_progress();
  const auto& config = options.measure.config;
  if (!options.cascade) return evaluate(session, inputs.datasets, config, request, line);
  Outcome outcome =
      evaluate(session, with_smallest(inputs.datasets), with_few_calls(config), request, ProgressLine::none);
  if (outcome.exit_code != kInterrupted) go_on(session, inputs, options, request, line, outcome);
  return outcome;
}

// One try of all solutions.
ExitCode evaluate_once(bench::Session& session, const EvalOptions& options, bench::RunRequest request,
                       bool against_last) {
  const EvalInputs inputs = read_eval_inputs(options.words, session.environment().kind());
  request.load = util::machine_load();
  if (options.add) add_solutions(inputs, options.replace);
  Outcome outcome = evaluate_all(session, inputs, options, request);
  const bool is_nothing = outcome.traces.empty() && outcome.not_done.empty() && outcome.skipped.empty();
  if (session.interrupted() && is_nothing) return outcome.exit_code;
  outcome.settled = report::settle(outcome.traces);
  if (options.format == EvalFormat::json) {
    print_json(inputs, outcome, against_last);
  } else {
    print_tables(inputs, options, outcome, against_last);
  }
  if (options.explain_time)
    fmt::print(stderr, "{}", present::to_text(time_table(session.timeline()->totals()), stdout_style()));
  for (const std::string& name : inputs.tried) {
    const auto found = outcome.traces.find(name);
    if (found != outcome.traces.end()) add_tries(found->second.front().definition, name, found->second);
  }
  return outcome.exit_code;
}

// The files with the times of their last change; files that are being replaced are missing for a moment.
std::map<fs::path, fs::file_time_type> changes_of(const EvalWords& words) {
  std::map<fs::path, fs::file_time_type> times;
  for (const fs::path& file : files_of(words)) {
    std::error_code gone;
    const auto time = fs::last_write_time(file, gone);
    if (!gone) times[file] = time;
  }
  return times;
}

// A try, at whose end others may have the devices, also when it fails.
class Turn {
 public:
  explicit Turn(bench::Session& session) : session_(session) {}
  ~Turn() { session_.give_up_devices(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  bench::Session& session_;
};

// Tries again whenever a file of the solutions changes, until Ctrl-C; a source that cannot be read is told
// and waited for. Meanwhile judge and interpreters for the next try are made ready.
ExitCode watch(bench::Session& session, const EvalOptions& options, const bench::RunRequest& request,
               bool against_last) {
  constexpr auto kLook = std::chrono::milliseconds(100);
  const auto& interrupted = session.interrupted();
  std::map<fs::path, fs::file_time_type> tried;
  while (!interrupted) {
    try {
      if (auto now = changes_of(options.words); now != tried) {
        tried = std::move(now);
        {
          const Turn turn(session);
          (void)evaluate_once(session, options, request, against_last);
          if (!interrupted) session.prepare_next();
        }
        if (!interrupted)
          fmt::print(stderr, "watching {}; Ctrl-C ends\n", present::plural(tried.size(), "file"));
      }
    } catch (const std::exception& error) {  // files may be gone as one looks
      if (interrupted) break;
      spdlog::error("{}", error.what());
    }
    std::this_thread::sleep_for(kLook);
  }
  return kInterrupted;
}

int run(EvalOptions options) {
  set_up_logging();
  const bool against_last = options.words.against == kLast;
  if (against_last) options.words.against.clear();
  options.words.with_results = against_last;
  const ChosenEnvironment machine = choose_environment(options.devices, Cache::kUsual);
  const bench::Environment& environment = machine.environment;
  options.measure.finish(environment.kind());
  const auto around =
      options.add ? surroundings(machine.chosen, environment.python) : nlohmann::ordered_json::object();
  const auto timeline = options.explain_time ? std::make_unique<util::Timeline>() : nullptr;
  const bench::RunRequest request{FIB_VERSION, options.add, around};
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);  // a worker must not read the run's secret
  std::atomic<bool> interrupted = false;
  const InterruptSignals signals(interrupted);
  if (options.watch) check_watched(options.words);
  bench::Session session(environment, interrupted, timeline.get());
  return options.watch ? watch(session, options, request, against_last)
                       : evaluate_once(session, options, request, against_last);
}

}  // namespace

void add_eval(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<EvalOptions>();
  CLI::App* eval = app.add_subcommand("eval", "Try solutions without adding them to a dataset");
  EvalWords& words = options->words;
  const char* group = kTryGroup;
  add_try_options(*eval, words);
  eval->add_option("--device", options->devices, "auto (a GPU, or the CPU), cpu, cuda, cuda:N")
      ->delimiter(',')
      ->group(group);
  eval->add_option("--against", words.against,
                   "Compare with this solution of the dataset or file, with baseline (that of the author of "
                   "this name), or with last: the last try of a solution of the same name")
      ->type_name("SOLUTION|baseline|last")
      ->group(group);
  eval->add_flag("--cascade", options->cascade,
                 "First the smallest workload with few calls; all of them only when that passes")
      ->group(group);
  eval->add_flag("--watch", options->watch,
                 "Try again whenever a file of the solutions changes, until Ctrl-C")
      ->group(group);
  CLI::Option* add =
      eval->add_flag("--add", options->add, "Add the solutions and their traces to the dataset")
          ->group(group);
  eval->add_flag("--replace", options->replace,
                 "With --add: take the place of a solution of the same name and author with another source")
      ->needs(add)
      ->group(group);
  add_measuring(*eval, options->measure);
  add_judging(*eval, options->measure);
  add_config_file(*eval, options->measure);
  add_confining(*eval, options->measure);
  add_choice(*eval, "--format", options->format, "Form of the output; default: table",
             {{"table", EvalFormat::table}, {"json", EvalFormat::json}})
      ->type_name("FORMAT");
  eval->add_flag("--explain-time", options->explain_time, "Print where the time went, on stderr");
  eval->add_flag("--quiet", options->quiet, "One line for each solution, without its workloads; no progress");
  eval->add_flag("--full-log", options->full_log, "Whole logs of failures, not their last 20 lines");
  add_log_level(*eval, "info");
  eval->footer(
      std::string(
          "Examples:\n"
          "  fib eval my_norm.cu --definition rmsnorm_h4096 --local D\n"
          "  fib eval my_norm.cu --definition rmsnorm_h4096 --local D --workloads first --against last\n"
          "  fib eval my_norm/ other_norm.json --local D --against baseline --cascade\n"
          "  fib eval norm.py --definition norm.json --workload norm.jsonl\n"
          "Nothing is added to the dataset but by --add.\n") +
      kLocalDefault +
      "Exit codes: 0 everything passed, 1 something could not be evaluated, 2 wrong usage,\n"
      "3 something did not pass or cannot run on this machine, 130 interrupted.");
  eval->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace fib::cmd
