#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dataset/load.h"
#include "dataset/speedup.h"
#include "util/error.h"

namespace fib::dataset {

// A query that cannot be answered. The messages are the format's.
class QueryError : public Error {
 public:
  enum class Kind { value_error, key_error };
  QueryError(Kind kind, const std::string& message) : Error(message), kind_(kind) {}

  [[nodiscard]] Kind kind() const { return kind_; }
  // "ValueError: <message>", or "KeyError: '<message>'" as Python prints it.
  [[nodiscard]] std::string python_text() const;

 private:
  Kind kind_;
};

// How a solution, or an author's best solutions, compare with the baseline. Ratios of latencies; > 1 is
// faster.
struct Score {
  double avg_speedup = 0;      // mean of baseline latency / latency
  double geomean_speedup = 0;  // geometric mean of the same; of several scores that of theirs
  std::int64_t definitions = 0;
  std::int64_t workloads = 0;
  double success_rate = 0;  // 0 .. 1
  double win_rate = 0;      // share of workloads with a ratio above 1
  std::optional<std::map<std::string, std::string>> best_solutions;  // authors: definition -> solution
  // Against the reference, where its times are known: ranges of the two means. Nothing: not known.
  std::optional<SpeedupRange> avg_range = std::nullopt;
  std::optional<SpeedupRange> geomean_range = std::nullopt;
};

// The mean of the rates, the sum of the workloads, the number of the scores as definitions. Not empty.
[[nodiscard]] Score mean_score(const std::vector<Score>& scores);

using Ranking = std::vector<std::pair<std::string, Score>>;  // author, score; best first, ties by name

struct Summary {
  std::size_t total = 0;  // traces
  std::size_t passed = 0;
  std::size_t failed = 0;
  Ranking rankings;
};

struct ErrorLimits {
  double max_absolute = 1e-2;
  double max_relative = 1e-2;
};

// Whose solutions others are compared with where nobody else is named.
inline constexpr const char* kUsualBaselineAuthor = "baseline";

// What scores are about. At most one of op_type and definition may be set.
struct Scope {
  std::string baseline_author = kUsualBaselineAuthor;
  std::optional<std::string> op_type = std::nullopt;
  std::optional<std::string> definition = std::nullopt;
  // Only traces of this hardware count. Nothing: the dataset's only hardware; scores never mix several.
  std::optional<std::string> hardware = std::nullopt;
  // Whether a definition needs a baseline although no solution of it has a trace: the format's rule where all
  // traces are of one hardware.
  bool untried_need_baseline = true;
};

// Whether the workload has these values on these axes.
[[nodiscard]] bool has_axes(const model::Workload& workload, const model::AxisValues& axes);

// Questions about the traces of one dataset. Keeps references into it: the dataset must outlive this object
// and stay unchanged. All functions may be called from any thread.
class Queries {
 public:
  explicit Queries(const Dataset& dataset);

  // Every hardware with an evaluation, sorted.
  [[nodiscard]] std::vector<std::string> hardware() const;

  // The definition's PASSED traces whose errors are within the limits, in file order.
  [[nodiscard]] std::vector<const TraceRow*> filter_traces(std::string_view definition,
                                                           const ErrorLimits& limits = {}) const;

  // The one with the highest speedup factor, the first on ties; null when there is none. With `axes`, the
  // workload must have these values; with `hardware`, it must have run there. Without `limits` the verdict
  // alone counts.
  [[nodiscard]] const TraceRow* best_trace(std::string_view definition, const model::AxisValues& axes = {},
                                           const std::optional<ErrorLimits>& limits = ErrorLimits{},
                                           const std::optional<std::string>& hardware = std::nullopt) const;

  // A solution against the baseline of its definition; nothing when it is unknown, the baseline itself, or
  // has no workload in common with it. Any failed trace makes the score 0. The baseline is the only solution
  // of the baseline author; of several, the only one that may run on that kind of device. Throws QueryError
  // when there is none or more than one, when a PASSED trace has no latency, and when the scope names no
  // hardware though there are several.
  [[nodiscard]] std::optional<Score> solution_score(std::string_view solution, const Scope& scope = {}) const;

  // An author's best solution of each definition in scope, averaged. Throws like solution_score, and for a
  // scope with two filters or an unknown definition.
  [[nodiscard]] std::optional<Score> author_score(std::string_view author, const Scope& scope = {}) const;

  [[nodiscard]] Ranking rank_authors(const Scope& scope = {}) const;

  // Counts all traces (of the hardware, when the scope names one); the other filters affect the rankings
  // only.
  [[nodiscard]] Summary summary(const Scope& scope = {}) const;

 private:
  using Traces = std::vector<const TraceRow*>;
  struct Group;  // what is asked of one hardware

  [[nodiscard]] Group group(const Scope& scope) const;
  [[nodiscard]] std::optional<Score> score(const model::Solution& solution, const Scope& scope,
                                           const Group& group) const;
  [[nodiscard]] std::optional<Score> score_author(std::string_view author, const Scope& scope,
                                                  const Group& group) const;
  [[nodiscard]] const model::Solution& baseline(const model::Solution& solution, const Scope& scope,
                                                const Group& group) const;
  [[nodiscard]] std::vector<std::string> definitions(const Scope& scope) const;

  const Dataset& dataset_;
  std::map<std::string, Traces, std::less<>> by_definition_;
  std::map<std::string, Traces, std::less<>> by_solution_;
  std::map<std::string, std::vector<const model::Solution*>, std::less<>>
      solutions_;  // by definition, in file order
  std::map<std::string, model::DeviceKind> hardware_;
};

}  // namespace fib::dataset
