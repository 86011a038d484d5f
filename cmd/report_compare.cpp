#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <memory>
#include <set>

#include "choice.h"
#include "commands.h"
#include "compare_sides.h"
#include "filters.h"
#include "logging.h"
#include "report/compare_text.h"
#include "report_commands.h"
#include "report_common.h"
#include "util/error.h"

namespace fib::cmd {
namespace {

using report::CompareFormat;
using report::PairBy;

struct CompareCommand {
  std::string a;
  std::string b;
  std::string local;
  std::string gate;  // "5%"
  std::optional<PairBy> pair_by;
  RecordFilter records;
  CompareFormat format = CompareFormat::table;
  std::set<report::Verdict> only;
  report::CorrectDrift correct_drift = report::CorrectDrift::no;
};

// "5%", or "5", is 0.05; "0.05" may be meant as a share.
std::optional<report::CompareGate> parse_gate(const std::string& text) {
  if (text.empty()) return std::nullopt;
  double percent = -1;
  const char* end = text.data() + text.size() - (text.ends_with('%') ? 1 : 0);
  const auto [stop, error] = std::from_chars(text.data(), end, percent);
  if (error != std::errc() || stop != end || !(percent >= 0 && percent < 1e6))
    throw CLI::ValidationError("--fail-on-regression", text + ": expected a percentage, for example 5%");
  if (!text.ends_with('%') && percent > 0 && percent < 1)
    throw CLI::ValidationError("--fail-on-regression",
                               fmt::format("{}: write {:g}% or {:g}%", text, percent, percent * 100));
  return report::CompareGate{percent / 100};
}

// Names of solutions pair results where both sides hold the same solutions.
PairBy natural_pairing(const SideName& a, const SideName& b) {
  const auto holds_all = [](const SideName& side) {
    return side.kind == SideKind::dataset || side.kind == SideKind::run;
  };
  return holds_all(a) && holds_all(b) ? PairBy::solution : PairBy::workload;
}

int run(const CompareCommand& command) {
  auto gate = parse_gate(command.gate);
  const dataset::Filter filter = command.records.parsed();
  CompareInput input(command.local, filter);
  const SideName a = input.resolve(command.a);
  const SideName b = input.resolve(command.b);
  std::error_code error;
  const bool is_one_folder = a.kind == SideKind::dataset && b.kind == SideKind::dataset &&
                             std::filesystem::equivalent(a.name, b.name, error);
  if (gate && ((a.kind == b.kind && a.name == b.name) || is_one_folder))
    throw Error("A and B are both {}: a gate on that would always hold", a.name);
  input.check_filter({a, b});
  const auto pair_by = command.pair_by.value_or(natural_pairing(a, b));
  auto side_b = input.side(b, &a);
  if (command.format == CompareFormat::github) side_b.files = input.record_files(b);
  const auto result = report::compare(input.side(a), side_b, pair_by, command.correct_drift);
  print_errors(input.unreadable(), "");
  if (gate) gate->unreadable = input.unreadable().size();
  print_result(report::render_compare(result, gate, command.format, {stdout_style(), command.only}));
  if (!gate) return kDone;
  if (result.nothing_compared()) {
    fmt::print(stderr, "error: {}, so --fail-on-regression cannot hold\n",
               result.pairs.empty() ? "nothing was compared" : "no result passed in A or in B");
    return kNotAllDone;
  }
  if (!result.regressions(gate->limit).empty()) return kGateFailed;
  return report::why_gate_cannot_hold(result, *gate).empty() ? kDone : kNotAllDone;
}

}  // namespace

void add_report_compare(CLI::App& app, int& exit_code) {
  auto command = std::make_shared<CompareCommand>();
  CLI::App* compare =
      app.add_subcommand("compare", "What became faster, slower or broke: two runs, datasets, authors");
  compare->add_option("A", command->a, "What was: a dataset's folder, a run, an author or a solution")
      ->required()
      ->type_name("WHAT");
  compare->add_option("B", command->b, "What is compared with it")->required()->type_name("WHAT");
  compare->add_option("--local", command->local, "Dataset folder in which runs, authors and solutions are")
      ->type_name("DIR");
  compare
      ->add_option("--fail-on-regression", command->gate,
                   "Exit code 3 when a result is slower by more than this, or broken")
      ->type_name("PERCENT");
  compare
      ->add_option_function<std::string>(
          "--pair-by",
          [command](const std::string& word) {
            command->pair_by = word == "solution" ? PairBy::solution : PairBy::workload;
          },
          "Compare equal solutions, or the fastest of each side on each workload; default: solution for "
          "runs and datasets")
      ->check(one_of({"solution", "workload"}))
      ->type_name("HOW");
  add_choice(*compare, "--format", command->format, "Form of the output; default: table",
             {{"table", CompareFormat::table},
              {"json", CompareFormat::json},
              {"csv", CompareFormat::csv},
              {"md", CompareFormat::md},
              {"github", CompareFormat::github},
              {"junit", CompareFormat::junit}})
      ->type_name("FORMAT");
  const auto take_only = [command](const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      for (const report::Verdict verdict : report::kVerdicts) {
        if (report::name_of(verdict) == word) command->only.insert(verdict);
      }
    }
  };
  compare
      ->add_option_function<std::vector<std::string>>(
          "--only", take_only, "List only results of these verdicts; totals and the gate are of all")
      ->delimiter(',')
      ->check(one_of({"same", "faster", "slower", "ambiguous", "broken", "fixed", "failed"}))
      ->type_name("VERDICT");
  compare->add_flag_callback(
      "--correct-drift", [command] { command->correct_drift = report::CorrectDrift::yes; },
      "Take out of all changes by how much solutions with the same source differ; a driver or toolchain\n"
      "that made everything slower is then no regression");
  add_record_filter(*compare, command->records, ByStatus::yes, OneRun::no);
  add_log_level(*compare, "info");
  compare->footer(
      std::string(
          "Examples:\n"
          "  fib report compare before after\n"
          "  fib report compare last~1 last --local D --fail-on-regression 5%\n"
          "  fib report compare author:alice author:bob --local D --definitions 'gemm_*'\n"
          "  fib report compare main-branch . --format github --fail-on-regression 3%\n"
          "  fib report compare last~1 last --only broken,slower\n"
          "Runs are named by their ids, last, last~1, ..., or as fib baseline named them. The latest "
          "trace of each solution and\n"
          "workload counts. Same: the medians differ by at most 1%, or by no more than both the noise and\n"
          "10%; faster, slower: by more than the noise, with disjoint quartile ranges; else ambiguous.\n"
          "docs/reports.md says what noise is.\n"
          "Formats github and junit are for CI.\n") +
      kLocalDefault +
      "Exit codes: 0 done, 1 a side does not exist, or under a gate nothing passed, or something of A is\n"
      "missing in B, was made under other conditions or cannot be read, a run did not come to its end, or\n"
      "B was not measured as it is now, 2 wrong usage,\n"
      "3 --fail-on-regression and something regressed.");
  compare->callback([command, &exit_code] { exit_code = run(*command); });
}

}  // namespace fib::cmd
