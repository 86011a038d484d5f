#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "bench/ncu_report.h"
#include "bench/sanitizers.h"
#include "choice.h"
#include "commands.h"
#include "devices.h"
#include "environment.h"
#include "eval_inputs.h"
#include "interrupt.h"
#include "json_error.h"
#include "logging.h"
#include "measure_options.h"
#include "present/document.h"
#include "present/text.h"
#include "profile/ncu_page.h"
#include "profile/profile_page.h"
#include "report/result_json.h"
#include "report_common.h"
#include "try_each.h"
#include "util/command.h"
#include "util/error.h"
#include "util/files.h"

namespace fib::cmd {
namespace {

namespace fs = std::filesystem;

enum class ProfileFormat { table, json, md };

struct ProfileOptions {
  EvalWords words;
  std::vector<std::string> devices;
  MeasureOptions measure;
  std::string set = "detailed";
  std::vector<std::string> sections;
  std::string kernel_name;
  std::string page;    // ncu's own page in place of fib's: details, raw, source; empty: fib's
  std::string output;  // where ncu's report file goes; empty: nowhere
  std::size_t max_lines = 0;
  bool list_sets = false;
  bool list_sections = false;
  ProfileFormat format = ProfileFormat::table;
};

// A program's path, or its name where PATH or the toolkit has one.
std::string named_ncu(const std::string& named) {
  const bool is_path = named.find('/') != std::string::npos;
  const std::string program = is_path ? named : bench::find_cuda_tool(named);
  std::error_code unknown;
  if (!fs::is_regular_file(program, unknown) || ::access(program.c_str(), X_OK) != 0)
    throw Error("NCU names {}, which is no program that can be started: name Nsight Compute's ncu", named);
  return program;
}

std::string find_ncu() {
  const char* named = std::getenv("NCU");
  if (named != nullptr && *named != '\0') return named_ncu(named);
  const std::string program = bench::find_cuda_tool("ncu");
  if (program.empty())
    throw Error(
        "ncu, Nsight Compute's command line, is not here: it comes with the CUDA toolkit (NCU, PATH, "
        "CUDA_HOME)");
  return program;
}

bench::ProbeTool tool_of(const ProfileOptions& options, const std::string& ncu, const fs::path& report) {
  bench::ProbeTool tool;
  tool.words = {ncu,
                "--profile-from-start",
                "off",
                "--clock-control",
                "none",
                "--export",
                report.string(),
                "--force-overwrite",
                "--set",
                options.set,
                "--metrics",
                profile::wanted_metrics()};
  for (const std::string& section : options.sections)
    tool.words.insert(tool.words.end(), {"--section", section});
  if (!options.kernel_name.empty())
    tool.words.insert(tool.words.end(), {"--kernel-name", options.kernel_name});
  tool.cuda_cflags = {"-lineinfo"};
  tool.writable = {report.parent_path()};
  tool.limits_data = false;
  return tool;
}

// Whether the report could be kept, where it is to be.
bool profile_one(const ProfileOptions& options, const std::string& ncu, bench::Session& session,
                 const dataset::Dataset& dataset, const model::Solution& solution,
                 const model::Workload& workload, profile::Profiled& profiled) {
  session.begin(options.measure.config);
  const util::TemporaryFolder folder(session.temporary(), "profile-");
  const fs::path report = folder.path() / bench::kNcuReport;
  const auto outcome =
      bench::run_probe(session, options.measure.config, solution, dataset.definitions.at(solution.definition),
                       workload, dataset.root, tool_of(options, ncu, report));
  const auto written = bench::report_in(folder.path());
  if (outcome.end != bench::ProbeOutcome::End::called || !written) {
    profiled.not_done = profile::why_nothing(outcome.output);
    if (profiled.not_done.empty()) profiled.not_done = outcome.reason;
    if (profiled.not_done.empty()) profiled.not_done = "ncu left no report: " + outcome.output;
    return true;
  }
  const bench::ReportReader reader(session, options.measure.config, ncu, *written);
  profiled.kernels = profile::read_raw_page(reader.page({"--csv", "--page", "raw", "--print-units", "base"}));
  if (profiled.kernels.empty()) {
    profiled.not_done = "no kernel was launched in the call";
  } else {
    profile::add_rules(profiled.kernels, reader.page({"--csv", "--page", "details"}));
  }
  if (!options.page.empty()) profiled.page = reader.page({"--page", options.page});
  if (options.output.empty()) return true;
  std::error_code error;
  fs::copy_file(reader.file(), options.output, fs::copy_options::overwrite_existing, error);
  if (error)
    spdlog::error("cannot keep ncu's report in {}: {}", present::printable(options.output), error.message());
  return !error;
}

// Those of ncu itself, which have names and sources of solutions in them.
std::string ncu_pages(const std::vector<profile::Profiled>& all) {
  std::string pages;
  for (const profile::Profiled& one : all) {
    if (!one.not_done.empty())
      spdlog::error("{}: {}", present::printable(one.solution), present::printable(one.not_done));
    std::istringstream lines(one.page);
    for (std::string line; std::getline(lines, line);) pages += present::printable(line) + "\n";
  }
  return pages;
}

std::string as_text(const ProfileOptions& options, const std::vector<profile::Profiled>& all) {
  const auto form = options.format == ProfileFormat::md ? present::Format::md : present::Format::table;
  const std::string text =
      options.page.empty() ? profile::to_text(all, form, stdout_style()) : ncu_pages(all);
  return profile::first_lines(text, options.max_lines);
}

std::string as_json(const std::vector<profile::Profiled>& all) {
  return report::indented_json(
             {{"schema_version", 1}, {"fib", FIB_VERSION}, {"profiled", profile::to_json(all)}}) +
         "\n";
}

int run(ProfileOptions options) {
  set_up_logging();
  if (options.list_sets || options.list_sections) {
    if (options.format == ProfileFormat::json)
      throw CLI::ValidationError(options.list_sets ? "--list-sets" : "--list-sections",
                                 "ncu's own lists are text: not with --format json");
    const auto listed =
        util::run_command({find_ncu(), options.list_sets ? "--list-sets" : "--list-sections"}, "/");
    print_result(listed.output);
    return listed.succeeded() ? kDone : kNotAllDone;
  }
  if (options.words.solutions.empty()) throw CLI::RequiredError("solution");
  if (!options.page.empty() && options.format == ProfileFormat::json)
    throw CLI::ValidationError("--page", "ncu's own pages are text: not with --format json");
  const std::string ncu = find_ncu();
  const ChosenDevices devices = choose_devices(options.devices);
  const auto& device = devices.devices.front();
  if (!device.is_cuda())
    throw Error("ncu profiles kernels on NVIDIA GPUs; this machine has none, or --device says cpu");
  options.measure.finish(device.kind);
  if (options.measure.sandbox == "strict")
    throw Error("ncu does not run in the whole sandbox, which --sandbox strict asks for: docs/profile.md");
  read_stdin(options.words);
  const EvalInputs inputs = read_eval_inputs(options.words, device.kind);
  std::atomic<bool> interrupted = false;
  const InterruptSignals signals(interrupted);
  bench::Session session(environment_of({device}), interrupted);
  std::vector<profile::Profiled> all;
  bool is_kept = true;
  for_each_try(inputs, interrupted, [&](const auto& dataset, const auto& solution, const auto& workload) {
    profile::Profiled& profiled =
        all.emplace_back(profile::Profiled{solution.name, solution.definition, workload.uuid, {}, "", ""});
    try {
      if (!profile_one(options, ncu, session, dataset, solution, workload, profiled)) is_kept = false;
    } catch (const std::exception& error) {
      profiled.not_done = error.what();  // which is no reason to lose the others
    }
  });
  print_result(options.format == ProfileFormat::json ? as_json(all) : as_text(options, all));
  if (interrupted) return kInterrupted;
  const bool is_all_done =
      std::all_of(all.begin(), all.end(), [](const profile::Profiled& one) { return one.not_done.empty(); });
  return is_all_done && is_kept ? kDone : kNotAllDone;
}

void add_ncu_options(CLI::App& app, ProfileOptions& o) {
  const char* group = "What to measure";
  app.add_option("--set", o.set, "ncu's set of sections")
      ->capture_default_str()
      ->type_name("SET")
      ->group(group);
  app.add_option("--section", o.sections, "One more of its sections; repeatable")
      ->allow_extra_args(false)
      ->type_name("SECTION")
      ->group(group);
  app.add_option("--kernel-name", o.kernel_name, "Only kernels of this name, or regex:PATTERN")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--page", o.page, "Print ncu's own page: details, raw or source")
      ->check(one_of({"details", "raw", "source"}))
      ->type_name("PAGE")
      ->group(group);
  app.add_option("--output", o.output, "Keep ncu's report in this file (of several the last)")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--max-lines", o.max_lines, "Print no more lines; 0: all")
      ->check(number_check(0, false))
      ->type_name("N")
      ->group(group);
  app.add_flag("--list-sets", o.list_sets, "Print what ncu has for --set")->group(group);
  app.add_flag("--list-sections", o.list_sections, "Print what ncu has for --section")->group(group);
}

}  // namespace

void add_profile(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ProfileOptions>();
  options->words.workloads = "first";
  CLI::App* profile =
      app.add_subcommand("profile", "Say what keeps the kernels of solutions from being faster, by ncu");
  add_try_options(*profile, options->words);
  profile->get_option("solution")->required(false);
  profile->add_option("--device", options->devices, "auto (a GPU), cuda, cuda:N")
      ->delimiter(',')
      ->group(kTryGroup);
  add_ncu_options(*profile, *options);
  add_limits(*profile, options->measure);
  add_confining(*profile, options->measure);
  add_choice(*profile, "--format", options->format, "Form of the output; default: table",
             {{"table", ProfileFormat::table}, {"json", ProfileFormat::json}, {"md", ProfileFormat::md}})
      ->type_name("FORMAT");
  add_log_level(*profile, "info");
  profile->footer(
      std::string(
          "Examples:\n"
          "  fib profile my_norm.cu --definition rmsnorm_h4096 --local D\n"
          "  fib profile my_norm.cu --definition rmsnorm_h4096 --local D --page details\n"
          "The kernels of one call, after a first one, without control of the clocks. docs/profile.md says\n"
          "what the classes of bottlenecks mean.\n") +
      kLocalDefault +
      "Exit codes: 0 done, 1 something could not be profiled, 2 wrong usage, 130 interrupted.");
  profile->callback([options, &exit_code] {
    exit_code =
        with_json_error(options->format == ProfileFormat::json, "profiled", [&] { return run(*options); });
  });
}

}  // namespace fib::cmd
