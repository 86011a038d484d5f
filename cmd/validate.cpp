#include "validate/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>

#include "choice.h"
#include "commands.h"
#include "dataset/links.h"
#include "dataset/merge.h"
#include "dataset/paths.h"
#include "interrupt.h"
#include "present/source_text.h"
#include "present/text.h"
#include "report_common.h"
#include "util/clock.h"
#include "util/closest.h"
#include "util/error.h"
#include "util/files.h"
#include "validate/report_digest.h"
#include "validate_benchmark.h"
#include "validate_reference.h"
#include "validate_strength.h"

namespace fib::cmd {
namespace {

namespace fs = std::filesystem;

enum class ValidateForm { table, json, github, junit };

struct ValidateOptions {
  std::string local;
  std::string fixed;  // where a repaired copy goes; empty: none
  validate::Options validate;
  ValidateForm form = ValidateForm::table;
  std::string output_folder;
  std::vector<std::string> outputs;
  std::vector<std::string> devices;  // to run baselines on; empty: they are not
  std::size_t synthesize = 0;        // workloads proposed to compare engines on
  bool strict = false;
  bool verbose = false;
};

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Which checks there are depends on the mode, so this waits until all words were read.
void check_words(const validate::Options& options) {
  const auto known = validate::known_checks(options.mode);
  for (const std::string& check : options.checks) {
    if (contains(known, check)) continue;
    if (contains(validate::known_checks(model::Mode::lenient), check))
      throw CLI::ValidationError("--checks", fmt::format("{} is no check of --mode upstream", check));
    const auto alike = util::did_you_mean(check, known);
    throw CLI::ValidationError(
        "--checks",
        fmt::format("there is no check {}{}", check,
                    alike.empty() ? fmt::format("; there are: {}", fmt::join(known, ", ")) : alike));
  }
  const bool only_benchmark =
      !options.checks.empty() && std::all_of(options.checks.begin(), options.checks.end(),
                                             [](const std::string& check) { return check == "benchmark"; });
  const bool benchmark = options.checks.empty() || contains(options.checks, "benchmark");
  if (options.benchmark && !benchmark && !contains(options.checks, "reference")) {
    throw CLI::ValidationError("--device", "runs nothing, for --checks leaves out benchmark and reference");
  }
  if (only_benchmark && !options.benchmark) {
    throw CLI::ValidationError("--checks",
                               "benchmark alone checks nothing without a --device to run baselines on");
  }
}

// "report-20260317-141819", in UTC.
std::string report_name() {
  const std::string now = util::utc_compact();  // "20260317T141819.827915Z"
  return "report-" + now.substr(0, 8) + "-" + now.substr(9, 6);
}

// The files to write, by output; none of them may be there already.
class ReportFiles {
 public:
  ReportFiles(const ValidateOptions& options, const fs::path& root) {
    const fs::path folder =
        options.output_folder.empty() ? root / "reports" : fs::path(options.output_folder);
    const std::string name = report_name();
    if (contains(options.outputs, "json")) json_ = claim(folder / (name + ".json"));
    if (contains(options.outputs, "text")) text_ = claim(folder / (name + ".txt"));
    const bool is_written = !json_.empty() || !text_.empty();
    if (is_written && options.output_folder.empty() && dataset::leads_out(folder / name, root))
      throw Error("{} is a link out of the dataset; name an --output-folder", folder.string());
  }

  void write(const validate::Report& report) const {
    if (!json_.empty()) util::write_file_atomic(json_, to_json(report));
    if (!text_.empty()) util::write_file_atomic(text_, to_text(report));
  }

 private:
  static fs::path claim(const fs::path& file) {
    if (!fs::exists(file)) return file;
    throw Error("report file already exists: {}; try again in a second, or name another --output-folder",
                file.string());
  }

  fs::path json_;
  fs::path text_;
};

std::string rendered(const validate::Report& report, const ValidateOptions& options) {
  switch (options.form) {
    case ValidateForm::table: {
      const bool is_particular = !options.validate.checks.empty() || !options.devices.empty();
      const bool is_whole = options.verbose || is_particular || report.mode == model::Mode::upstream;
      return is_whole ? to_text(report) : to_digest(report, stdout_style());
    }
    case ValidateForm::json:
      return to_json(report) + "\n";
    case ValidateForm::github:
      return to_github(report);
    case ValidateForm::junit:
      return to_junit(report, options.strict);
  }
  return "";
}

// In upstream mode the report has no place for notes.
void print_notes(const validate::Report& report) {
  if (report.mode != model::Mode::upstream) return;
  for (const std::string& note : report.notes) fmt::print(stderr, "note: {}\n", present::quoted_lines(note));
}

// Makes a copy of the dataset at `fixed`, in the newest layout, with what is mechanical repaired, and says
// what was done. Exit code 3: something had to be left out.
int fix(const fs::path& root, const fs::path& fixed) {
  return until_interrupted([&](const std::atomic<bool>& interrupted) {
    dataset::MergeOptions options;
    options.repair = true;
    options.skip_unreadable = true;
    options.interrupted = &interrupted;
    const auto report = dataset::merge({root}, fixed, options);
    for (const auto& line : report.repairs) fmt::print(stderr, "repaired: {}\n", present::quoted_lines(line));
    for (const auto& path : report.missing_blobs)
      fmt::print(stderr, "not there: the blob {}\n", present::printable(path));
    for (const auto& line : report.unreadable)
      fmt::print(stderr, "left out: {}\n", present::quoted_lines(line));
    return report.unreadable.empty() ? kDone : kGateFailed;
  });
}

// `interrupted` becomes true by Ctrl-C while baselines or references run.
int validate_all(ValidateOptions options, std::atomic<bool>& interrupted) {
  if (options.validate.disable_gpu && !options.devices.empty())
    throw CLI::ValidationError("--device", "contradicts --disable-gpu");
  if (options.outputs.empty()) {
    options.outputs = {"stdout"};
    if (!options.output_folder.empty()) options.outputs = {"stdout", "json", "text"};
  }
  fs::path root = options.local.empty() ? dataset::default_dataset_path() : fs::path(options.local);
  if (!options.devices.empty()) {
    options.validate.benchmark = [&](const std::vector<std::string>& definitions) {
      const InterruptSignals signals(interrupted);
      return run_baselines(root, definitions, options.devices, interrupted);
    };
  }
  options.validate.reference = [&](const std::vector<std::string>& definitions) {
    const InterruptSignals signals(interrupted);
    return compare_engines({root, options.devices, options.synthesize}, definitions, interrupted);
  };
  options.validate.strength = [&](const std::vector<std::string>& definitions) {
    const InterruptSignals signals(interrupted);
    return judge_null_answers(root, options.synthesize, definitions, interrupted);
  };
  check_words(options.validate);
  if (options.synthesize > 0 && !contains(options.validate.checks, "reference") &&
      !contains(options.validate.checks, "workload-strength"))
    throw CLI::ValidationError("--synthesize",
                               "only --checks reference and workload-strength run proposed workloads");
  int fixed = kDone;
  if (!options.fixed.empty()) {
    fixed = fix(root, options.fixed);
    if (fixed == kInterrupted) return fixed;
    root = options.fixed;
  }
  const ReportFiles files(options, root);
  const validate::Report report = validate::validate(root, options.validate);
  files.write(report);
  print_notes(report);
  if (contains(options.outputs, "stdout")) print_result(rendered(report, options));
  const validate::Status worst = status_of(report);
  if (interrupted) return kInterrupted;
  const bool failed =
      worst == validate::Status::error || (options.strict && worst == validate::Status::warning);
  if (failed) return kGateFailed;
  if (report.definitions.empty()) {
    fmt::print(
        stderr, "error: {} has no definitions{} to check\n", root.string(),
        options.validate.definitions.empty() && options.validate.op_types.empty() ? "" : " of those names");
    return kNotAllDone;
  }
  return fixed;
}

int run(const ValidateOptions& options) {
  std::atomic<bool> interrupted = false;
  return unless_interrupted(interrupted, [&] { return validate_all(options, interrupted); });
}

void add_selection(CLI::App& app, ValidateOptions& options) {
  app.add_option("--local,--dataset", options.local, "Dataset folder")->type_name("DIR");
  app.add_option("--checks", options.validate.checks,
                 "Only these checks, separated by commas; default: all but reference and "
                 "workload-strength, which run references")
      ->delimiter(',')
      ->type_name("CHECK");
  app.add_option("--op-types", options.validate.op_types, "Only definitions of these op types")
      ->delimiter(',');
  app.add_option("--definitions", options.validate.definitions,
                 "Only these definitions; with --op-types, also these")
      ->delimiter(',');
  add_choice(app, "--mode", options.validate.mode,
             "lenient (default) reads records of all generations and adds fib's checks; upstream accepts and "
             "rejects what the format's first implementation does, by its seven checks",
             {{"lenient", model::Mode::lenient}, {"upstream", model::Mode::upstream}})
      ->type_name("MODE");
  app.add_option("--fix", options.fixed,
                 "Write a repaired copy to this new folder, and validate that: files where the layout wants "
                 "them, missing names from paths, old field names renewed, broken records left out")
      ->type_name("DIR");
  app.add_option(
         "--device", options.devices,
         "Build and run the baselines too (the benchmark check), on auto, cpu, cuda, cuda:N, or a list; the "
         "reference check runs torch there, on the CPU without it")
      ->delimiter(',')
      ->type_name("DEVICE");
  app.add_option(
         "--synthesize", options.synthesize,
         "The checks reference and workload-strength: propose N workloads for each definition that has none")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  app.add_flag("--disable-gpu", options.validate.disable_gpu,
               "Do not mention that the baselines were not run");
}

void add_output(CLI::App& app, ValidateOptions& options) {
  add_choice(app, "--format", options.form, "Form of the output on stdout; default: table",
             {{"table", ValidateForm::table},
              {"json", ValidateForm::json},
              {"github", ValidateForm::github},
              {"junit", ValidateForm::junit}})
      ->type_name("FORMAT");
  app.add_option("--outputs", options.outputs,
                 "Where to: stdout, json and text files, separated by commas; default: stdout, and with "
                 "--output-folder all three")
      ->delimiter(',')
      ->check(one_of({"stdout", "json", "text"}))
      ->type_name("OUTPUT");
  app.add_option("--output-folder", options.output_folder,
                 "Folder of report-YYYYMMDD-HHMMSS.json and .txt; default: reports/ in the dataset")
      ->type_name("DIR");
  app.add_flag("--strict", options.strict, "Fail on warnings too");
  app.add_flag(
      "--verbose", options.verbose,
      "Every message of every definition, as with --checks or --device; else one line for each kind");
}

std::string checks_line() {
  return fmt::format("Checks: {}.\n", fmt::join(validate::known_checks(model::Mode::lenient), ", "));
}

}  // namespace

void add_validate(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App* command = app.add_subcommand("validate", "Check that a dataset is well formed");
  add_selection(*command, *options);
  add_output(*command, *options);
  command->footer(
      checks_line() +
      "Exit codes: 0 no errors, 3 errors (with --strict also warnings), 1 the dataset cannot be read, or\n"
      "has no definitions to check, 2 wrong usage.\n"
      "Examples:\n"
      "  fib validate --local DIR\n"
      "  fib validate --local DIR --strict --format github\n"
      "  fib validate --local OLD --fix NEW\n"
      "  fib validate --local DIR --device auto --definitions gemm_n4096_k4096\n"
      "  fib validate --local DIR --checks reference --synthesize 3\n"
      "  fib validate --local DIR --mode upstream --checks layout,definition --outputs json\n" +
      kLocalDefault);
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace fib::cmd
