#include "export/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "commands.h"
#include "dataset/known_names.h"
#include "dataset/merge.h"
#include "dataset/named_runs.h"
#include "dataset/paths.h"
#include "dataset/trace_stream.h"
#include "export/trace_apply.h"
#include "filters.h"
#include "interrupt.h"
#include "logging.h"
#include "present/text.h"
#include "report/run_rest.h"
#include "report_common.h"
#include "util/error.h"
#include "util/files.h"

namespace fib::cmd {
namespace {

namespace fs = std::filesystem;

enum class ExportForm {
  dataset,
  jsonl,
  csv,
  json,
  md,
  sqlite,
  github,
  junit,
  job_summary,
  action_benchmark,
  bencher,
  trace_apply
};

struct ExportCommand {
  std::string local;
  std::string output;  // empty or "-": stdout
  ExportForm form = ExportForm::jsonl;
  RecordFilter records;
  std::optional<TraceChoice> choice;  // of the forms for CI
  bool skip_unreadable = false;

  [[nodiscard]] bool to_stdout() const { return output.empty() || output == "-"; }
};

exports::TextForm text_form(ExportForm form) {
  if (form == ExportForm::csv) return exports::TextForm::csv;
  if (form == ExportForm::md) return exports::TextForm::md;
  return form == ExportForm::json ? exports::TextForm::json : exports::TextForm::jsonl;
}

std::optional<exports::CiForm> ci_form(ExportForm form) {
  if (form == ExportForm::github) return exports::CiForm::github;
  if (form == ExportForm::junit) return exports::CiForm::junit;
  if (form == ExportForm::job_summary) return exports::CiForm::job_summary;
  if (form == ExportForm::action_benchmark) return exports::CiForm::action_benchmark;
  if (form == ExportForm::bencher) return exports::CiForm::bencher;
  return std::nullopt;
}

// A run that ended early looks whole in what is exported of it.
void warn_of_the_rest(const fs::path& root, const std::string& run_id) {
  const auto rest = report::rest_of_run(root, run_id);
  if (!rest.is_none()) fmt::print(stderr, "warning: {}\n", rest.text());
}

bool names_runs(const ExportCommand& command) {
  return !command.records.run.empty() || !command.records.filter.excluded_runs.empty();
}

// What the options say of `loaded`, with its runs named. Throws Error when one is not there.
dataset::Filter filter_of(const ExportCommand& command, const dataset::Dataset& loaded,
                          std::vector<std::string>& unreadable) {
  dataset::Filter filter = command.records.parsed();
  if (!names_runs(command)) return filter;
  std::vector<dataset::Problem> problems;
  dataset::name_runs(filter, loaded.root, dataset::read_results(loaded), &problems);
  for (const auto& problem : problems)
    unreadable.push_back((fs::path(command.local) / dataset::to_string(problem)).string());
  if (filter.run) warn_of_the_rest(loaded.root, *filter.run);
  return filter;
}

// Writes the text of the form in pieces; returns the number of traces or results in it.
std::size_t make_text(const ExportCommand& command, const dataset::Dataset& loaded,
                      const dataset::Filter& filter, std::vector<std::string>& unreadable,
                      const std::function<void(std::string_view)>& write,
                      const std::atomic<bool>* interrupted) {
  if (const auto form = ci_form(command.form)) {
    const TraceChoice choice = command.choice.value_or(TraceChoice::standing);
    return exports::export_ci(loaded, with_choice(filter, choice, loaded), *form, unreadable, write,
                              interrupted);
  }
  return exports::export_text(loaded, filter, text_form(command.form), unreadable, write, interrupted);
}

// Nothing is written for a dataset with unreadable records unless that was asked for.
void check_readable(const std::vector<std::string>& unreadable, bool skip) {
  if (unreadable.empty()) return;
  print_errors(unreadable, "");
  if (skip) return;
  const bool one = unreadable.size() == 1;
  throw Error("{} of the dataset cannot be read; correct {}, or leave {} out with --skip-unreadable",
              one ? "a record" : fmt::format("{} records", unreadable.size()), one ? "it" : "them",
              one ? "it" : "them");
}

std::size_t write_text(const ExportCommand& command, const dataset::Dataset& loaded,
                       const dataset::Filter& filter, std::vector<std::string>& unreadable,
                       const std::atomic<bool>& interrupted) {
  if (command.to_stdout()) {
    // What CI reads says nothing good of a dataset before all of it was read.
    std::string kept;
    const auto print = [](std::string_view text) { print_result(std::string(text)); };
    const auto keep = [&](std::string_view text) { kept += text; };
    const bool for_ci = ci_form(command.form).has_value();
    const std::size_t count = for_ci ? make_text(command, loaded, filter, unreadable, keep, nullptr)
                                     : make_text(command, loaded, filter, unreadable, print, nullptr);
    if (for_ci) {
      check_readable(unreadable, command.skip_unreadable);
      unreadable.clear();
      print(kept);
    }
    return count;
  }
  const util::NewFile file(command.output);
  std::FILE* stream = std::fopen(file.path().c_str(), "wb");
  if (stream == nullptr) throw Error("cannot create {}", file.path().string());
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> closer(stream, std::fclose);
  bool written = true;
  const auto write = [&](std::string_view text) {
    written = written && std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  };
  const std::size_t count = make_text(command, loaded, filter, unreadable, write, &interrupted);
  if (std::fflush(stream) != 0 || !written) throw Error("cannot write {}; is the disk full?", command.output);
  check_readable(unreadable, command.skip_unreadable);
  file.publish();
  return count;
}

std::size_t write_sqlite(const ExportCommand& command, const dataset::Dataset& loaded,
                         const dataset::Filter& filter, std::vector<std::string>& unreadable,
                         const std::atomic<bool>& interrupted) {
  const util::NewFile file(command.output);
  const std::size_t count =
      exports::export_sqlite(loaded, filter, file.path().string(), unreadable, &interrupted);
  check_readable(unreadable, command.skip_unreadable);
  file.publish();
  return count;
}

int export_dataset(const ExportCommand& command, const std::atomic<bool>& interrupted) {
  dataset::MergeOptions options;
  options.interrupted = &interrupted;
  std::vector<std::string> unreadable;  // told by merge() as well
  options.filter =
      names_runs(command)
          ? filter_of(command, dataset::load_without_results(command.local, unreadable), unreadable)
          : command.records.parsed();
  options.skip_unreadable = command.skip_unreadable;
  const auto report = dataset::merge({command.local}, command.output, options);
  check_readable(report.unreadable, true);
  fmt::print(stderr, "{}, {}, {} and {} exported to {}\n", present::plural(report.traces.written, "trace"),
             present::plural(report.solutions.written, "solution"),
             present::plural(report.workloads.written, "workload"),
             present::plural(report.definitions.written, "definition"), command.output);
  return kDone;
}

void print_applied(const exports::TraceApplyReport& report, const std::string& output) {
  const auto words = [](const std::string& text) { return present::printable(text); };
  for (const auto& one : report.chosen) {
    const bool is_part = one.workloads < one.all_workloads;
    fmt::print("{}: {} by {}, {} ms over {}\n", words(one.definition), words(one.solution), words(one.author),
               present::format_ms(one.latency_ms),
               is_part ? fmt::format("{} of {} workloads; the others have no results", one.workloads,
                                     one.all_workloads)
                       : present::plural(one.workloads, "workload"));
    for (const auto& faster : one.faster)
      fmt::print("  faster, but not to be applied ({} ms): {}: {}\n", present::format_ms(faster.latency_ms),
                 words(faster.solution), words(faster.reason));
  }
  for (const std::string& line : report.none) fmt::print(stderr, "left out: {}\n", words(line));
  if (!report.without_api.empty())
    fmt::print(stderr,
               "warning: {} no tag fi_api:, so that FlashInfer may have no function of that name: {}\n",
               report.without_api.size() == 1 ? "a definition has" : "some definitions have",
               words(fmt::format("{}", fmt::join(report.without_api, ", "))));
  fmt::print(stderr,
             "{} for {} exported to {}; FLASHINFER_TRACE_APPLY=1 and FLASHINFER_TRACE_APPLY_PATH={} apply "
             "{}\n",
             present::plural(report.chosen.size(), "solution"), words(report.hardware), output, output,
             report.chosen.size() == 1 ? "it" : "them");
}

int export_applied(const ExportCommand& command, const std::atomic<bool>& interrupted) {
  std::vector<std::string> unreadable;
  const auto loaded = dataset::load_without_results(command.local, unreadable);
  dataset::KnownNames(loaded).check(command.records.parsed());
  const auto filter = with_choice(filter_of(command, loaded, unreadable), TraceChoice::standing, loaded);
  const auto report = exports::choose_trace_apply(loaded, filter, unreadable, &interrupted);
  check_readable(unreadable, command.skip_unreadable);
  exports::write_trace_apply(report, loaded, command.output);
  print_applied(report, command.output);
  return kDone;
}

// What CLI11 cannot check option by option.
void check_usage(const ExportCommand& command) {
  const bool needs_file = command.form == ExportForm::dataset || command.form == ExportForm::sqlite ||
                          command.form == ExportForm::trace_apply;
  if (needs_file && command.to_stdout())
    throw CLI::ValidationError(
        "--output", "formats dataset, sqlite and trace-apply cannot go to stdout; name a file or folder");
  if (command.choice && !ci_form(command.form))
    throw CLI::ValidationError("--traces", "is of the forms for CI; the others hold every trace");
  const bool ranks = command.form == ExportForm::job_summary || command.form == ExportForm::trace_apply;
  if (ranks && !command.records.filter.statuses.empty())
    throw CLI::ValidationError("--status",
                               "formats job-summary and trace-apply rank solutions by all of their results");
  static_cast<void>(command.records.parsed());
}

int write_file_or_stdout(const ExportCommand& command, const std::atomic<bool>& interrupted) {
  if (command.form == ExportForm::dataset) return export_dataset(command, interrupted);
  if (command.form == ExportForm::trace_apply) return export_applied(command, interrupted);
  std::vector<std::string> unreadable;
  const auto loaded = dataset::load_without_results(command.local, unreadable);
  dataset::KnownNames(loaded).check(command.records.parsed());
  const dataset::Filter filter = filter_of(command, loaded, unreadable);
  const std::size_t count = command.form == ExportForm::sqlite
                                ? write_sqlite(command, loaded, filter, unreadable, interrupted)
                                : write_text(command, loaded, filter, unreadable, interrupted);
  if (count == 0) note_hardware(filter, command.local);
  if (command.to_stdout()) {
    check_readable(unreadable, command.skip_unreadable);
  } else {
    const char* what = ci_form(command.form) ? "result" : "trace";
    fmt::print(stderr, "{} exported to {}\n", present::plural(count, what), command.output);
  }
  return kDone;
}

// What is written below a dataset goes through none of its links, which may lead anywhere.
void expect_no_link(const fs::path& output, const fs::path& dataset) {
  std::error_code error;
  fs::path walked;
  bool is_inside = false;
  for (const auto& part : fs::absolute(output).lexically_normal()) {
    walked /= part;
    if (is_inside && fs::is_symlink(walked, error))
      throw Error("{} is a link in the dataset's folder: remove it, or name another file", walked.string());
    is_inside = is_inside || fs::equivalent(walked, dataset, error);
  }
}

int run(ExportCommand command) {
  check_usage(command);
  if (command.local.empty()) command.local = dataset::default_dataset_path().string();
  dataset::expect_dataset_folder(command.local);
  if (!command.to_stdout()) expect_no_link(command.output, command.local);
  // An export to stdout has nothing to clean up: there, signals do what they always do.
  if (command.to_stdout()) return write_file_or_stdout(command, false);
  return until_interrupted(
      [&](const std::atomic<bool>& interrupted) { return write_file_or_stdout(command, interrupted); });
}

}  // namespace

void add_export(CLI::App& app, int& exit_code) {
  auto command = std::make_shared<ExportCommand>();
  CLI::App* app_export =
      app.add_subcommand("export", "Write a dataset's records in another form, or a part of it");
  app_export->add_option("--local", command->local, "Dataset folder")->type_name("DIR");
  app_export->add_option("--output", command->output, "File or folder to write; default: stdout")
      ->type_name("PATH");
  add_choice(*app_export, "--format", command->form, "Form of the output; default: jsonl",
             {{"dataset", ExportForm::dataset},
              {"jsonl", ExportForm::jsonl},
              {"csv", ExportForm::csv},
              {"json", ExportForm::json},
              {"md", ExportForm::md},
              {"sqlite", ExportForm::sqlite},
              {"github", ExportForm::github},
              {"junit", ExportForm::junit},
              {"job-summary", ExportForm::job_summary},
              {"github-action-benchmark", ExportForm::action_benchmark},
              {"bencher", ExportForm::bencher},
              {"trace-apply", ExportForm::trace_apply}})
      ->type_name("FORMAT");
  add_record_filter(*app_export, command->records, ByStatus::yes);
  add_log_level(*app_export, "info");
  add_trace_choice(*app_export, command->choice);
  app_export->add_flag("--skip-unreadable", command->skip_unreadable,
                       "Leave out files and lines that cannot be read");
  app_export->footer(
      std::string(
          "Examples:\n"
          "  fib export --local D --format csv --status PASSED > passed.csv\n"
          "  fib export --local D --format sqlite --output d.sqlite\n"
          "  fib export --local D --format dataset --definitions 'gemm_*' --output gemms\n"
          "  fib export --local D --run last --format job-summary >> \"$GITHUB_STEP_SUMMARY\"\n"
          "  sqlite3 d.sqlite 'select * from best_per_definition'\n"
          "Form dataset is a dataset of its own, with blobs; sqlite has tables and views that\n"
          "docs/datasets.md describes. For CI, of the result of each solution and workload that\n"
          "stands (docs/reports.md):\n"
          "github (workflow commands: annotations), junit (XML), job-summary (Markdown for\n"
          "$GITHUB_STEP_SUMMARY), github-action-benchmark and bencher (JSON of these trackers); see\n"
          "docs/ci.md. They do not fail when results do: fib run --strict and fib report compare\n"
          "--fail-on-regression do. trace-apply is a folder with the best solution of each definition\n"
          "as FlashInfer's Trace Apply reads it (docs/datasets.md). A file or folder appears whole or\n"
          "not at all.\n") +
      kLocalDefault +
      "Exit codes: 0 done, 1 the dataset cannot be read or the output not be written,\n"
      "2 wrong usage, 130 interrupted.");
  app_export->callback([command, &exit_code] { exit_code = run(*command); });
}

}  // namespace fib::cmd
