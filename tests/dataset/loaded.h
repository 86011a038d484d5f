#pragma once

#include <string>
#include <vector>

#include "dataset/load.h"

// What dataset::load() has found, in words.
namespace fib::testing {

// Its problems, as people see them.
inline std::vector<std::string> texts(const dataset::Dataset& dataset) {
  std::vector<std::string> result;
  for (const auto& problem : dataset.problems) result.push_back(to_string(problem));
  return result;
}

// Of the workloads of a definition, in their order.
inline std::vector<std::string> uuids(const dataset::Dataset& dataset, const std::string& definition) {
  std::vector<std::string> result;
  const auto found = dataset.workloads.find(definition);
  if (found == dataset.workloads.end()) return result;
  for (const auto& workload : found->second) result.push_back(workload.uuid);
  return result;
}

}  // namespace fib::testing
