#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/sanitizers.h"
#include "choice.h"
#include "commands.h"
#include "devices.h"
#include "environment.h"
#include "eval_inputs.h"
#include "interrupt.h"
#include "logging.h"
#include "measure_options.h"
#include "present/document.h"
#include "present/text.h"
#include "profile/bottleneck.h"
#include "profile/ncu_page.h"
#include "report/result_json.h"
#include "report_common.h"
#include "try_each.h"
#include "util/command.h"
#include "util/error.h"
#include "util/files.h"
#include "util/utf8.h"

namespace fib::cmd {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

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

// What ncu said of one solution on one workload.
struct Profiled {
  std::string solution;
  std::string definition;
  std::string workload;
  std::vector<profile::KernelProfile> kernels;
  std::string not_done;  // why there are none
  std::string page;      // ncu's own, where it was asked for
};

std::string find_ncu() {
  const char* named = std::getenv("NCU");
  const std::string program =
      named != nullptr && *named != '\0' ? std::string(named) : bench::find_cuda_tool("ncu");
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
  tool.limits_data = false;
  return tool;
}

std::string page_of(const std::string& ncu, const fs::path& report, const std::vector<std::string>& words) {
  std::vector<std::string> all = {ncu, "--import", report.string()};
  all.insert(all.end(), words.begin(), words.end());
  return util::run_command(all, "/").output;
}

Profiled profile_one(const ProfileOptions& options, const std::string& ncu, bench::Session& session,
                     const dataset::Dataset& dataset, const model::Solution& solution,
                     const model::Workload& workload) {
  Profiled profiled{solution.name, solution.definition, workload.uuid, {}, "", ""};
  session.begin(options.measure.config);
  const util::TemporaryFolder folder(session.temporary(), "profile-");
  const fs::path report = folder.path() / "profile.ncu-rep";
  const auto outcome =
      bench::run_probe(session, options.measure.config, solution, dataset.definitions.at(solution.definition),
                       workload, dataset.root, tool_of(options, ncu, report));
  if (outcome.end != bench::ProbeOutcome::End::called || !fs::exists(report)) {
    profiled.not_done = profile::why_nothing(outcome.output);
    if (profiled.not_done.empty()) profiled.not_done = outcome.reason;
    if (profiled.not_done.empty()) profiled.not_done = "ncu left no report: " + outcome.output;
    return profiled;
  }
  profiled.kernels =
      profile::read_raw_page(page_of(ncu, report, {"--csv", "--page", "raw", "--print-units", "base"}));
  if (profiled.kernels.empty()) profiled.not_done = "no kernel was launched in the call";
  if (!options.page.empty()) profiled.page = page_of(ncu, report, {"--page", options.page});
  if (!options.output.empty()) fs::copy_file(report, options.output, fs::copy_options::overwrite_existing);
  return profiled;
}

std::string percent(const profile::KernelProfile& kernel, const char* metric) {
  const auto value = kernel.metric(metric);
  return value ? fmt::format("{:.0f}%", *value) : "-";
}

std::string number(const profile::KernelProfile& kernel, const char* metric) {
  const auto value = kernel.metric(metric);
  return value ? fmt::format("{:.0f}", *value) : "-";
}

std::string stalls_text(const profile::KernelProfile& kernel) {
  constexpr std::size_t kShown = 3;
  std::string text;
  const auto stalls = profile::stalls_of(kernel);
  for (std::size_t i = 0; i < std::min(stalls.size(), kShown); ++i)
    text += fmt::format("{}{} {:.1f}", i == 0 ? "" : ", ", stalls[i].first, stalls[i].second);
  return text.empty() ? "-" : text + " (instructions issued meanwhile)";
}

void write_kernel(present::Document& document, const profile::KernelProfile& kernel) {
  const auto bottleneck = profile::classify(kernel);
  const auto duration = kernel.metric("gpu__time_duration.sum");
  document.subheading(present::printable(kernel.name),
                      fmt::format("grid {}, block {}", kernel.grid, kernel.block));
  const double shared = kernel.metric("launch__shared_mem_per_block_static").value_or(0) +
                        kernel.metric("launch__shared_mem_per_block_dynamic").value_or(0);
  const std::string limit = profile::occupancy_limit(kernel);
  document.facts(
      {{"Bottleneck", fmt::format("{}: {}", bottleneck.name, bottleneck.figures)},
       {"What to do", bottleneck.advice},
       {"Duration", duration ? fmt::format("{:.2f} us", *duration / 1000) : "-"},
       {"Busy", fmt::format("SM {}, tensor pipes {}, L1 {}, L2 {}, DRAM {}",
                            percent(kernel, "sm__throughput.avg.pct_of_peak_sustained_elapsed"),
                            percent(kernel, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"),
                            percent(kernel, "l1tex__throughput.avg.pct_of_peak_sustained_active"),
                            percent(kernel, "lts__throughput.avg.pct_of_peak_sustained_elapsed"),
                            percent(kernel, "dram__throughput.avg.pct_of_peak_sustained_elapsed"))},
       {"Hit rates", fmt::format("L1 {}, L2 {}", percent(kernel, "l1tex__t_sector_hit_rate.pct"),
                                 percent(kernel, "lts__t_sector_hit_rate.pct"))},
       {"Occupancy", fmt::format("{} of {} possible{}",
                                 percent(kernel, "sm__warps_active.avg.pct_of_peak_sustained_active"),
                                 percent(kernel, "sm__maximum_warps_per_active_cycle_pct"),
                                 limit.empty() ? "" : ", limited by " + limit)},
       {"Resources", fmt::format("{} registers a thread, {:.0f} bytes of shared memory a block",
                                 number(kernel, "launch__registers_per_thread"), shared)},
       {"Stalls", stalls_text(kernel)}});
}

// The first lines of a text; 0: all.
std::string first_lines(const std::string& text, std::size_t lines) {
  std::size_t end = 0;
  for (std::size_t i = 0; lines > 0 && i < lines && end != std::string::npos; ++i) {
    end = text.find('\n', i == 0 ? 0 : end + 1);
  }
  return lines == 0 || end == std::string::npos ? text : text.substr(0, end + 1);
}

std::string as_text(const ProfileOptions& options, const std::vector<Profiled>& all) {
  present::Document document(
      options.format == ProfileFormat::md ? present::Format::md : present::Format::table, stdout_style());
  std::string pages;
  for (const Profiled& one : all) {
    document.heading(
        present::printable(fmt::format("{} on {}, workload {}", one.solution, one.definition, one.workload)));
    if (!one.not_done.empty()) document.paragraph("not done: " + one.not_done);
    for (const auto& kernel : one.kernels) write_kernel(document, kernel);
    pages += one.page;
  }
  return first_lines(options.page.empty() ? document.text() : pages, options.max_lines);
}

std::string as_json(const std::vector<Profiled>& all) {
  ordered_json profiled = ordered_json::array();
  for (const Profiled& one : all) {
    ordered_json kernels = ordered_json::array();
    for (const auto& kernel : one.kernels) {
      const auto bottleneck = profile::classify(kernel);
      const std::string limit = profile::occupancy_limit(kernel);
      kernels.push_back(
          {{"name", util::valid_utf8(kernel.name)},
           {"grid", kernel.grid},
           {"block", kernel.block},
           {"bottleneck",
            {{"class", bottleneck.name}, {"figures", bottleneck.figures}, {"advice", bottleneck.advice}}},
           {"occupancy_limit", limit.empty() ? ordered_json() : ordered_json(limit)},
           {"metrics", kernel.metrics}});
    }
    profiled.push_back(
        {{"solution", one.solution},
         {"definition", one.definition},
         {"workload", one.workload},
         {"reason", one.not_done.empty() ? ordered_json() : ordered_json(util::valid_utf8(one.not_done))},
         {"kernels", kernels}});
  }
  return report::indented_json({{"schema_version", 1}, {"fib", FIB_VERSION}, {"profiled", profiled}}) + "\n";
}

int run(ProfileOptions options) {
  set_up_logging();
  if (options.list_sets || options.list_sections) {
    const auto listed =
        util::run_command({find_ncu(), options.list_sets ? "--list-sets" : "--list-sections"}, "/");
    print_result(listed.output);
    return listed.succeeded() ? kDone : kNotAllDone;
  }
  if (options.words.solutions.empty()) throw CLI::RequiredError("solution");
  const std::string ncu = find_ncu();
  const ChosenDevices devices = choose_devices(options.devices);
  const auto& device = devices.devices.front();
  if (!device.is_cuda())
    throw Error("ncu profiles kernels on NVIDIA GPUs; this machine has none, or --device says cpu");
  options.measure.finish(device.kind);
  if (options.measure.sandbox != "off")
    throw Error(
        "ncu cannot look into fib's sandbox: --sandbox off runs the solution without one, for code that you "
        "trust");
  read_stdin(options.words);
  const EvalInputs inputs = read_eval_inputs(options.words, device.kind);
  std::atomic<bool> interrupted = false;
  const InterruptSignals signals(interrupted);
  bench::Session session(environment_of({device}), interrupted);
  std::vector<Profiled> all;
  for_each_try(inputs, interrupted, [&](const auto& dataset, const auto& solution, const auto& workload) {
    all.push_back(profile_one(options, ncu, session, dataset, solution, workload));
  });
  print_result(options.format == ProfileFormat::json ? as_json(all) : as_text(options, all));
  if (interrupted) return kInterrupted;
  const bool is_all_done =
      std::all_of(all.begin(), all.end(), [](const Profiled& one) { return one.not_done.empty(); });
  return is_all_done ? kDone : kNotAllDone;
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
          "  fib profile my_norm.cu --definition rmsnorm_h4096 --local D --sandbox off\n"
          "  fib profile my_norm.cu --definition rmsnorm_h4096 --local D --sandbox off --page details\n"
          "The kernels of one call, after a first one, without control of the clocks. docs/profile.md says\n"
          "what the classes of bottlenecks mean.\n") +
      kLocalDefault +
      "Exit codes: 0 done, 1 something could not be profiled, 2 wrong usage, 130 interrupted.");
  profile->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace fib::cmd
