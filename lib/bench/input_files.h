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

// What becomes of inputs without data.
enum class MissingInputs {
  made,     // by synthesis/inputs.h, and so are random ones without meaning: --synthesize-missing
  refused,  // the judge cannot open the workload, and says why
};

// What the judge is told of a workload of the dataset at `root`, but for secret, tolerance and rule. Throws
// as input_files() and synthesis::inputs_to_make() do.
[[nodiscard]] worker::JudgeDocument document_of(
    const model::Definition& definition, const model::Workload& workload, const std::filesystem::path& root,
    dataset::Confinement confinement = dataset::Confinement::to_root,
    MissingInputs missing = MissingInputs::made);

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
