#include "bench/input_files.h"

#include "synthesis/inputs.h"

namespace fib::bench {
namespace {

void count(const PlannedEvaluation& planned, const std::filesystem::path& root,
           dataset::Confinement confinement, SynthesisCount& counts) {
  const auto missing = input_files(planned, root, confinement).missing;
  const auto made = synthesis::inputs_to_make(*planned.definition, *planned.workload, missing);
  if (!made.empty()) ++counts.affected;
  for (const auto& input : made) ++(missing.contains(input) ? counts.missing : counts.random);
}

}  // namespace

InputFiles input_files(const PlannedEvaluation& planned, const std::filesystem::path& root,
                       dataset::Confinement confinement) {
  InputFiles files;
  for (const auto& [name, spec] : planned.workload->inputs) {
    if (spec.kind != model::InputKind::safetensors) continue;
    const auto blob = dataset::resolve_blob(root, planned.definition->name, spec.path, confinement);
    if (blob) files.found[name] = blob->file;
    if (!blob || dataset::is_lfs_pointer(blob->file)) files.missing.insert(name);
  }
  return files;
}

SynthesisCount count_synthesized(const Plan& plan, const std::vector<dataset::Dataset>& datasets,
                                 dataset::Confinement confinement) {
  SynthesisCount counts;
  std::set<const model::Workload*> seen;
  for (const auto& planned : plan.evaluations) {
    if (!seen.insert(planned.workload).second) continue;
    ++counts.workloads;
    try {
      count(planned, datasets[planned.dataset].root, confinement, counts);
    } catch (const Error&) {
    }
  }
  return counts;
}

}  // namespace fib::bench
