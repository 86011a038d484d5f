#pragma once

#include <string>
#include <unordered_map>

#include "dataset/load.h"

// Whether results were made of the solutions and definitions that a dataset holds now. Traces say it by the
// hash of their contents; those of other tools do not say it.
namespace fib::dataset {

// Of one dataset, which has to stay as it is. Hashes are computed when they are asked for. One thread.
class PresentRecords {
 public:
  explicit PresentRecords(const Dataset& dataset) : dataset_(dataset) {}

  // Whether the dataset has the solution of this result.
  [[nodiscard]] bool has_solution(const TraceRow& row) const;
  // Whether the dataset has its workload.
  [[nodiscard]] bool has_workload(const TraceRow& row) const;
  // Whether it has the solution, and the result says that it was made of another source.
  [[nodiscard]] bool is_of_other_source(const TraceRow& row);
  // The same of the definition.
  [[nodiscard]] bool is_of_other_definition(const TraceRow& row);

 private:
  using Hashes = std::unordered_map<std::string, std::string>;  // by name

  const Dataset& dataset_;
  Hashes solutions_;
  Hashes definitions_;
};

}  // namespace fib::dataset
