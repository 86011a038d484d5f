#pragma once

#include <string>
#include <vector>

#include "bench/engine_check.h"
#include "dataset/load.h"

namespace fib::cmd {

// The workloads of one definition for a check that runs its reference.
struct CheckedWorkloads {
  std::vector<bench::EngineCase> cases;  // they point into the dataset
  bool proposed = false;                 // they are not the dataset's
  std::string why_none;                  // where there are none
};

// The dataset's workloads of the definition; where it has none, at most `synthesize` proposed ones.
[[nodiscard]] CheckedWorkloads workloads_to_check(const dataset::Dataset& dataset,
                                                  const model::Definition& definition,
                                                  std::size_t synthesize);

inline constexpr const char* kUnreadableDefinition =
    "the definition cannot be read (see the check definition)";

// "interrupted: the reference check looked at 3 of 14 workloads".
[[nodiscard]] std::string interruption(const std::string& check, std::size_t done, std::size_t planned);

// The sentence of a failure, without the lines that follow: an engine's output, a traceback.
[[nodiscard]] std::string sentence_of(const std::string& failure);

}  // namespace fib::cmd
