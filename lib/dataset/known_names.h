#pragma once

#include <set>
#include <string>
#include <vector>

#include "dataset/filter.h"
#include "dataset/load.h"

namespace fib::dataset {

// What filters can name: the names of one dataset or of several together. A name that none of them has is a
// slip of the pen, not a wish for nothing.
class KnownNames {
 public:
  KnownNames() = default;
  explicit KnownNames(const Dataset& dataset) { add(dataset); }
  explicit KnownNames(const std::vector<Dataset>& datasets);

  // Those of its records and of its results, where they were read with it.
  void add(const Dataset& dataset);
  // Those of these results.
  void add(const std::vector<TraceRow>& rows);

  // Throws Error for the first definition, solution, author, op type, workload or axis of the filter that
  // matches nothing, with the names that are like it: `no solution is called "gem"; did you mean "gemm"?`.
  // Traces of definitions and solutions that are no more name them too. Hardware, statuses and times are not
  // looked at.
  void check(const Filter& filter) const;
  // The same of an author, who is no pattern, whose solutions others are compared with. Datasets may lack the
  // usual one.
  void check_baseline_author(const std::string& author) const;

 private:
  std::string where_;  // " --local DIR" of every dataset
  std::set<std::string> definitions_;
  std::set<std::string> solutions_;
  std::set<std::string> authors_;
  std::set<std::string> op_types_;
  std::set<std::string> workloads_;
  std::set<std::string> axes_;
};

}  // namespace fib::dataset
