#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bench/plan.h"
#include "dataset/blobs.h"
#include "worker/judge_document.h"

namespace fib::bench {

// Where the safetensors files of a workload's inputs are, by input.
struct InputFiles {
  std::map<std::string, std::filesystem::path> found;
  // Inputs without data: nothing is there, or a Git LFS pointer (which is found, too).
  std::set<std::string> missing;
};

// Throws Error when a file lies outside of the dataset and may not.
[[nodiscard]] InputFiles input_files(const model::Definition& definition, const model::Workload& workload,
                                     const std::filesystem::path& root, dataset::Confinement confinement);

// A workload of the dataset at `root` for who looks at solutions or references outside of a run: inputs
// without data are made, as --synthesize-missing does. Secret, tolerance and rule are left to the caller.
// Throws as input_files() and synthesis::inputs_to_make() do.
[[nodiscard]] worker::JudgeDocument document_of(const model::Definition& definition,
                                                const model::Workload& workload,
                                                const std::filesystem::path& root);

// What --synthesize-missing makes of a plan.
struct SynthesisCount {
  std::size_t workloads = 0;  // of the plan, each once
  std::size_t affected = 0;   // of these, with any input that is made
  std::size_t missing = 0;    // inputs without data
  std::size_t random = 0;     // inputs that would be random numbers without meaning
};

// Workloads whose files may not be used count as they are: their evaluations will tell.
[[nodiscard]] SynthesisCount count_synthesized(const Plan& plan,
                                               const std::vector<dataset::Dataset>& datasets,
                                               dataset::Confinement confinement);

}  // namespace fib::bench
