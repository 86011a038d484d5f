#include "bench/input_files.h"

#include "synthesis/inputs.h"

namespace fib::bench {
namespace {

void count(const PlannedEvaluation& planned, const std::filesystem::path& root,
           dataset::Confinement confinement, SynthesisCount& counts) {
  const auto missing = input_files(*planned.definition, *planned.workload, root, confinement).missing;
  const auto made = synthesis::inputs_to_make(*planned.definition, *planned.workload, missing);
  if (!made.empty()) ++counts.affected;
  for (const auto& input : made) ++(missing.contains(input) ? counts.missing : counts.random);
}

}  // namespace

InputFiles input_files(const model::Definition& definition, const model::Workload& workload,
                       const std::filesystem::path& root, dataset::Confinement confinement) {
  InputFiles files;
  for (const auto& [name, spec] : workload.inputs) {
    if (spec.kind != model::InputKind::safetensors) continue;
    const auto blob = dataset::resolve_blob(root, definition.name, spec.path, confinement);
    if (blob) files.found[name] = blob->file;
    if (!blob || dataset::is_lfs_pointer(blob->file)) files.missing.insert(name);
  }
  return files;
}

worker::JudgeDocument document_of(const model::Definition& definition, const model::Workload& workload,
                                  const std::filesystem::path& root, dataset::Confinement confinement,
                                  MissingInputs missing) {
  auto files = input_files(definition, workload, root, confinement);
  worker::JudgeDocument document;
  document.definition = definition;
  document.workload = workload;
  if (missing == MissingInputs::made) {
    for (const auto& input : files.missing) files.found.erase(input);
    document.made = synthesis::inputs_to_make(definition, workload, files.missing);
  }
  document.blobs = std::move(files.found);
  return document;
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
