#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "bench/fetch_blobs.h"
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
#include "report/result_json.h"
#include "report_common.h"
#include "try_each.h"
#include "util/error.h"
#include "util/text.h"
#include "util/utf8.h"

namespace fib::cmd {
namespace {

using nlohmann::ordered_json;
using End = bench::ProbeOutcome::End;

enum class SanitizeFormat { table, json };

struct SanitizeOptions {
  EvalWords words;
  std::vector<std::string> devices;
  std::vector<std::string> tools;
  MeasureOptions measure;
  SanitizeFormat format = SanitizeFormat::table;
};

// What one sanitizer says of one solution on one workload.
struct Examined {
  std::string solution;
  std::string definition;
  std::string workload;
  std::string tool;
  std::vector<compile::Finding> findings;
  std::vector<std::string> lines;  // of its sources, where the findings are, one for each; empty: not known
  std::string not_done;            // why it says nothing; empty: it was run to the end
  std::string output;              // of the tool and the solution, where there is anything to say

  [[nodiscard]] const char* status() const {
    return !not_done.empty() ? "not_done" : findings.empty() ? "clean" : "findings";
  }
};

// The lines of a solution's sources. Each source is searched for its lines once: there may be millions of
// them, and a finding in each.
class SourceLines {
 public:
  explicit SourceLines(const model::Solution& solution) : solution_(solution) {}

  // The line that a finding names, without the spaces around it; empty where no source has it.
  [[nodiscard]] std::string of(const compile::Finding& finding) {
    constexpr std::size_t kMost = 300;
    const auto source = std::find_if(solution_.sources.begin(), solution_.sources.end(),
                                     [&](const auto& one) { return one.path == finding.file; });
    if (source == solution_.sources.end()) return "";
    const auto& begins = begins_of(*source);
    if (finding.line == 0 || finding.line > begins.size()) return "";
    const std::string_view rest = std::string_view(source->content).substr(begins[finding.line - 1]);
    return std::string(util::trimmed(rest.substr(0, rest.find('\n'))).substr(0, kMost));
  }

 private:
  const std::vector<std::size_t>& begins_of(const model::SourceFile& source) {
    auto& begins = begins_[source.path];
    if (begins.empty()) {
      begins.push_back(0);
      for (auto end = source.content.find('\n'); end != std::string::npos;
           end = source.content.find('\n', end + 1))
        begins.push_back(end + 1);
    }
    return begins;
  }

  const model::Solution& solution_;
  std::map<std::string, std::vector<std::size_t>> begins_;  // of the lines, by the source's path
};

void examine(bench::Session& session, const bench::RunConfig& config, const bench::Sanitizer& sanitizer,
             const dataset::Dataset& dataset, const model::Solution& solution,
             const model::Workload& workload, Examined& examined) {
  const auto outcome =
      bench::run_probe(session, config, solution, dataset.definitions.at(solution.definition), workload,
                       dataset.root, sanitizer.tool);
  examined.findings = bench::findings_of(sanitizer, outcome.output);
  SourceLines lines(solution);
  for (const auto& finding : examined.findings) examined.lines.push_back(lines.of(finding));
  examined.output = outcome.output;
  if (outcome.end == End::called || !examined.findings.empty()) return;
  examined.not_done = outcome.end == End::not_built ? "it does not build: " + outcome.reason
                      : outcome.end == End::died
                          ? "the solution failed before the tool had found anything: " + outcome.reason
                          : outcome.reason;
}

std::vector<bench::Sanitizer> chosen(const SanitizeOptions& options, model::DeviceKind device) {
  auto sanitizers = bench::sanitizers_for(device);
  std::vector<std::string> known;
  for (const auto& one : sanitizers) known.push_back(one.name);
  for (const std::string& tool : options.tools) {
    if (std::find(known.begin(), known.end(), tool) == known.end())
      throw CLI::ValidationError("--tool", fmt::format("{} is none of {}", tool, fmt::join(known, ", ")));
  }
  std::erase_if(sanitizers, [&](const bench::Sanitizer& one) {
    return !options.tools.empty() &&
           std::find(options.tools.begin(), options.tools.end(), one.name) == options.tools.end();
  });
  return sanitizers;
}

// Sanitizers need more than the whole sandbox allows.
void refuse_strict(const MeasureOptions& options) {
  if (options.sandbox != "strict") return;
  throw Error(
      "a sanitizer does not run in the whole sandbox, which --sandbox strict asks for: docs/sanitize.md");
}

std::string place_of(const compile::Finding& finding) {
  if (finding.file.empty()) return "-";
  return finding.line == 0 ? finding.file : fmt::format("{}:{}", finding.file, finding.line);
}

present::Table table_of(const std::vector<compile::Finding>& findings) {
  present::Table table{{present::text_column("Place", "place"), present::text_column("Finding", "finding"),
                        present::text_column("In", "function"), present::number_column("Times", "times")},
                       {}};
  for (const auto& finding : findings) {
    const std::string more = finding.detail.empty() ? "" : "; " + finding.detail;
    table.rows.push_back({present::text_cell(place_of(finding)), present::text_cell(finding.message + more),
                          present::text_cell(finding.function.empty() ? "-" : finding.function),
                          present::count_cell(finding.times)});
  }
  return table;
}

// `limits`: what nobody looked at.
std::string as_text(const std::vector<Examined>& all, const std::vector<std::string>& limits) {
  present::Document document(present::Format::table, stdout_style());
  for (const Examined& one : all) {
    const std::string head =
        fmt::format("{} on {}, workload {}: {}", one.solution, one.definition, one.workload, one.tool);
    if (!one.not_done.empty()) {
      document.paragraph(fmt::format("{}: not done", head));
      document.paragraph(one.not_done);
    } else if (one.findings.empty()) {
      document.paragraph(head + ": nothing found");
    } else {
      document.paragraph(fmt::format("{}: {}", head, present::plural(one.findings.size(), "finding")));
      document.table("", table_of(one.findings));
    }
  }
  document.notes(limits);
  return document.text();
}

ordered_json json_of(const compile::Finding& finding, const std::string& line) {
  const auto or_null = [](const std::string& text) {
    return text.empty() ? ordered_json() : ordered_json(util::valid_utf8(text));
  };
  return {{"tool", finding.tool},
          {"severity", "error"},
          {"kind", util::valid_utf8(finding.kind)},
          {"message", util::valid_utf8(finding.message)},
          {"file", or_null(finding.file)},
          {"line", finding.line == 0 ? ordered_json() : ordered_json(finding.line)},
          {"column", finding.column == 0 ? ordered_json() : ordered_json(finding.column)},
          {"source", or_null(line)},
          {"function", or_null(finding.function)},
          {"detail", or_null(finding.detail)},
          {"times", finding.times}};
}

std::string as_json(const std::vector<Examined>& all) {
  constexpr std::size_t kMostOutput = 8192;
  ordered_json examined = ordered_json::array();
  for (const Examined& one : all) {
    ordered_json findings = ordered_json::array();
    for (std::size_t i = 0; i < one.findings.size(); ++i)
      findings.push_back(json_of(one.findings[i], one.lines[i]));
    examined.push_back(
        {{"solution", one.solution},
         {"definition", one.definition},
         {"workload", one.workload},
         {"tool", one.tool},
         {"status", one.status()},
         {"reason", one.not_done.empty() ? ordered_json() : ordered_json(util::valid_utf8(one.not_done))},
         {"findings", findings},
         {"output", util::valid_utf8(one.output.substr(0, kMostOutput))},
         {"output_is_cut", one.output.size() > kMostOutput}});
  }
  return report::indented_json({{"schema_version", 1}, {"fib", FIB_VERSION}, {"examined", examined}}) + "\n";
}

int exit_code_of(const std::vector<Examined>& all, bool interrupted) {
  if (interrupted) return kInterrupted;
  const auto any = [&](const char* status) {
    return std::any_of(all.begin(), all.end(),
                       [&](const Examined& one) { return one.status() == std::string_view(status); });
  };
  if (any("findings")) return kGateFailed;
  return any("not_done") ? kNotAllDone : kDone;
}

int run(SanitizeOptions options) {
  set_up_logging();
  const ChosenDevices devices = choose_devices(options.devices);
  const auto& device = devices.devices.front();
  options.measure.finish(device.kind);
  refuse_strict(options.measure);
  const auto sanitizers = chosen(options, device.kind);
  read_stdin(options.words);
  const EvalInputs inputs = read_eval_inputs(options.words, device.kind);
  std::atomic<bool> interrupted = false;
  const InterruptSignals signals(interrupted);
  bench::Session session(environment_of({device}), interrupted);
  std::vector<Examined> all;
  for_each_try(inputs, interrupted, [&](const auto& dataset, const auto& solution, const auto& workload) {
    for (const auto& sanitizer : sanitizers) {
      if (interrupted) return;
      Examined& examined = all.emplace_back(Examined{
          solution.name, solution.definition, workload.uuid, sanitizer.name, {}, {}, sanitizer.missing, {}});
      if (!examined.not_done.empty()) continue;
      try {
        examine(session, options.measure.config, sanitizer, dataset, solution, workload, examined);
      } catch (const std::exception& error) {
        examined.not_done = error.what();  // which is no reason to lose the others
      }
    }
  });
  std::vector<std::string> limits;
  if (options.words.workloads == "first" && inputs.are_some)
    limits.emplace_back("The first workload alone was looked at; --workloads all looks at all");
  const bool is_any =
      std::any_of(all.begin(), all.end(), [](const Examined& one) { return one.not_done.empty(); });
  if (device.kind == model::DeviceKind::cpu && is_any)
    limits.emplace_back("On the CPU races of threads are not looked for");
  print_result(options.format == SanitizeFormat::json ? as_json(all) : as_text(all, limits));
  return exit_code_of(all, interrupted);
}

}  // namespace

void add_sanitize(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<SanitizeOptions>();
  options->words.workloads = "first";
  CLI::App* sanitize =
      app.add_subcommand("sanitize", "Look for invalid memory accesses of solutions, on CUDA for races too");
  add_try_options(*sanitize, options->words);
  sanitize->add_option("--device", options->devices, "auto (a GPU, or the CPU), cpu, cuda, cuda:N")
      ->delimiter(',')
      ->group(kTryGroup);
  sanitize
      ->add_option("--tool", options->tools,
                   "On CUDA: memcheck, racecheck, initcheck, synccheck; default: all of them")
      ->delimiter(',')
      ->type_name("TOOL,...")
      ->group(kTryGroup);
  add_limits(*sanitize, options->measure);
  add_confining(*sanitize, options->measure);
  add_choice(*sanitize, "--format", options->format, "Form of the output; default: table",
             {{"table", SanitizeFormat::table}, {"json", SanitizeFormat::json}})
      ->type_name("FORMAT");
  add_log_level(*sanitize, "info");
  sanitize->footer(
      std::string(
          "Examples:\n"
          "  fib sanitize my_norm.cpp --definition rmsnorm_h4096 --local D --device cpu\n"
          "  fib sanitize my_norm.cu --definition rmsnorm_h4096 --local D --tool memcheck\n"
          "Each tensor lies in an allocation of its own, of exactly its size; outputs are not written\n"
          "before. Solutions in C and C++ are built with AddressSanitizer and UndefinedBehaviorSanitizer,\n"
          "CUDA solutions run under compute-sanitizer. docs/sanitize.md.\n") +
      kLocalDefault +
      "Exit codes: 0 nothing found, 1 something could not be done, 2 wrong usage, 3 something was found,\n"
      "130 interrupted.");
  sanitize->callback([options, &exit_code] {
    exit_code =
        with_json_error(options->format == SanitizeFormat::json, "examined", [&] { return run(*options); });
  });
}

}  // namespace fib::cmd
