#include "run_options.h"

#include "choice.h"
#include "filters.h"
#include "logging.h"
#include "report_common.h"

namespace fib::cmd {
namespace {

void add_selection(CLI::App& app, RunOptions& o) {
  const char* group = "What to run";
  app.add_option("--local", o.local,
                 "Dataset folder; repeatable (default: FIB_DATASET_PATH, then "
                 "~/.cache/flashinfer_bench/dataset)")
      ->allow_extra_args(false)
      ->type_name("DIR")
      ->group(group);
  app.add_option("--device", o.devices, "auto (all GPUs, or the CPU), cpu, cuda, cuda:N, or a list")
      ->delimiter(',')
      ->group(group);
  add_catalog_filter(app, o.filter, group);
  app.add_option(
         "--sweep", o.sweep,
         "Run everything once for each of these values, of an option below (iterations=10,50)\nor of a "
         "variable axis (batch_size=1,64); repeatable: all combinations")
      ->allow_extra_args(false)
      ->type_name("KEY=V1,V2,...")
      ->group(group);
  app.add_flag(
         "--synthesize-missing", o.measure.config.synthesize_missing,
         "Make inputs whose blobs are missing, and indices that would be random numbers: integers that fit\n"
         "the definition, the same in every run; floats at random. Traces say so")
      ->group(group);
  app.add_flag("--resume", o.resume,
               "Skip what has a trace of the same workload, solution, hardware and options")
      ->group(group);
  app.add_flag("--retry-failed", o.retry_failed, "The same, but what did not pass is done again")
      ->group(group);
  app.add_option("--since", o.since,
                 "With these two: what has a trace from before this time alone is done again")
      ->type_name("TIME")
      ->group(group);
  app.add_flag("--fail-fast", o.limits.fail_fast,
               "Begin no evaluation after one that did not pass, and end with exit code 3")
      ->group(group);
  app.add_option("--max-time", o.limits.max_time_s,
                 "Begin no build and no evaluation when the run has taken so many seconds; what has begun\n"
                 "is finished. What is left is not done: exit code 1; --resume --since does it")
      ->check(number_check(0, true))
      ->type_name("SECONDS")
      ->group(group);
  app.add_option("--skip-after", o.limits.skip_after,
                 "A solution with so many failures gets the last one's status on all further workloads,\n"
                 "without being run; a TIMEOUT is as many, wrong numbers are none; 0: runs every one")
      ->check(number_check(0, false))
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  app.add_flag("--dry-run", o.dry_run, "Print the plan and run nothing")->group(group);
}

void add_gate(CLI::App& app, RunOptions& o) {
  const char* group = kJudgingGroup;
  app.add_flag(
         "--strict", o.gate.strict,
         "Exit code 3 unless something was evaluated, everything passed (what --resume skips too), and\n"
         "no solution was skipped; 1 when files of the dataset do not load")
      ->group(group);
  app.add_flag("--allow-skipped", o.gate.allow_skipped,
               "With --strict: solutions may be skipped that this machine cannot run")
      ->group(group);
  app.add_option("--expect", o.gate.expected_results,
                 "Exit code 3 unless there are so many results, those that --resume skips too")
      ->check(number_check(0, false))
      ->type_name("N")
      ->group(group);
  app.add_flag("--strict-load", o.strict_load, "Do not run when any file or line cannot be loaded")
      ->group(group);
}

}  // namespace

void add_run_options(CLI::App& app, RunOptions& o) {
  add_selection(app, o);
  add_measuring(app, o.measure);
  add_judging(app, o.measure);
  add_config_file(app, o.measure);
  add_gate(app, o);
  add_confining(app, o.measure);
  app.add_flag("--save-results,!--no-save-results", o.save_results,
               "Append traces to the datasets (on by default)");
  app.add_option("--tag", o.tags, "Kept in the run's record and its traces, shown by fib history; repeatable")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  app.add_flag("--explain-time", o.explain_time,
               "Print where the time went: starts, builds, references, calls, comparisons");
  app.add_option("--timeline", o.timeline,
                 "Write what each process and each GPU did when, in Chrome's trace format (ui.perfetto.dev "
                 "draws it)")
      ->type_name("FILE");
  app.add_flag("--quiet", o.quiet, "No progress, no line for what passed, no table of results at the end");
  add_choice(app, "--format", o.format,
             "text (default), or jsonl: on stdout an event a line as things happen, and nothing else\n"
             "(docs/run-events.md)",
             {{"text", RunFormat::text}, {"jsonl", RunFormat::jsonl}})
      ->type_name("FORMAT");
  add_log_level(app, "info");
}

}  // namespace fib::cmd
