#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "chart/markup.h"
#include "present/text.h"
#include "report/remarks.h"
#include "report/run_results.h"
#include "report/speedup_text.h"
#include "report/summary_tables.h"
#include "report/workload_text.h"
#include "util/find.h"
#include "util/shell_word.h"
#include "util/some_of.h"
#include "util/xml.h"
#include "visual/charts.h"
#include "visual/html.h"
#include "visual/overview.h"
#include "visual/page_parts.h"
#include "visual/page_table.h"

namespace fib::visual {
namespace {

using report::Verdict;

constexpr std::size_t kMostWinners = 3;  // of those that share the first place
constexpr std::size_t kMostRows = 40;    // of failures and of changes: a first look, not all of it
constexpr std::size_t kFewMore = 4;      // not worth a sentence that they are left out
constexpr std::size_t kMostNames = 8;    // of solutions that failed alike
constexpr std::size_t kOverviewReasonColumns = 240;
constexpr double kWideInterval = 0.1;  // above, it matters whether it is a difference or a factor

// A number with what it is; `id`: the part of the page that tells more, or "".
std::string tile(const std::string& value, const std::string& label, const std::string& tone = "",
                 const std::string& id = "") {
  const std::string inner = text_tag("b", value) + tag("span", {}, breakable(label));
  const std::string css = tone.empty() ? "tile" : "tile " + tone;
  return id.empty() ? tag("div", {{"class", css}}, inner)
                    : tag("a", {{"class", css}, {"href", "#" + id}}, inner);
}

// ", interrupted after 33 of 68 evaluations", where the run's record says so.
std::string early_end_of(const Scene& scene, const std::string& run_id) {
  const report::HistoryRun* run = report::find_run(scene.history, run_id);
  if (run == nullptr || !run->has_record) return "";
  const dataset::RunRecord& record = run->record;
  if (!record.interrupted && record.ended_early.empty()) return "";
  std::string text = record.interrupted ? ", interrupted" : ", ended early";
  const std::size_t done = record.finished.value_or(0);
  if (record.finished && record.not_done)
    text += fmt::format(" after {} of {}", done, present::plural(done + *record.not_done, "evaluation"));
  return text;
}

// " (1 of 9 definitions)" where the last run has results of a part alone: of the others it says nothing.
std::string scope_of(const HardwareScene& hardware, const Changes& changes) {
  const std::size_t all = hardware.definitions.size();
  return changes.tried >= all ? ""
                              : fmt::format(" ({} of {})", changes.tried, present::plural(all, "definition"));
}

// What became worse first, in red; the rest in the label.
std::string changes_tile(const Scene& scene, const HardwareScene& hardware, const Changes& changes,
                         const std::string& id) {
  std::map<Verdict, std::size_t> worse;
  std::map<Verdict, std::size_t> other;
  for (const auto& [verdict, count] : changes.totals)
    (verdict == Verdict::broken || verdict == Verdict::slower ? worse : other)[verdict] = count;
  const bool both = !worse.empty() && changes_text(other) != "nothing";
  const std::string value = changes_text(worse.empty() ? other : worse);
  std::set<std::string> solutions;
  for (const Change& change : changes.changed) {
    const auto has = [&](const auto& entry) { return change.verdicts.contains(entry.first); };
    if (std::any_of(worse.begin(), worse.end(), has)) solutions.insert(change.solution);
  }
  std::string label = "changed in the last run";
  if (value != "nothing") {
    label = solutions.empty() ? "results of"
                              : "results of " + present::plural(solutions.size(), "solution") + " in";
    label += " the last run against those before";
  }
  label += scope_of(hardware, changes) + early_end_of(scene, changes.run_id);
  if (both) label += "; also " + changes_text(other);
  return tile(value, label, worse.empty() ? "" : "bad", changes.changed.empty() ? "" : id + "-changes");
}

// Solutions of which nothing failed, and that have no result of some workload of which others have one.
std::size_t tried_in_part(const report::HardwareSummary& summary) {
  std::size_t count = 0;
  for (const report::Leaderboard& board : summary.leaderboards) {
    count += static_cast<std::size_t>(
        std::count_if(board.standings.begin(), board.standings.end(),
                      [](const report::Standing& one) { return one.passed < one.workloads; }));
  }
  return count;
}

std::string tiles(const Scene& scene, const HardwareScene& hardware,
                  const std::vector<DefinitionResult>& outcomes, const std::vector<Failure>& failures,
                  const std::optional<Changes>& changes) {
  const Tally tally = tally_of(outcomes);
  const bool is_baseline_alone = tally.won > 0 && tally.against_baseline == tally.won;
  const std::string won_against =
      is_baseline_alone ? "the baseline alone"
      : tally.against_baseline > 0
          ? fmt::format("others, {} against the baseline alone", tally.against_baseline)
          : "others";
  const report::Counts& counts = hardware.summary.counts;
  const std::string id = hardware_id(hardware.name);
  std::string text =
      tile(fmt::format("{} of {}", tally.won, outcomes.size()),
           "definitions won against " + won_against +
               (tally.unopposed == 0 ? "" : fmt::format(", {} passed by one alone", tally.unopposed)) +
               (tally.unsure == 0 ? "" : fmt::format(", {} perhaps by noise", tally.unsure)) +
               (tally.ties == 0 ? "" : ", " + present::plural(tally.ties, "tie")));
  const std::string by_status = report::failures_text(counts);
  text += tile(fmt::format("{} of {}", counts.passed, counts.total),
               (hardware.summary.every_trace ? "traces passed" : "results passed") +
                   (by_status.empty() ? "" : "; failed: " + by_status),
               counts.passed == 0 ? "bad" : "");
  if (const auto widest = widest_interval(outcomes)) {
    text +=
        tile(present::format_interval(*widest),
             outcomes.size() == 1
                 ? "is where the next run of the winner lies in 95 of 100 cases"
                 : "is the widest “rerun within” of a winner: where its next run lies in 95 of 100 cases");
  } else if (tally.won + tally.unopposed + tally.unsure + tally.ties > 0) {
    text += tile("no intervals", "in these traces: a small lead may be noise");
  }
  const std::size_t untried = tried_in_part(hardware.summary);
  const std::string rest = untried == 0
                               ? ""
                               : fmt::format("; {} not tried on every workload",
                                             untried == 1 ? "1 was" : fmt::format("{} were", untried));
  text += failures.empty() ? tile("0", "solutions that failed" + rest, untried == 0 ? "good" : "")
                           : tile(std::to_string(failures.size()),
                                  failures.size() == 1 ? "solution did not pass everything"
                                                       : "solutions did not pass everything",
                                  "bad", id + "-failures");
  if (changes) text += changes_tile(scene, hardware, *changes, id);
  return tag("div", {{"class", "tiles"}}, text) + "\n";
}

std::string winners_markup(const Scene& scene, const DefinitionResult& outcome) {
  std::string markup;
  const std::size_t shown = std::min(outcome.winners.size(), kMostWinners);
  const Colours& colours = scene.colours.at(outcome.definition);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string& name = outcome.winners[i]->solution;
    markup += named_dot(colours.at(name), link_to(solution_id(scene, name), name));
  }
  if (outcome.winners.size() > shown)
    markup += text_tag("span", util::and_more(outcome.winners.size(), shown));
  return markup;
}

std::string nobody(const DefinitionResult& outcome) {
  if (outcome.closest == nullptr || outcome.closest->passed == 0) return "nobody passed anything";
  return fmt::format("nobody: {} passed {} of {}", outcome.closest->solution, outcome.closest->passed,
                     outcome.closest->workloads);
}

double speedup_of(const DefinitionResult& outcome) {
  return outcome.winners.empty() ? 0 : outcome.winners.front()->speedup.value_or(0);
}

std::vector<PageCell> leaderboard_row(const Scene& scene, const HardwareScene& hardware,
                                      const DefinitionResult& outcome, double highest) {
  const PageCell definition{link_to(definition_id(hardware.name, outcome.definition), outcome.definition)};
  const PageCell passed =
      number(fmt::format("{} of {}", outcome.solutions - outcome.failed, outcome.solutions),
             static_cast<double>(outcome.solutions - outcome.failed));
  if (outcome.winners.empty()) {
    PageCell none = plain(nobody(outcome));
    none.css = "f";
    return {definition, none, plain("-"), plain("-"), plain("-"), plain("-"), passed};
  }
  const report::Standing& winner = *outcome.winners.front();
  PageCell speedup = plain("-");
  if (winner.speedup && *winner.speedup > 0) {
    const auto digits = report::digits_for(winner.interval);
    speedup =
        number(report::speedup_text(*winner.speedup, winner.speedup_range, digits) + "x", *winner.speedup);
    speedup.bar = *winner.speedup / highest;
  }
  const auto lead = outcome.lead();
  return {definition,
          {winners_markup(scene, outcome), std::nullopt, std::nullopt, outcome.has_won() ? "won" : ""},
          number(present::format_ms(*winner.latency_ms), *winner.latency_ms),
          winner.interval ? number(present::format_interval(*winner.interval), *winner.interval) : plain("-"),
          speedup,
          outcome.winners.size() > 1 ? plain("tie")
          : lead                     ? number(report::lead_text(*lead, winner.interval), *lead)
                                     : plain("alone"),
          passed};
}

// Explains the columns that are there.
std::string leaderboard_legend(const Scene& scene, const HardwareScene& hardware,
                               const std::vector<DefinitionResult>& outcomes) {
  const bool has_winner = std::any_of(outcomes.begin(), outcomes.end(),
                                      [](const auto& outcome) { return !outcome.winners.empty(); });
  if (!has_winner) return "A winner has passed every workload.";
  const bool has_star =
      std::any_of(outcomes.begin(), outcomes.end(), [](const auto& outcome) { return outcome.has_won(); });
  std::string text = has_star ? "★ won against others; dots" : "Dots";
  text += " are the colours of the charts. Latency: geometric mean over the workloads. ";
  if (const auto widest = widest_interval(outcomes)) {
    text += "Rerun within: where another run's lies, in 95 of 100 cases. ";
    if (*widest >= kWideInterval)
      text +=
          "A tie: their intervals overlap. Wide ones are factors (±80%: from 1/1.8 to 1.8 times). "
          "Speedups of latencies with wide intervals are as uncertain. ";
  }
  text += fmt::format("Speedup: {} mean of the workloads' speedups. ",
                      scene.standing != nullptr ? "geometric" : "arithmetic");
  text +=
      "Ahead of the next: its latency over the winner's, as a percentage where it is near; alone: no other "
      "passed every workload; tie: the first cannot be told apart. ";
  if (scene.standing != nullptr) return text;  // the cautions say which results are of several runs
  std::vector<std::string> of_several_runs;
  for (const DefinitionScene& definition : hardware.definitions) {
    if (runs_of(definition) > 1) of_several_runs.push_back(definition.name);
  }
  if (!of_several_runs.empty()) text += report::several_runs_text(of_several_runs);
  return text;
}

std::string leaderboard(const Scene& scene, const HardwareScene& hardware,
                        const std::vector<DefinitionResult>& outcomes) {
  double highest = 0;
  for (const DefinitionResult& outcome : outcomes) highest = std::max(highest, speedup_of(outcome));
  PageTable table{{name_column("Definition", 22),
                   name_column("Winner", 28),
                   {"Latency (ms)", true},
                   {"Rerun within", true, true},
                   {"Speedup", true},
                   {"Ahead of the next", true, true},
                   {"Solutions passed", true, true}},
                  {},
                  true};
  for (const DefinitionResult& outcome : outcomes)
    table.rows.push_back(leaderboard_row(scene, hardware, outcome, highest));
  const bool has_speedups = std::any_of(outcomes.begin(), outcomes.end(),
                                        [](const auto& outcome) { return speedup_of(outcome) > 0; });
  const std::string caption = has_speedups ? fmt::format("Who won, speedups against the {}",
                                                         report::name_of(hardware.summary.authors.against))
                                           : "Who won";
  return to_html(table, caption) +
         tag("p", {{"class", "legend"}},
             util::escape_xml(present::printable(leaderboard_legend(scene, hardware, outcomes)))) +
         "\n";
}

// `command` prints all of them.
std::string rest_note(const Scene& scene, std::size_t left_out, const char* what,
                      const std::string& command) {
  if (left_out == 0) return "";
  const std::string words =
      command + " --local " + util::shell_word(present::printable(scene.dataset.root.string()));
  return tag("p", {},
             util::escape_xml(fmt::format("and {} more {}; all of them: ", left_out, what)) +
                 text_tag("code", words)) +
         "\n";
}

// The solutions of a group, as links; of many the first.
std::string names_of(const Scene& scene, const std::vector<Failure>& group) {
  std::string names;
  const std::size_t shown = std::min(group.size(), kMostNames);
  for (std::size_t i = 0; i < shown; ++i) {
    names += (i == 0 ? "" : ", ") + link_to(solution_id(scene, group[i].solution), group[i].solution);
  }
  if (group.size() > shown) names += " " + util::and_more(group.size(), shown);
  return names;
}

// "0 of 3", or "0 to 2 of 3" where they differ.
PageCell passed_of(const std::vector<Failure>& group) {
  const auto [least, most] = std::minmax_element(
      group.begin(), group.end(),
      [](const Failure& left, const Failure& right) { return left.passed < right.passed; });
  const std::string range = least->passed == most->passed
                                ? std::to_string(least->passed)
                                : fmt::format("{} to {}", least->passed, most->passed);
  return number(fmt::format("{} of {}", range, least->workloads), static_cast<double>(least->passed));
}

// "4 TIMEOUT, 2 RUNTIME_ERROR; first M=16: ", of solutions that did not fail alike on all workloads; "on
// M=16: " and "2 times; first M=16: " where there is one status, which follows.
std::string place_of(const Failure& failure) {
  if (fails_alike(failure)) return "";
  const std::string first = report::workload_text(*failure.first->row.workload) + ": ";
  if (failure.statuses.size() > 1) return report::failures_text(failure.statuses) + "; first " + first;
  const std::size_t count = failure.statuses.begin()->second;
  return count == 1 ? "on " + first : fmt::format("{} times; first {}", count, first);
}

std::string failures_part(const Scene& scene, const HardwareScene& hardware,
                          const std::vector<Failure>& failures, Logs& logs) {
  if (failures.empty()) return "";
  PageTable table{{narrow_name_column("Solution"),
                   narrow_name_column("Definition"),
                   {"Passed", true, true},
                   {"First failure"}},
                  {},
                  true};
  auto groups = by_reason(failures);
  // Who passed the least share comes first.
  const auto share = [](const std::vector<Failure>& group) {
    return static_cast<double>(group.front().passed) /
           static_cast<double>(std::max<std::size_t>(1, group.front().workloads));
  };
  std::stable_sort(groups.begin(), groups.end(),
                   [&](const auto& left, const auto& right) { return share(left) < share(right); });
  const std::size_t rows = groups.size() <= kMostRows + kFewMore ? groups.size() : kMostRows;
  std::size_t left_out = failures.size();
  for (std::size_t i = 0; i < rows; ++i) {
    const std::vector<Failure>& group = groups[i];
    const Failure& first = group.front();
    left_out -= group.size();
    table.rows.push_back({{names_of(scene, group)},
                          {link_to(definition_id(hardware.name, first.definition), first.definition)},
                          passed_of(group),
                          {link_to(logs.link(*first.first),
                                   present::shorten(place_of(first) + report::without_rule(cause_of(group)),
                                                    kOverviewReasonColumns)),
                           std::nullopt, std::nullopt, "all"}});
  }
  return tag("div", {{"id", hardware_id(hardware.name) + "-failures"}}, to_html(table, "What failed")) +
         rest_note(scene, left_out, "that failed", "fib export --format junit");
}

// "11-26 10:16 804f513a", as in the history, whose table has the id; a run that is not in it has that alone.
std::string run_name(const Scene& scene, const std::string& run_id) {
  const auto labels = run_labels(scene.history);
  const auto* label = util::find_or_null(labels, run_id);
  return label == nullptr ? run_id : label->whole();
}

// "+12.3%"; never "-0.0%".
std::string percent_text(double ratio) {
  const std::string text = fmt::format("{:+.1f}%", (ratio - 1) * 100);
  return text == "-0.0%" ? "+0.0%" : text;
}

// "0.25000 → 0.50000 (+100.0%)", "0.25000 → failed", "+100.0% where both passed" where not all results did,
// or "+14.9% (+100.0% where it changed)". Dim where no verdict stands behind it.
PageCell latency_change(const Change& change, bool is_dim) {
  if (!change.ratio && change.before_ms && change.verdicts.contains(Verdict::broken))
    return plain(present::format_ms(*change.before_ms) + " → failed");
  if (!change.ratio) return plain("-");
  // Of a few results that changed the mean of all, which fib run prints, says little.
  if (change.changed_ratio && 2 * change.ratios_changed < change.results) {
    PageCell some = number(fmt::format("{} ({} where it changed)", percent_text(*change.ratio),
                                       percent_text(*change.changed_ratio)),
                           *change.ratio);
    if (is_dim) some.css = "dim";
    return some;
  }
  std::string text = percent_text(*change.ratio);
  if (!change.before_ms || change.verdicts.contains(Verdict::broken)) {
    text += " where both passed";
  } else {
    text = fmt::format("{} → {} ({})", present::format_ms(*change.before_ms),
                       present::format_ms(*change.before_ms * *change.ratio), text);
  }
  PageCell cell = number(text, *change.ratio);
  if (is_dim) cell.css = "dim";
  return cell;
}

// "in the run 11-26 10:16 804f513a".
std::string runs_before_text(const Scene& scene, const Changes& changes) {
  if (changes.runs_before.size() == 1) return "in the run " + run_name(scene, *changes.runs_before.begin());
  return fmt::format("in whichever of {} earlier runs that was", changes.runs_before.size());
}

std::string changes_part(const Scene& scene, const HardwareScene& hardware, const Changes& changes) {
  const std::string id = hardware_id(hardware.name) + "-changes";
  std::string drift;
  for (const std::string& note : report::drift_notes(changes.drift)) drift += " " + note + ".";
  if (changes.changed.empty()) {
    return text_tag("p",
                    fmt::format("Nothing changed in the last run, {}{}{}.{}", run_name(scene, changes.run_id),
                                scope_of(hardware, changes), early_end_of(scene, changes.run_id), drift)) +
           "\n";
  }
  PageTable table{{name_column("Solution"),
                   name_column("Definition"),
                   {"Latency (ms)", true},
                   name_column("Results that changed")},
                  {},
                  true};
  for (std::size_t i = 0; i < std::min(changes.changed.size(), kMostRows); ++i) {
    const Change& change = changes.changed[i];
    const auto has = [&](Verdict verdict) { return change.verdicts.contains(verdict); };
    const bool is_worse = has(Verdict::broken) || has(Verdict::slower);
    const bool is_better = has(Verdict::faster) || has(Verdict::fixed);
    const bool is_mixed = is_worse && is_better && !has(Verdict::broken);
    const char* tone = is_mixed ? "" : is_worse ? "f" : is_better ? "p" : "";
    table.rows.push_back({{link_to(solution_id(scene, change.solution), change.solution)},
                          {link_to(definition_id(hardware.name, change.definition), change.definition)},
                          latency_change(change, *tone == '\0'),
                          {fmt::format("{} of {}{}", changes_text(change.verdicts), change.results,
                                       change.has_other_source ? "; source or options changed"
                                       : change.is_same_source && (is_worse || is_better) ? "; same source"
                                                                                          : ""),
                           static_cast<double>(i + 1), std::nullopt, tone}});  // the worst first
  }
  return tag("div", {{"id", id}},
             to_html(table, "What changed in the last run, " + run_name(scene, changes.run_id) +
                                scope_of(hardware, changes) + early_end_of(scene, changes.run_id)) +
                 tag("p", {{"class", "legend"}},
                     util::escape_xml(fmt::format(
                         "Each result against the one before it of the same solution and workload, {}, "
                         "by the rule of fib report compare for two results; ambiguous: a difference "
                         "that the noise may explain.{}",
                         runs_before_text(scene, changes), drift)))) +
         rest_note(scene, changes.changed.size() - std::min(changes.changed.size(), kMostRows),
                   "that changed", "fib report compare last~1 last");
}

}  // namespace

std::string overview(const Scene& scene, const HardwareScene& hardware, Logs& logs) {
  const auto outcomes = outcomes_of(hardware.summary);
  const auto failures = failures_of(hardware);
  const auto changes = changes_of(scene, hardware.name);
  const bool nothing_passed = hardware.summary.counts.passed == 0;
  std::string lead =
      nothing_passed ? "Nothing passed." : headline(outcomes, hardware.summary.authors.against);
  for (const std::string& more :
       {slowed_text(outcomes, changes), fallen_text(fallen_leaders(outcomes, changes)),
        nothing_passed ? present::shorten(common_cause(failures), kOverviewReasonColumns) : std::string()})
    lead += (more.empty() ? "" : " ") + more;
  return tag("p", {{"class", "lead"}}, breakable(present::printable(lead))) + "\n" +
         tiles(scene, hardware, outcomes, failures, changes) + leaderboard(scene, hardware, outcomes) +
         failures_part(scene, hardware, failures, logs) +
         (changes ? changes_part(scene, hardware, *changes) : "");
}

}  // namespace fib::visual
