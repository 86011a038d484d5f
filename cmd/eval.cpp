#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <thread>
#include <utility>

#include "bench/python_code.h"
#include "choice.h"
#include "commands.h"
#include "dataset/add_record.h"
#include "dataset/paths.h"
#include "environment.h"
#include "eval_answer.h"
#include "eval_inputs.h"
#include "eval_outcome.h"
#include "eval_references.h"
#include "eval_results.h"
#include "interrupt.h"
#include "logging.h"
#include "measure_options.h"
#include "present/text.h"
#include "report_common.h"
#include "run_surroundings.h"
#include "time_table.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/machine.h"
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

std::string_view text_of(dataset::AddedRecord::How how) {
  using How = dataset::AddedRecord::How;
  if (how == How::added) return "is added";
  return how == How::was_there ? "was there already"
                               : "takes the place of the one before, whose source is kept nowhere";
}

// The file of a solution, written into the dataset that has its definition; its name is free there.
void add_solution(const dataset::Dataset& dataset, const model::Solution& solution,
                  dataset::Existing existing) {
  const auto record =
      dataset::add_solution(dataset.root, solution, dataset.definitions.at(solution.definition).op_type,
                            existing, "replace it: --replace");
  spdlog::info("the solution's record {}: {}", text_of(record.how), record.file.string());
}

// All of them; with `replace` but those of which the dataset has one of that name.
void add_solutions(const EvalInputs& inputs, bool replace) {
  if (inputs.is_against_foreign)
    throw Error("--add saves what --against runs too, and the dataset has no {}: compare first, then add",
                inputs.against);
  for (const dataset::Dataset& dataset : inputs.datasets) {
    for (const auto& [name, solution] : dataset.solutions) {
      if (name == inputs.against) continue;
      expect_free_name(dataset, solution, dataset.definitions.at(solution.definition).op_type);
      if (!replace || !dataset.solution_files.contains(name))
        add_solution(dataset, solution, dataset::Existing::refuse);
    }
  }
}

// On all that was planned for it.
bool has_passed(const EvalOutcome& outcome, const std::string& solution) {
  const auto traces = outcome.traces.find(solution);
  const auto is_of_it = [&](const auto& not_done) { return not_done.solution == solution; };
  const bool has_ended = outcome.exit_code != kInterrupted && outcome.not_begun == 0;
  return has_ended && traces != outcome.traces.end() &&
         std::none_of(outcome.not_done.begin(), outcome.not_done.end(), is_of_it) &&
         std::all_of(traces->second.begin(), traces->second.end(),
                     [](const model::Trace& trace) { return trace.passed(); });
}

// Those that were left out, once it is known that they are worth it: the source of before is gone then.
void replace_solutions(const EvalInputs& inputs, const EvalOutcome& outcome) {
  for (const dataset::Dataset& dataset : inputs.datasets) {
    for (const auto& [name, solution] : dataset.solutions) {
      if (name == inputs.against || !dataset.solution_files.contains(name)) continue;
      if (has_passed(outcome, name)) {
        add_solution(dataset, solution, dataset::Existing::replace);
      } else {
        spdlog::warn("{} has not passed everything: the dataset keeps the solution of that name that it has",
                     present::printable(name));
      }
    }
  }
}

// What --watch cannot wait for.
void check_watched(const EvalWords& words) {
  for (const std::string& word : words.solutions) {
    if (word == "-") throw CLI::ValidationError("--watch", "standard input does not change; name a file");
    if (!fs::exists(word)) throw Error("there is no file or folder {}", word);
  }
}

// One try of all solutions. `is_told` becomes true once stdout has what came of it.
ExitCode evaluate_once(bench::Session& session, const EvalOptions& options, bench::RunRequest request,
                       bool against_last, bool& is_told) {
  const std::int64_t begin_ns = util::monotonic_ns();
  const EvalInputs inputs = read_eval_inputs(options.words, session.environment().kind());
  const double read_ms = util::in_ms(util::monotonic_ns() - begin_ns);
  const auto works = works_of(inputs);
  request.load = util::machine_load();
  if (options.add) add_solutions(inputs, options.replace);
  EvalOutcome outcome =
      evaluate_all(session, inputs, options.cascade ? Stages::kCascade : Stages::kOne, options.measure.config,
                   request, options.quiet ? ProgressLine::none : usual_progress());
  outcome.plan_ms += read_ms;
  const bool is_nothing = outcome.traces.empty() && outcome.not_done.empty() && outcome.skipped.empty();
  if (session.interrupted() && is_nothing) {
    if (options.format == EvalFormat::json) print_json(inputs, outcome, against_last);
    return outcome.exit_code;
  }
  if (options.replace) replace_solutions(inputs, outcome);
  outcome.settled = report::settle(outcome.traces);
  const auto earlier = about_references(outcome.traces, util::now_us());
  if (earlier) outcome.settled.cautions.push_back(*earlier);
  if (options.format == EvalFormat::json) {
    print_json(inputs, outcome, against_last);
  } else {
    print_tables(inputs, {options.quiet, options.full_log}, outcome, against_last);
  }
  is_told = true;
  if (options.explain_time) {
    session.await_ends();  // which take their time, too
    fmt::print(stderr, "{}", present::to_text(time_table(session.timeline()->totals()), stdout_style()));
  }
  const auto kept = to_keep(outcome.traces, inputs, works);
  for (const std::string& name : inputs.tried) {
    const auto found = kept.find(name);
    if (found != kept.end() && !found->second.empty())
      add_tries(found->second.front().definition, name, found->second);
  }
  keep_references(kept);
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

// With the choice left to fib and a torch here, references run in the built-in engine where torch has timed
// them before, which tries do not ask for whose traces a dataset keeps, or that need no times.
bench::NativeReference native_reference_of(const EvalOptions& options,
                                           const bench::Environment& environment) {
  const auto engine = options.measure.config.reference;
  const bool has_torch = bench::why_no_torch(environment.python, environment.is_cuda()).empty();
  const bool is_likely = engine == bench::ReferenceEngine::kNative ||
                         (engine == bench::ReferenceEngine::kAuto &&
                          (!has_torch || (!options.add && options.measure.config.profile_baseline)));
  return is_likely ? bench::NativeReference::kLikely : bench::NativeReference::kUnlikely;
}

// Tries again whenever a file of the solutions changes, until Ctrl-C; a source that cannot be read is told
// and waited for. Meanwhile judge, workers and interpreters for the next try are made ready.
ExitCode watch(bench::Session& session, const EvalOptions& options, const bench::RunRequest& request,
               bool against_last) {
  // Somebody waits for it; but a look at many files takes a tenth of the time at most.
  constexpr std::chrono::nanoseconds kLook = std::chrono::milliseconds(20);
  constexpr int kRests = 9;
  const auto& interrupted = session.interrupted();
  std::map<fs::path, fs::file_time_type> tried;
  std::map<fs::path, fs::file_time_type> seen;  // in the look before
  std::string told;                             // of errors; one that stays is told once
  while (!interrupted) {
    bool is_told = options.format != EvalFormat::json;
    const auto began = std::chrono::steady_clock::now();
    auto rest = kLook;
    try {
      auto now = changes_of(options.words);
      rest = std::max(rest, kRests * (std::chrono::steady_clock::now() - began));
      // Editors write in pieces: what has changed is tried once it is the same in two looks.
      const bool is_settled = tried.empty() || seen == now;
      seen = now;
      if (now != tried && is_settled) {
        tried = std::move(now);
        told.clear();
        {
          const Turn turn(session);
          (void)evaluate_once(session, options, request, against_last, is_told);
          if (!interrupted) session.prepare_next(native_reference_of(options, session.environment()));
        }
        if (!interrupted)
          fmt::print(stderr, "watching {}; Ctrl-C ends\n", present::plural(tried.size(), "file"));
      }
    } catch (const std::exception& error) {  // files may be gone as one looks
      if (interrupted && !is_told) print_json_error(error.what());
      if (interrupted) break;
      if (std::exchange(told, error.what()) != error.what()) {
        spdlog::error("{}", error.what());
        if (!is_told) print_json_error(error.what());
      }
    }
    std::this_thread::sleep_for(rest);
  }
  return kInterrupted;
}

int evaluate(EvalOptions options, bool& is_told) {
  const bool against_last = options.words.against == kLast;
  if (against_last) options.words.against.clear();
  options.words.with_results = against_last;
  ChosenEnvironment machine = choose_environment(options.devices);
  bench::Environment& environment = machine.environment;
  environment.cache = dataset::own_cache_path();
  options.measure.finish(environment.kind());
  const bool is_kept = options.add || options.format == EvalFormat::json;
  const auto around = is_kept ? surroundings(machine.chosen, environment.python) : Surroundings{};
  const auto timeline = options.explain_time ? std::make_unique<util::Timeline>() : nullptr;
  bench::RunRequest request{FIB_VERSION, options.add, around.record, around.tools};
  request.count_work =
      options.measure.counted(options.add ? bench::CountWork::kOne : bench::CountWork::kNone);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);  // a worker must not read the run's secret
  if (options.watch) check_watched(options.words);
  read_stdin(options.words);  // while Ctrl-C still ends the process
  std::atomic<bool> interrupted = false;
  const InterruptSignals signals(interrupted);
  bench::Session session(environment, interrupted, timeline.get());
  return options.watch ? watch(session, options, request, against_last)
                       : evaluate_once(session, options, request, against_last, is_told);
}

// For programs an error of fib's own is an answer, too.
int run(const EvalOptions& options) {
  set_up_logging();
  bool is_told = options.format != EvalFormat::json;
  try {
    return evaluate(options, is_told);
  } catch (const CLI::ParseError&) {
    throw;  // wrong usage: nothing was tried
  } catch (const std::exception& error) {
    if (!is_told) print_json_error(error.what());
    throw;
  }
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
  eval->add_flag(
          "--replace", options->replace,
          "With --add: once everything has passed, take the place of a solution of the same name and author\n"
          "with another source")
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
  eval->add_flag("--full-log", options->full_log, "Whole logs of failures, not 20 lines of each");
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
      "Exit codes: 0 all that was tried passed, 1 something could not be evaluated, 2 wrong usage,\n"
      "3 something did not pass or cannot run on this machine, 130 interrupted.");
  eval->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace fib::cmd
