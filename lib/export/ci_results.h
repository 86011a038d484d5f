#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/filter.h"
#include "dataset/load.h"
#include "report/details.h"

// What the forms for CI are made of.
namespace fib::exports {

struct LatencyBounds {
  double low_ms = 0;
  double high_ms = 0;
};

// The latest result of a solution on a workload and hardware. Pointers lead into the dataset's pool.
struct CiResult {
  report::Detail detail;  // of its log only a part, harmless: see log_part()
  // The axes, "M=4, N=8"; with the uuid where another workload of the definition has the same, and the uuid
  // alone where there are no axes.
  std::string workload;

  [[nodiscard]] bool passed() const { return detail.row.passed(); }
  [[nodiscard]] const std::string& definition() const { return *detail.row.definition; }
  [[nodiscard]] const std::string& solution() const { return *detail.row.solution; }
  [[nodiscard]] const std::string& hardware() const { return *detail.row.evaluation->hardware; }
  // "definition / solution / workload (hardware)", on one line.
  [[nodiscard]] std::string name() const;
  // As in every report; nothing when the result did not pass or has no finite, positive one.
  [[nodiscard]] std::optional<double> latency_ms() const;
  // Between which latencies another run's lies in 95 of 100 cases, or, where that is not recorded, the
  // quartiles of the timed calls; nothing where they are not recorded either.
  [[nodiscard]] std::optional<LatencyBounds> bounds() const;
  // Against the reference; nothing when the reference was not timed.
  [[nodiscard]] std::optional<double> speedup() const;
};

// The latest result of each (hardware, definition, solution, workload) that passes the filter, sorted by
// these names; workloads of a solution in the order in which they were met. `dataset` is what
// dataset::load_without_results() gives; lines that cannot be read go to `unreadable`. Throws Error when a
// file cannot be read and when `interrupted` (may be null) becomes true.
[[nodiscard]] std::vector<CiResult> read_ci_results(const dataset::Dataset& dataset,
                                                    const dataset::Filter& filter,
                                                    std::vector<std::string>& unreadable,
                                                    const std::atomic<bool>* interrupted = nullptr);

// The part of a log that says most: of COMPILE_ERROR the first `lines` lines that are not blank, since the
// first error is followed by its consequences, else the last. At most `bytes` bytes together, without a final
// newline; "…" stands where a line was cut. Control characters and bytes that are no UTF-8 become "?".
[[nodiscard]] std::string log_part(model::Status status, std::string_view log, std::size_t lines,
                                   std::size_t bytes);

// The line of the result's log that says why it failed; "" where there is none.
[[nodiscard]] std::string reason_of(const CiResult& result);

// Equal for failures of one solution that are one error on several workloads: their status and logs are the
// same but for numbers.
[[nodiscard]] std::string error_key(const CiResult& result);

// Gives every name it is asked for once: later ones get " #2", " #3", ... Names of more than 1000 bytes are
// cut and get digits of their hash: Bencher takes 1024 characters.
class UniqueNames {
 public:
  [[nodiscard]] std::string operator()(const std::string& name);

 private:
  std::set<std::string> taken_;
  std::map<std::string, std::size_t> last_;  // the number that each name had last
};

}  // namespace fib::exports
