#include "visual/overview.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <tuple>

#include "dataset/ranking.h"
#include "dataset/run_order.h"
#include "present/text.h"
#include "report/run_results.h"
#include "report/speedup_text.h"
#include "util/natural_order.h"
#include "util/some_of.h"
#include "util/text.h"

namespace fib::visual {
namespace {

using report::Detail;
using report::Verdict;

// "a", "a and b", "a, b and 2 more".
std::string names_text(const std::vector<std::string>& names) {
  if (names.size() < 2 || names.size() > util::kNamed) return util::some_of(names);
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

std::string names_text(const std::vector<const report::Standing*>& standings) {
  std::vector<std::string> names;
  for (const auto* standing : standings) names.push_back(standing->solution);
  return names_text(names);
}

std::string one_headline(const DefinitionResult& outcome, report::Against against) {
  if (outcome.winners.empty()) {
    const report::Standing* closest = outcome.closest;
    if (closest == nullptr) return "";
    if (closest->passed == 0)
      return fmt::format("No solution of {} passed any workload.", outcome.definition);
    return fmt::format("No solution of {} passed every workload; {} passed {} of {}.", outcome.definition,
                       closest->solution, closest->passed, closest->workloads);
  }
  const report::Standing& winner = *outcome.winners.front();
  std::string text;
  if (outcome.winners.size() > 1) {
    text = fmt::format("{} lead {} and cannot be told apart, the first at {} ms", names_text(outcome.winners),
                       outcome.definition, present::format_ms(*winner.latency_ms));
  } else if (outcome.next == nullptr) {
    text = fmt::format("{} alone passed every workload of {}: {} ms", winner.solution, outcome.definition,
                       present::format_ms(*winner.latency_ms));
  } else {
    text = fmt::format("{} {} {}: {} ms", winner.solution,
                       outcome.is_unsure() ? "comes first, perhaps by noise, in" : "wins", outcome.definition,
                       present::format_ms(*winner.latency_ms));
  }
  if (winner.interval) text += " " + present::format_interval(*winner.interval);
  if (winner.speedup && *winner.speedup > 0) {
    text += fmt::format(
        ", {}x the {}",
        report::speedup_text(*winner.speedup, winner.speedup_range, report::digits_for(winner.interval)),
        against == report::Against::baseline ? "baseline" : "reference");
  }
  if (const auto lead = outcome.lead()) {
    text += fmt::format(", {} {} {}", report::lead_text(*lead, winner.interval),
                        *lead < report::kSmallLead ? "faster than" : "as fast as", outcome.next->solution);
  }
  return text + ".";
}

// What a comparison looks at of the results of one hardware: those of the run, and those before it.
struct Sides {
  std::vector<Detail> now;
  std::vector<Detail> before;
};

Sides sides_of(const Scene& scene, const std::string& hardware, const std::string& run_id) {
  Sides sides;
  const std::string* conditions = nullptr;
  for (const Detail& detail : scene.details) {
    const bool is_of_run = detail.run_id != nullptr && *detail.run_id == run_id;
    if (is_of_run) conditions = detail.row.evaluation->origin.run_conditions;
  }
  for (const Detail& detail : scene.details) {
    const auto& evaluation = *detail.row.evaluation;
    if (*evaluation.hardware != hardware || evaluation.origin.is_sweep_point) continue;
    if (evaluation.origin.run_conditions != conditions) continue;
    const bool is_of_run = detail.run_id != nullptr && *detail.run_id == run_id;
    Detail copy = detail;
    copy.log.clear();
    (is_of_run ? sides.now : sides.before).push_back(std::move(copy));
  }
  return sides;
}

std::optional<std::string> last_run(const Scene& scene, const std::string& hardware) {
  dataset::RunOrder order;
  for (const Detail& detail : scene.details) {
    const auto& evaluation = *detail.row.evaluation;
    if (*evaluation.hardware != hardware || evaluation.origin.is_sweep_point || detail.run_id == nullptr)
      continue;
    order.add_trace(*detail.run_id, evaluation.timestamp);
  }
  const auto ids = order.ids();
  return ids.empty() ? std::nullopt : std::optional(ids.back());
}

// A failure's reason ("COMPILE_ERROR: a.cpp:1:2: error: ...") without the file and line of a compiler's
// message, which differ from source to source.
std::string without_place(const std::string& reason) {
  const std::size_t status_end = reason.find(": ");
  const std::size_t place = reason.find("error: ");
  if (status_end == std::string::npos || place == std::string::npos || place < status_end) return reason;
  return reason.substr(0, status_end + 2) + reason.substr(place);
}

std::string reason_text(const Detail& detail) {
  const std::string line = reason_of(detail);
  report::FailureName failure = detail.failure;
  const std::string word(model::name_of(detail.status()));
  if (util::lowered(word) == failure.code) failure.code.clear();  // nothing that the status does not say
  const std::string status = report::status_text(detail.status(), failure);
  return line.empty() ? status : status + ": " + line;
}

bool is_worth_telling(const Change& change) {
  return std::any_of(change.verdicts.begin(), change.verdicts.end(), [](const auto& entry) {
    return entry.first != Verdict::same && entry.first != Verdict::failed;
  });
}

// What a reader wants to see first: what broke, what became slower, what became better, and last what may be
// noise.
bool is_worse(const Change& left, const Change& right) {
  const auto order = [](const Change& change) {
    const auto count = [&](Verdict verdict) {
      const auto found = change.verdicts.find(verdict);
      return found == change.verdicts.end() ? std::size_t{0} : found->second;
    };
    const bool is_certain =
        count(Verdict::broken) + count(Verdict::slower) + count(Verdict::faster) + count(Verdict::fixed) > 0;
    const double ratio = change.ratio.value_or(1);
    return std::tuple(!is_certain, -static_cast<double>(count(Verdict::broken)),
                      count(Verdict::slower) > 0 ? -ratio : 0, -static_cast<double>(count(Verdict::fixed)),
                      is_certain ? ratio : -ratio);
  };
  return order(left) < order(right);
}

}  // namespace

std::optional<double> DefinitionResult::lead() const {
  if (winners.empty() || next == nullptr || !next->latency_ms) return std::nullopt;
  return *next->latency_ms / *winners.front()->latency_ms;
}

bool may_be_noise(const report::Standing& first, const report::Standing& next) {
  return !first.interval && first.latency_ms && next.latency_ms &&
         *next.latency_ms < report::kSmallLead * *first.latency_ms;
}

bool DefinitionResult::is_unsure() const {
  return winners.size() == 1 && next != nullptr && may_be_noise(*winners.front(), *next);
}

std::vector<DefinitionResult> outcomes_of(const report::HardwareSummary& summary) {
  std::vector<DefinitionResult> outcomes;
  for (const report::Leaderboard& board : summary.leaderboards) {
    DefinitionResult& outcome = outcomes.emplace_back();
    outcome.definition = board.definition;
    outcome.solutions = board.standings.size();
    bool is_baseline_alone = !board.baseline_author.empty();
    for (const report::Standing& standing : board.standings) {
      const bool passed_all = standing.passed == standing.workloads;
      outcome.failed += passed_all ? 0 : 1;
      if (!passed_all || !standing.latency_ms || !standing.rank) {
        if (outcome.closest == nullptr || standing.passed > outcome.closest->passed)
          outcome.closest = &standing;
      } else if (outcome.winners.empty() || outcome.winners.front()->rank == standing.rank) {
        outcome.winners.push_back(&standing);
      } else {
        if (outcome.next == nullptr) outcome.next = &standing;
        is_baseline_alone = is_baseline_alone && standing.author == board.baseline_author;
      }
    }
    outcome.is_baseline_alone =
        outcome.has_won() && is_baseline_alone && outcome.winners.front()->author != board.baseline_author;
  }
  return outcomes;
}

Tally tally_of(const std::vector<DefinitionResult>& outcomes) {
  Tally tally;
  for (const DefinitionResult& outcome : outcomes) {
    tally.won += outcome.has_won() ? 1 : 0;
    tally.unopposed += outcome.is_unopposed() ? 1 : 0;
    tally.unsure += outcome.is_unsure() ? 1 : 0;
    tally.ties += outcome.winners.size() > 1 ? 1 : 0;
    tally.against_baseline += outcome.is_baseline_alone ? 1 : 0;
  }
  return tally;
}

std::string baseline_alone_text(const std::vector<DefinitionResult>& outcomes) {
  const Tally tally = tally_of(outcomes);
  const std::size_t won = tally.won;
  const std::size_t alone = tally.against_baseline;
  if (alone == 0) return "";
  if (alone < won) return fmt::format(", {} of them against the baseline alone", alone);
  return won == 1 ? ", against the baseline alone" : ", all of them against the baseline alone";
}

std::vector<std::pair<std::size_t, std::string>> wins_by_author(
    const std::vector<DefinitionResult>& outcomes) {
  std::map<std::string, std::size_t> counts;
  for (const DefinitionResult& outcome : outcomes) {
    if (outcome.has_won()) ++counts[outcome.winners.front()->author.value_or("unknown authors")];
  }
  std::vector<std::pair<std::size_t, std::string>> wins;
  for (const auto& [author, count] : counts) wins.emplace_back(count, author);
  std::stable_sort(wins.begin(), wins.end(),
                   [](const auto& left, const auto& right) { return left.first > right.first; });
  return wins;
}

std::string headline(const std::vector<DefinitionResult>& outcomes, report::Against against) {
  if (outcomes.size() == 1) return one_headline(outcomes.front(), against);
  std::vector<std::string> without;
  for (const DefinitionResult& outcome : outcomes) {
    if (outcome.winners.empty()) without.push_back(outcome.definition);
  }
  if (without.size() == outcomes.size())
    return fmt::format("No solution passed every workload of any of the {} definitions.", outcomes.size());
  std::string text;
  for (const auto& [count, author] : wins_by_author(outcomes)) {
    if (text.size() > 120) break;
    text += fmt::format("{}{} wins {}", text.empty() ? "" : ", ", author, count);
  }
  text = text.empty() ? fmt::format("None of {} was won against others",
                                    present::plural(outcomes.size(), "definition"))
                      : text + fmt::format(" of {}", present::plural(outcomes.size(), "definition")) +
                            baseline_alone_text(outcomes);
  const Tally tally = tally_of(outcomes);
  if (tally.unopposed > 0)
    text += fmt::format("; {} {} passed by a single solution", tally.unopposed,
                        tally.unopposed == 1 ? "was" : "were");
  if (tally.unsure > 0)
    text += fmt::format("; of {} who comes first may be noise", present::plural(tally.unsure, "definition"));
  if (tally.ties > 0) text += fmt::format("; {} {}", tally.ties, tally.ties == 1 ? "is a tie" : "are ties");
  if (!without.empty())
    text += fmt::format("; no solution passed every workload of {}{}", without.size() > 1 ? "any of " : "",
                        names_text(without));
  return text + ".";
}

std::optional<Changes> changes_of(const Scene& scene, const std::string& hardware) {
  const auto run_id = last_run(scene, hardware);
  if (!run_id) return std::nullopt;
  const Sides sides = sides_of(scene, hardware, *run_id);
  const auto compared = report::compare({"", report::latest(sides.before)}, {"", report::latest(sides.now)},
                                        report::PairBy::solution);
  if (compared.pairs.empty()) return std::nullopt;
  Changes changes;
  changes.run_id = *run_id;
  std::set<std::string> tried;
  for (const Detail& detail : sides.now) tried.insert(*detail.row.definition);
  changes.tried = tried.size();
  std::map<std::pair<std::string, std::string>, Change> by_solution;
  std::map<std::pair<std::string, std::string>, std::vector<double>> ratios;
  std::map<std::pair<std::string, std::string>, std::vector<double>> ratios_changed;
  std::map<std::pair<std::string, std::string>, std::vector<double>> latencies_before;
  for (const report::Comparison& pair : compared.pairs) {
    const std::pair key(*pair.b->row.definition, *pair.b->row.solution);
    Change& change = by_solution[key];
    change.definition = key.first;
    change.solution = key.second;
    ++change.results;
    ++change.verdicts[pair.verdict];
    change.has_other_source = change.has_other_source || pair.sources == report::Sources::changed;
    change.is_same_source = change.is_same_source && pair.sources == report::Sources::same;
    ++changes.totals[pair.verdict];
    if (pair.a->run_id != nullptr) changes.runs_before.insert(*pair.a->run_id);
    const auto before = pair.a->latency_ms();
    if (pair.change) ratios[key].push_back(1 + *pair.change);
    if (pair.change && (pair.verdict == Verdict::slower || pair.verdict == Verdict::faster))
      ratios_changed[key].push_back(1 + *pair.change);
    if (before) latencies_before[key].push_back(*before);
  }
  if (const auto known = compared.drifts.find(hardware); known != compared.drifts.end())
    changes.drift = known->second;
  for (auto& [key, change] : by_solution) {
    if (!ratios[key].empty()) change.ratio = dataset::geometric_mean(ratios[key]);
    change.ratios_changed = ratios_changed[key].size();
    if (change.ratios_changed > 0) change.changed_ratio = dataset::geometric_mean(ratios_changed[key]);
    const auto& before = latencies_before[key];
    if (before.size() == change.results) change.before_ms = dataset::geometric_mean(before);
    if (is_worth_telling(change)) changes.changed.push_back(std::move(change));
  }
  std::stable_sort(changes.changed.begin(), changes.changed.end(), is_worse);
  return changes;
}

std::map<std::string, const Change*> fallen_leaders(const std::vector<DefinitionResult>& outcomes,
                                                    const std::optional<Changes>& changes) {
  std::map<std::string, const Change*> fallen;
  if (!changes) return fallen;
  for (const DefinitionResult& outcome : outcomes) {
    const report::Standing* now = outcome.winners.empty() ? outcome.closest : outcome.winners.front();
    for (const Change& change : changes->changed) {
      if (change.definition != outcome.definition || !change.verdicts.contains(Verdict::broken)) continue;
      if (!change.before_ms || now == nullptr || change.results != now->workloads) continue;
      // Beyond what another run of the winner may be off: else they may have been equals.
      if (!outcome.winners.empty() && *change.before_ms >= *now->latency_ms / (1 + now->interval.value_or(0)))
        continue;
      const Change*& fastest = fallen[outcome.definition];
      if (fastest == nullptr || *change.before_ms < *fastest->before_ms) fastest = &change;
    }
  }
  return fallen;
}

std::string slowed_text(const std::vector<DefinitionResult>& outcomes,
                        const std::optional<Changes>& changes) {
  if (!changes) return "";
  // On most workloads: of one of many that tells little.
  const auto is_slower = [](const Change& change) {
    const auto slower = change.verdicts.find(Verdict::slower);
    return slower != change.verdicts.end() && 2 * slower->second > change.results &&
           change.ratio.value_or(1) > 1;
  };
  std::vector<std::string> texts;
  for (const DefinitionResult& outcome : outcomes) {
    for (const report::Standing* winner : outcome.winners) {
      const auto is_of_it = [&](const Change& change) {
        return change.definition == outcome.definition && change.solution == winner->solution;
      };
      const auto change = std::find_if(changes->changed.begin(), changes->changed.end(), is_of_it);
      if (change == changes->changed.end() || !is_slower(*change)) continue;
      texts.push_back(fmt::format("{} of {} ({:+.1f}%{})", change->solution, change->definition,
                                  (*change->ratio - 1) * 100, outcome.winners.size() > 1 ? "; tied" : ""));
    }
  }
  return texts.empty()
             ? ""
             : fmt::format("First, but slower on most workloads in the last run: {}.", names_text(texts));
}

std::string fallen_text(const std::map<std::string, const Change*>& fallen) {
  std::vector<std::string> texts;
  for (const auto& [definition, change] : fallen) {
    texts.push_back(fmt::format("{} of {} ({} ms)", change->solution, definition,
                                present::format_ms(*change->before_ms)));
  }
  if (texts.empty()) return "";
  return fmt::format("Faster before, and broken in the last run: {}.", names_text(texts));
}

std::string changes_text(const std::map<Verdict, std::size_t>& verdicts) {
  std::string text;
  for (const Verdict verdict :
       {Verdict::broken, Verdict::slower, Verdict::ambiguous, Verdict::faster, Verdict::fixed}) {
    const auto found = verdicts.find(verdict);
    if (found == verdicts.end()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", found->second, report::name_of(verdict));
  }
  return text.empty() ? "nothing" : text;
}

std::vector<Failure> failures_of(const HardwareScene& hardware) {
  std::vector<Failure> failures;
  for (const DefinitionScene& definition : hardware.definitions) {
    std::map<const model::Workload*, std::size_t> places;
    for (const model::Workload* workload : definition.workloads) places.emplace(workload, places.size());
    const auto place = [&](const Detail& detail) {
      const auto found = places.find(detail.row.workload);
      return found == places.end() ? places.size() : found->second;
    };
    std::map<std::string, Failure> by_solution;
    for (const Detail* detail : definition.results) {
      Failure& failure = by_solution[util::natural_key(*detail->row.solution)];
      failure.solution = *detail->row.solution;
      ++failure.workloads;
      failure.passed += detail->row.passed() ? 1 : 0;
      if (detail->row.passed()) continue;
      ++failure.statuses[std::string(model::name_of(detail->status()))];
      if (failure.first == nullptr || place(*detail) < place(*failure.first)) failure.first = detail;
    }
    for (auto& [key, failure] : by_solution) {
      if (failure.first == nullptr) continue;
      failure.definition = definition.name;
      failure.reason = reason_text(*failure.first);
      failures.push_back(failure);
    }
  }
  return failures;
}

bool fails_alike(const Failure& failure) { return failure.passed == 0 && failure.statuses.size() <= 1; }

std::vector<std::vector<Failure>> by_reason(const std::vector<Failure>& failures) {
  std::vector<std::vector<Failure>> groups;
  using Key =
      std::tuple<std::string, std::string, std::map<std::string, std::size_t>, std::size_t, std::string>;
  std::map<Key, std::size_t> places;
  for (const Failure& failure : failures) {
    const std::string cause = without_place(failure.reason);
    const std::string first = fails_alike(failure) ? std::string() : failure.first->row.workload->uuid;
    const auto [entry, is_new] = places.emplace(
        Key(failure.definition, cause, failure.statuses, failure.passed, first), groups.size());
    if (is_new) groups.emplace_back();
    groups[entry->second].push_back(failure);
  }
  return groups;
}

std::string common_cause(const std::vector<Failure>& failures) {
  std::map<std::string, std::size_t> counts;
  for (const Failure& failure : failures) ++counts[without_place(failure.reason)];
  const auto most = std::max_element(counts.begin(), counts.end(), [](const auto& left, const auto& right) {
    return left.second < right.second;
  });
  if (most == counts.end() || most->second < 2 || most->second * 2 <= failures.size()) return "";
  return fmt::format("{} of {} failed for the same reason: {}.", most->second,
                     present::plural(failures.size(), "solution"), most->first);
}

std::string reason_of(const Detail& detail) {
  const auto& errors = detail.row.evaluation->correctness;
  const bool is_told = errors && (errors->max_absolute_error > 0 || errors->max_relative_error > 0);
  const bool says_nothing = detail.run_id == nullptr || detail.log.empty();
  if (says_nothing && detail.status() == model::Status::INCORRECT_NUMERICAL && is_told)
    return fmt::format("max abs error {}, max rel error {}",
                       present::format_error(errors->max_absolute_error),
                       present::format_error(errors->max_relative_error));
  return report::failure_reason(detail.status(), detail.log);
}

std::optional<double> widest_interval(const std::vector<DefinitionResult>& outcomes) {
  std::optional<double> widest;
  for (const DefinitionResult& outcome : outcomes) {
    if (outcome.winners.empty() || !outcome.winners.front()->interval) continue;
    widest = std::max(widest.value_or(0), *outcome.winners.front()->interval);
  }
  return widest;
}

std::string cause_of(const std::vector<Failure>& group) {
  const std::string& reason = group.front().reason;
  const bool is_one = std::all_of(group.begin(), group.end(),
                                  [&](const Failure& failure) { return failure.reason == reason; });
  return is_one ? reason : without_place(reason);
}

std::size_t runs_of(const DefinitionScene& definition) {
  std::set<std::string_view> runs;
  for (const Detail* detail : definition.results) {
    if (detail->run_id != nullptr) runs.insert(*detail->run_id);
  }
  return runs.size();
}

}  // namespace fib::visual
