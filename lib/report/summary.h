#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dataset/load.h"
#include "dataset/queries.h"
#include "dataset/ranking.h"
#include "dataset/standing.h"
#include "report/outcomes.h"
#include "report/remarks.h"

namespace fib::report {

// What a speedup compares with.
enum class Against {
  baseline,   // the solution of the baseline author, on the same workload
  reference,  // the definition's reference, as timed beside each trace
};

struct Counts {
  std::size_t total = 0;  // traces
  std::size_t passed = 0;
  std::map<std::string, std::size_t> by_status;  // only those that occur

  [[nodiscard]] std::size_t failed() const { return total - passed; }
  void add(const dataset::TraceRow& trace);
};

// One solution among those of its definition.
struct Standing {
  std::string solution;
  std::optional<std::size_t> rank;    // as dataset::RankedSolution has it
  std::optional<std::string> author;  // nothing: the solution is not in the dataset
  std::optional<double> speedup;      // nothing: there is nothing to compare with
  std::optional<dataset::SpeedupRange> speedup_range = std::nullopt;  // against the reference, where known
  std::optional<double> latency_ms;  // geometric mean over the workloads that passed
  // Of results that stand: by which share another run's latency may be higher, by the intervals; nothing:
  // unknown.
  std::optional<double> interval = std::nullopt;
  std::size_t passed = 0;         // workloads
  std::size_t workloads = 0;      // on which any solution has a result; of every trace: it itself
  dataset::SourceRuns runs = {};  // of the source that it has now; zeros: not counted
};

struct Leaderboard {
  std::string definition;
  Against against = Against::baseline;
  std::vector<Standing> standings;  // as dataset::Contest ranks; of every trace by speedup, latency, name
  std::string baseline_author = {};
  bool every_trace = false;  // then speedups are arithmetic means over workloads, else geometric ones
};

struct AuthorRanking {
  Against against = Against::baseline;
  std::string reason;  // why it is not against the baseline; empty when it is
  dataset::Ranking rows;
  std::map<std::string, double> coverage;  // by author, see coverage_of_authors()
};

// The traces of one hardware. Those of another are never compared with them.
struct HardwareSummary {
  std::string hardware;
  bool every_trace = false;  // as Selection has it
  Counts counts;
  std::map<std::string, Counts> by_definition;
  std::map<std::string, Counts> by_author;  // traces of unknown solutions under "-"
  AuthorRanking authors;
  std::vector<Leaderboard> leaderboards;  // by definition
  std::size_t untimed = 0;  // PASSED traces that no speedup against the reference can be told from
  std::size_t unknown = 0;  // traces of solutions that are not in the dataset

  // That of a definition; null: there is none.
  [[nodiscard]] const Leaderboard* leaderboard(const std::string& definition) const;
};

struct DatasetSummary {
  std::string path;
  std::string baseline_author;
  bool filtered = false;     // the counts are not of all traces
  bool every_trace = false;  // as Selection has it
  Counts counts;             // all hardware
  Remarks remarks;
  std::vector<HardwareSummary> hardware;  // by name
};

[[nodiscard]] Counts count_traces(const dataset::Dataset& dataset, const Selection& selection);
// The same, a part of them each.
[[nodiscard]] std::map<std::string, Counts> count_by_definition(const dataset::Dataset& dataset,
                                                                const Selection& selection);
[[nodiscard]] std::map<std::string, Counts> count_by_author(const dataset::Dataset& dataset,
                                                            const Selection& selection);

// The share of all workloads of the selected definitions (those of the dataset and those that were tried)
// that an author has a passing trace of on the selected hardware. Authors without any trace are left out.
[[nodiscard]] std::map<std::string, double> coverage_of_authors(const dataset::Dataset& dataset,
                                                                const Selection& selection);

// The ranking against the baseline is that of dataset::Queries. It throws QueryError as that does, and when
// none of the definitions is in the dataset. `outcomes` is what collect() gives for the same scope.
[[nodiscard]] AuthorRanking rank_authors(const dataset::Dataset& dataset, const dataset::Queries& queries,
                                         const dataset::Scope& scope, const DefinitionOutcomes& outcomes,
                                         Against against);

// The solutions of one definition that ran. Against the baseline, which itself stands in it with 1, throws
// QueryError as dataset::Queries does, and when none of the solutions is in the dataset.
[[nodiscard]] Leaderboard rank_solutions(const dataset::Dataset& dataset, const dataset::Queries& queries,
                                         const dataset::Scope& scope, const std::string& definition,
                                         const SolutionOutcomes& outcomes, Against against,
                                         bool every_trace = true);

// What `ask` gives against the baseline; where there is none or the baseline cannot be compared with, what it
// gives against the reference, and why.
template <typename Ask>
auto with_fallback(Ask&& ask, std::string& reason) {
  try {
    return ask(Against::baseline);
  } catch (const dataset::QueryError& error) {
    reason = error.what();
    return ask(Against::reference);
  }
}

// Everything about the hardware that `selection` names. `standing` is the choice by which the dataset's
// traces were chosen; null where every trace counts. Pure.
[[nodiscard]] HardwareSummary summarize(const dataset::Dataset& dataset, const dataset::Queries& queries,
                                        const Selection& selection, const std::string& baseline_author,
                                        const dataset::StandingResults* standing = nullptr);

// Whether any speedup of it is against the reference.
[[nodiscard]] bool has_references(const HardwareSummary& summary);

// PASSED traces for which the reference was not timed.
[[nodiscard]] std::size_t untimed_traces(const DefinitionOutcomes& outcomes);

// Traces of `selection` whose solution is not in the dataset.
[[nodiscard]] std::size_t unknown_traces(const dataset::Dataset& dataset, const Selection& selection);

}  // namespace fib::report
