#include "eval_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "eval_results.h"
#include "kept_traces.h"
#include "present/text.h"
#include "report/compare_text.h"
#include "report/show_text.h"
#include "report/try_json.h"
#include "report/try_summary.h"
#include "report_common.h"
#include "util/error.h"
#include "util/find.h"

namespace fib::cmd {
namespace {

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

// The tries of a solution of this name on workloads of `now`, with the same files.
std::vector<model::Trace> tries_of_same_work(const EvalInputs& inputs, const std::vector<model::Trace>& now) {
  const std::string& definition = now.front().definition;
  const std::string& name = *now.front().solution;
  const auto& root = dataset_of(inputs, name).root;
  std::set<std::string> works;
  for (const model::Trace& trace : now) {
    works.insert(model::work_key(kept_workload(trace.workload, definition, root)));
  }
  auto tries = read_tries(definition, name);
  std::erase_if(tries,
                [&](const model::Trace& one) { return !works.contains(model::work_key(one.workload)); });
  return tries;
}

// With the last try of a solution of the same name, or with what the dataset has of it, whatever is newer;
// nothing when there is neither.
std::optional<std::string> comparison_with_last(const EvalInputs& inputs,
                                                const std::vector<model::Trace>& now,
                                                report::CompareFormat format) {
  const std::string& name = *now.front().solution;
  dataset::RowPool pool;
  std::vector<report::Detail> before;
  const auto of_dataset = inputs.results.find(name);
  if (of_dataset != inputs.results.end()) before = of_dataset->second;
  // Behind these: of equal times the last is the latest.
  for (auto& detail : details_of(tries_of_same_work(inputs, now), pool)) before.push_back(std::move(detail));
  const auto b = details_of(now, pool);
  std::set<std::string> failed_last;  // workloads
  for (const report::Detail* detail : report::latest(before)) {
    if (!detail->row.passed()) failed_last.insert(detail->row.workload->uuid);
  }
  const auto a = comparable(std::move(before), b);
  if (a.empty()) return std::nullopt;
  const auto chosen = report::latest(a);
  const bool are_older = std::any_of(chosen.begin(), chosen.end(), [&](const report::Detail* detail) {
    return detail->row.passed() && failed_last.contains(detail->row.workload->uuid);
  });
  std::string label = are_older ? "the last result that passed" : "the last result";
  std::set<std::string> sources;
  for (const report::Detail* detail : chosen) {
    if (const std::string* source = detail->row.evaluation->origin.solution_sha256) sources.insert(*source);
  }
  // A try that failed on some workloads only leaves the last that passed on these.
  if (sources.size() > 1)
    label =
        fmt::format("of each workload the last result, if one passed that, of {} sources", sources.size());
  return comparison({label, chosen}, {"this one", report::latest(b)}, report::PairBy::solution, format);
}

// What --against asks for, of one solution; nothing where there is nothing to compare with.
std::optional<std::string> wanted_comparison(const EvalInputs& inputs, const EvalOutcome& outcome,
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
  if (!quiet && !summary.failure.code.empty())
    print_result(fmt::format("what to do: fib explain {}\n", present::printable(summary.failure.code)));
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

// The workloads of its definition without a result of this solution, whose results are `traces`.
report::Missing missing_of(const EvalInputs& inputs, const EvalOutcome& outcome,
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

}  // namespace

void print_json(const EvalInputs& inputs, const EvalOutcome& outcome, bool against_last) {
  report::TryReport report;
  report.version = FIB_VERSION;
  for (const std::string& name : inputs.tried) {
    const auto found = outcome.traces.find(name);
    if (found == outcome.traces.end()) continue;
    const auto against =
        wanted_comparison(inputs, outcome, found->second, against_last, report::CompareFormat::json);
    const auto* smallest = util::find_or_null(outcome.smallest, name);
    report.solutions.push_back({&dataset_of(inputs, name).definitions.at(found->second.front().definition),
                                found->second, missing_of(inputs, outcome, found->second),
                                against.value_or(""),
                                smallest == nullptr ? std::vector<model::Trace>{} : *smallest});
  }
  report.skipped = outcome.skipped;
  report.plan_ms = outcome.plan_ms;
  report.not_done = outcome.not_done;
  report.is_interrupted = outcome.exit_code == kInterrupted;
  report.settled = outcome.settled;
  print_result(report::to_json(report));
}

void print_json_error(const std::string& error) {
  report::TryReport report;
  report.version = FIB_VERSION;
  report.error = error;
  print_result(report::to_json(report));
}

void print_tables(const EvalInputs& inputs, const AnswerForm& form, const EvalOutcome& outcome,
                  bool against_last) {
  for (const std::string& name : inputs.tried) {
    const auto found = outcome.traces.find(name);
    if (found == outcome.traces.end()) continue;
    print_solution(found->second, outcome.settled.ranges, missing_of(inputs, outcome, found->second),
                   form.quiet, form.full_log);
    const auto against =
        wanted_comparison(inputs, outcome, found->second, against_last, report::CompareFormat::table);
    if (against) print_result("\n" + *against);
    if (against_last && !against) fmt::print("\nThere is no earlier try of {}.\n", present::printable(name));
  }
  if (form.quiet || outcome.settled.cautions.empty()) return;
  std::string lines = "\n";
  for (const std::string& caution : outcome.settled.cautions)
    lines += present::wrap(present::printable(caution), stdout_style().width, 2) + "\n";
  print_result(lines);
}

}  // namespace fib::cmd
