#include "report/compare_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "present/text.h"
#include "report/remarks.h"
#include "report/workload_text.h"
#include "util/some_of.h"

namespace fib::report {
namespace {

constexpr std::size_t kShownAlone = 10;

// What is the same for all results of a hardware, and may have nothing to do with them.
std::string drift_text(const CompareReport& report, const std::string& hardware, const Drift& drift) {
  const double change = drift.ratio - 1;
  return fmt::format(
      "Drift on {}: {} of the same source are {:.1f}% {} in B (median); {}", hardware,
      present::plural(drift.pairs, "result"), 100 * std::abs(change), change < 0 ? "faster" : "slower",
      report.correct_drift == CorrectDrift::yes ? "verdicts are of what is left of a change without it"
                                                : "verdicts count it as change, --correct-drift does not");
}

std::string scatter_text(const std::string& hardware, const Drift& drift) {
  if (!drift.is_scattered()) return "";
  return fmt::format(
      "Scatter on {}: beside the drift, results of the same source lie so far apart in A and B that noise is "
      "taken {:.1f} times as wide as the results say themselves",
      hardware, drift.scatter);
}

std::string counts_text(const CompareReport& report) {
  std::string text;
  for (const Verdict verdict : kVerdicts) {
    const std::size_t count = report.count(verdict);
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name_of(verdict));
  }
  return fmt::format("{} compared: {}", present::plural(report.pairs.size(), "result"),
                     text.empty() ? "nothing" : text);
}

}  // namespace

std::string format_change(double change) { return fmt::format("{:+.1f}%", 100 * change); }

std::vector<std::string> machine_notes(const CompareReport& report, double least) {
  std::vector<std::string> notes;
  for (const auto& [hardware, drift] : report.drifts) {
    if (drift.is_beyond(least)) notes.push_back(drift_text(report, hardware, drift));
    const std::string scatter = scatter_text(hardware, drift);
    if (!scatter.empty()) notes.push_back(scatter);
  }
  return notes;
}

std::vector<std::string> pair_cautions(const CompareReport& report) {
  std::vector<dataset::TraceRow> rows;
  const bool are_equal = report.are_equal();
  for (const Comparison& pair : report.pairs) {
    rows.push_back(pair.a->row);
    if (!are_equal) rows.push_back(pair.b->row);
  }
  auto cautions = report::cautions_of(nullptr, rows, HasReferences::no, "measurement");
  if (const std::size_t count = report.other_conditions(); count > 0) {
    const auto first = std::find_if(report.pairs.begin(), report.pairs.end(),
                                    [](const Comparison& pair) { return !pair.other_conditions.empty(); });
    cautions.insert(
        cautions.begin(),
        fmt::format("{} measured or judged under other conditions in B than in A ({}): the change may "
                    "be that of the conditions",
                    count == 1 ? "1 result was" : fmt::format("{} results were", count),
                    first->other_conditions));
  }
  return cautions;
}

std::vector<std::string> cautions_of_b(const CompareReport& report) {
  std::vector<std::string> cautions;
  if (!report.rest_b.is_none()) cautions.push_back("B: " + report.rest_b.text());
  if (const std::size_t count = report.outdated; count > 0) {
    cautions.push_back(fmt::format(
        "B: {} compared {} of another source than its solution has now, or of a solution or workload "
        "that is gone",
        present::plural(count, "result"), count == 1 ? "is" : "are"));
  }
  if (report.are_equal()) cautions.emplace_back("A and B hold the same measurements");
  return cautions;
}

std::vector<std::string> side_cautions(const CompareReport& report) {
  auto cautions = cautions_of_b(report);
  if (!report.rest_a.is_none()) cautions.insert(cautions.begin(), "A: " + report.rest_a.text());
  return cautions;
}

std::string name_of(const Detail& detail) {
  return fmt::format("{} on {}{} ({})", *detail.row.solution, workload_text(*detail.row.workload),
                     detail.sweep != nullptr ? " at " + *detail.sweep : "", *detail.row.evaluation->hardware);
}

std::string alone_text(const std::string& side, const std::vector<const Detail*>& results) {
  std::string text = fmt::format("{} only in {}: ", present::plural(results.size(), "result"), side);
  for (std::size_t i = 0; i < std::min(results.size(), kShownAlone); ++i)
    text += (i > 0 ? "; " : "") + name_of(*results[i]);
  if (results.size() > kShownAlone) text += "; " + util::and_more(results.size(), kShownAlone);
  return text;
}

std::string other_work_text(std::size_t count) {
  return fmt::format(
      "{} not compared with what B has by the same names: the definition has changed, or the workload's "
      "sizes "
      "or inputs",
      count == 1 ? "1 result of A is" : fmt::format("{} results of A are", count));
}

std::string broken_since_text(std::size_t count) {
  return fmt::format("{} of B that failed {} none in A, and passed in an earlier run",
                     present::plural(count, "result"), count == 1 ? "has" : "have");
}

std::string gate_text(const CompareReport& report, const CompareGate& gate) {
  const auto problems = why_gate_cannot_hold(report, gate);
  if (report.nothing_compared()) return problems.front() + ": the gate cannot hold.";
  const std::size_t count = report.regressions(gate.limit).size();
  const std::size_t broken = report.count(Verdict::broken);
  const std::size_t slower = count - broken;
  const std::string who = slower == 0   ? "No result is"
                          : slower == 1 ? "1 result is"
                                        : fmt::format("{} results are", slower);
  std::string text = fmt::format("{} slower by more than {:g}%", who, 100 * gate.limit);
  if (broken > 0) text += fmt::format(", {} broken", broken);
  text += count == 0 ? "." : ": the gate fails.";
  for (const std::string& problem : problems) text += fmt::format(" {}: the gate cannot hold.", problem);
  if (const auto doubtful = report.doubtful(gate.limit); !doubtful.empty()) {
    std::vector<std::string> names;
    for (const Comparison* pair : doubtful) names.push_back(name_of(*pair->b));
    text += fmt::format(
        " {} may be slower than that, but too noisy or without a record of the spread to tell: {}.",
        present::plural(doubtful.size(), "result"), util::some_of(names));
  }
  return text;
}

std::string totals_text(const CompareReport& report) {
  std::string text = counts_text(report);
  if (const std::size_t count = report.one_measurement(); count > 0 && !report.are_equal())
    text += fmt::format(" ({} the same measurement on both sides)",
                        count == 1 ? "1 is" : fmt::format("{} are", count));
  if (const auto mean = report.mean_speedup()) {
    const auto timed = std::count_if(report.pairs.begin(), report.pairs.end(),
                                     [](const Comparison& pair) { return pair.change.has_value(); });
    const bool are_all = timed == std::ssize(report.pairs);
    text += fmt::format("; B's speed is {:.4f}x A's (geometric mean{})", *mean,
                        are_all ? "" : fmt::format(" of the {} that passed on both sides", timed));
    const auto same = report.mean_speedup(Sources::same);
    const auto changed = report.mean_speedup(Sources::changed);
    if (same && changed)
      text += fmt::format(", {:.4f}x of unchanged sources and {:.4f}x of changed ones", *same, *changed);
  }
  return text;
}

std::vector<std::string> why_gate_cannot_hold(const CompareReport& report, const CompareGate& gate) {
  if (report.pairs.empty()) return {"Nothing was compared"};
  if (report.nothing_compared()) return {"No result passed in A or in B"};
  std::vector<std::string> problems;
  if (const std::size_t missing = report.missing(); missing > 0)
    problems.push_back(fmt::format("{} of A that passed {} missing in B", present::plural(missing, "result"),
                                   missing == 1 ? "is" : "are"));
  if (const std::size_t broken = report.only_b_broken_since; broken > 0)
    problems.push_back(broken_since_text(broken));
  if (const std::size_t untimed = report.untimed(); untimed > 0)
    problems.push_back(fmt::format("{} of A {} no time in B", present::plural(untimed, "result"),
                                   untimed == 1 ? "has" : "have"));
  if (const std::size_t others = report.other_conditions(); others > 0)
    problems.push_back(fmt::format("{} made under other conditions",
                                   others == 1 ? "1 result was" : fmt::format("{} results were", others)));
  for (const std::string& caution : cautions_of_b(report)) problems.push_back(caution);
  if (gate.unreadable > 0)
    problems.push_back(
        fmt::format("{} of the datasets cannot be read", present::plural(gate.unreadable, "line")));
  return problems;
}

}  // namespace fib::report
