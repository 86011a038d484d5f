#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "validate/benchmark.h"
#include "validate/reference.h"
#include "validate/report.h"
#include "validate/strength.h"

namespace fib::validate {

struct Options {
  model::Mode mode = model::Mode::lenient;
  // Names of known_checks(); empty: all but "reference" and "workload-strength".
  std::vector<std::string> checks;
  std::vector<std::string> op_types;     // with `definitions`: their union; both empty: everything
  std::vector<std::string> definitions;  // names as the paths say them
  bool disable_gpu = false;              // the user knows that baselines are not run: no note about it
  // Runs the baselines of these definitions (by the names in their documents), for the check "benchmark";
  // empty: that is skipped. A definition that the answer lacks is skipped too.
  std::function<std::map<std::string, Benchmark>(const std::vector<std::string>& definitions)> benchmark;
  // Runs the references of these definitions in both engines, for the check "reference". To be set when
  // `checks` names it.
  std::function<ReferenceChecks(const std::vector<std::string>& definitions)> reference;
  // Lets null answers be judged on the workloads of these definitions, for the check "workload-strength". To
  // be set when `checks` names it.
  std::function<StrengthChecks(const std::vector<std::string>& definitions)> strength;
};

// The names of the checks, in the order of reports: the format's seven; in lenient mode fib's own after them.
[[nodiscard]] std::vector<std::string> known_checks(model::Mode mode);

// Reads the dataset and runs the checks. Nothing is built or run but by the three functions of `options`;
// without `benchmark` the format's check of this name is left out, and `notes` says so. Throws Error when the
// dataset cannot be read and, in lenient mode, when a filter names something that is not there.
[[nodiscard]] Report validate(const std::filesystem::path& root, const Options& options);

}  // namespace fib::validate
