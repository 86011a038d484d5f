#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dataset/load.h"
#include "report/summary.h"

// Problems: every workload of every definition in question. Who solved which, and how fast. All functions are
// pure.
namespace fib::report {

using Problem = std::pair<std::string, std::string>;  // definition, workload uuid

// What somebody made of the problems: those that were solved, with the speedup; nothing: no yardstick was
// timed.
using Solved = std::map<Problem, std::optional<double>>;

struct ProblemResults {
  std::string hardware;
  Against against = Against::baseline;
  std::string baseline_author;
  std::size_t problems = 0;               // all, solved or not
  std::map<std::string, Solved> authors;  // all with a trace; against the baseline without its author
};

// A problem is solved by an author when some solution of theirs passed on it, and none of that solution's
// traces on it failed. Of several the fastest counts. Speedups against the baseline compare with the fastest
// passing solution of the baseline author on the same workload; those against the reference are the traces'
// own. Problems are the workloads of the selected definitions, those of the dataset and those that were
// tried.
[[nodiscard]] ProblemResults solve_problems(const dataset::Dataset& dataset, const Selection& selection,
                                            const std::string& baseline_author, Against against);

// Against the baseline where its author solved anything on the selected hardware, else against the reference.
[[nodiscard]] Against natural_yardstick(const dataset::Dataset& dataset, const Selection& selection,
                                        const std::string& baseline_author);

// fast_p (KernelBench, Ouyang et al. 2025): the share of all problems that are solved and faster than `p`
// times the yardstick. At 0 every solved problem counts, also without a yardstick.
[[nodiscard]] double fast_p(const Solved& solved, std::size_t problems, double p);

// The steps of fast_p as a function of p: (0, share solved with a speedup), then after each distinct speedup
// what is left. Ends at share 0; a point says what holds from its p on.
[[nodiscard]] std::vector<std::pair<double, double>> fast_p_curve(const Solved& solved, std::size_t problems);

}  // namespace fib::report
