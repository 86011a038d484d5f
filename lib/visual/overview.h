#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "report/compare.h"
#include "visual/scene.h"

// What a reader wants to know first of one hardware: who won, by how much, how sure that is, what failed, and
// what changed. Numbers, no markup; all functions are pure.
namespace fib::visual {

// Whether the first is ahead by so little that it may be noise: less than a tenth, where its interval is not
// known.
[[nodiscard]] bool may_be_noise(const report::Standing& first, const report::Standing& next);

// The outcome of one definition.
struct DefinitionResult {
  std::string definition;
  std::vector<const report::Standing*> winners;  // that share the first rank; empty: nobody passed everything
  const report::Standing* closest = nullptr;     // without a winner: who passed most; null: nobody was tried
  const report::Standing* next = nullptr;        // the first with another rank; null: there is none
  std::size_t solutions = 0;
  std::size_t failed = 0;          // solutions that did not pass every workload
  bool is_baseline_alone = false;  // all others that passed every workload are of the baseline's author

  // Whether one is ahead of others that passed everything, too, by more than noise may be.
  [[nodiscard]] bool has_won() const { return winners.size() == 1 && next != nullptr && !is_unsure(); }
  // Whether one is ahead, and that may be noise.
  [[nodiscard]] bool is_unsure() const;
  [[nodiscard]] bool is_unopposed() const { return winners.size() == 1 && next == nullptr; }
  // How many times the next one's latency is the winner's; nothing without both.
  [[nodiscard]] std::optional<double> lead() const;
};

// By definition. Points into the summary.
[[nodiscard]] std::vector<DefinitionResult> outcomes_of(const report::HardwareSummary& summary);

// How many definitions ended how.
struct Tally {
  std::size_t won = 0;               // against others
  std::size_t unopposed = 0;         // one alone passed everything
  std::size_t unsure = 0;            // one is ahead, and that may be noise
  std::size_t ties = 0;              // several share the first rank
  std::size_t against_baseline = 0;  // of those won, against the baseline alone
};
[[nodiscard]] Tally tally_of(const std::vector<DefinitionResult>& outcomes);

// How many of the definitions that were won against others were so against the baseline alone, in words
// behind a count of `won`: ", 2 of them against the baseline alone"; empty: none.
[[nodiscard]] std::string baseline_alone_text(const std::vector<DefinitionResult>& outcomes);

// How many definitions each author has won against others, alone, most first.
[[nodiscard]] std::vector<std::pair<std::size_t, std::string>> wins_by_author(
    const std::vector<DefinitionResult>& outcomes);

// A sentence or two: who won.
[[nodiscard]] std::string headline(const std::vector<DefinitionResult>& outcomes, report::Against against);

// What one solution's results became in the last run.
struct Change {
  std::string definition;
  std::string solution;
  std::size_t results = 0;
  std::map<report::Verdict, std::size_t> verdicts;
  std::optional<double> ratio;  // geometric mean of now / before, of what passed both times
  // Geometric mean of the latencies before; nothing unless all of these results passed then.
  std::optional<double> before_ms = std::nullopt;
  bool has_other_source = false;  // source or options are not those of the results before
  bool is_same_source = true;  // of all its results: the machine, its software or chance made the difference
  // As `ratio`, of those results alone that are slower or faster, and how many these are.
  std::optional<double> changed_ratio = std::nullopt;
  std::size_t ratios_changed = 0;
};

struct Changes {
  std::string run_id;           // of the last run on the hardware
  std::vector<Change> changed;  // without those all of whose results are the same or failed both times
  std::map<report::Verdict, std::size_t> totals;
  report::Drift drift = {};           // of results of the same source; all that changed includes it
  std::set<std::string> runs_before;  // that the results are compared with
  std::size_t tried = 0;              // definitions of which the run has results
};

// The last run on the hardware, sweeps left out, against what each of its evaluations gave before under the
// same conditions, whatever the source was. Nothing where no result has an earlier one.
[[nodiscard]] std::optional<Changes> changes_of(const Scene& scene, const std::string& hardware);

// By definition: who was faster than the winner, on as many workloads, until the last run broke it. Of
// several the fastest. Points into the changes.
[[nodiscard]] std::map<std::string, const Change*> fallen_leaders(
    const std::vector<DefinitionResult>& outcomes, const std::optional<Changes>& changes);

// A sentence that names who leads a definition, alone or in a tie, and became slower in the last run, and by
// how much; empty where nobody did.
[[nodiscard]] std::string slowed_text(const std::vector<DefinitionResult>& outcomes,
                                      const std::optional<Changes>& changes);

// A sentence that names them; empty where nobody is.
[[nodiscard]] std::string fallen_text(const std::map<std::string, const Change*>& fallen);

// "1 broken, 2 slower, 3 faster"; "nothing" where all is the same.
[[nodiscard]] std::string changes_text(const std::map<report::Verdict, std::size_t>& verdicts);

// A solution that did not pass everything.
struct Failure {
  std::string definition;
  std::string solution;
  std::string reason;  // status and first line of the first failure
  std::size_t passed = 0;
  std::size_t workloads = 0;                         // that it was tried on
  const report::Detail* first = nullptr;             // the first that failed
  std::map<std::string, std::size_t> statuses = {};  // of those that failed
};
[[nodiscard]] std::vector<Failure> failures_of(const HardwareScene& hardware);

// Whether it failed on all workloads with one status: then it says little which was the first.
[[nodiscard]] bool fails_alike(const Failure& failure);

// Those of one definition with the same reason together (a compiler's error in whatever line) that failed on
// as many workloads with the same statuses, first on the same one, in the order of their first.
[[nodiscard]] std::vector<std::vector<Failure>> by_reason(const std::vector<Failure>& failures);

// Why it failed, in a line: of wrong numbers by other tools, whose logs do not say it, by how much; else what
// the log says.
[[nodiscard]] std::string reason_of(const report::Detail& detail);

// How many runs the results of a definition come from; traces without a run's id are not counted.
[[nodiscard]] std::size_t runs_of(const DefinitionScene& definition);

// Why the solutions of a group (by_reason()) failed: of several without the place in a source, which differs.
[[nodiscard]] std::string cause_of(const std::vector<Failure>& group);

// Where nothing passed: the reason that most of the failures have, and how many; empty where they have
// several reasons of which none is that of more than half.
[[nodiscard]] std::string common_cause(const std::vector<Failure>& failures);

// The widest of the winners' intervals, of a tie the first's, as the leaderboard shows them; nothing where
// none is known.
[[nodiscard]] std::optional<double> widest_interval(const std::vector<DefinitionResult>& outcomes);

}  // namespace fib::visual
