#include "bench/fetch_blobs.h"

#include <map>
#include <set>

#include "dataset/blobs.h"
#include "dataset/lfs.h"

namespace fib::bench {
namespace {

using Files = std::set<std::filesystem::path>;

void add_pointers(const PlannedEvaluation& planned, const std::filesystem::path& root, Files& pointers) {
  for (const auto& entry : planned.workload->inputs) {
    if (entry.second.kind != model::InputKind::safetensors) continue;
    try {
      const auto blob = dataset::resolve_blob(root, planned.definition->name, entry.second.path);
      if (blob && dataset::is_lfs_pointer(blob->file)) pointers.insert(blob->file);
    } catch (const Error&) {  // outside of the dataset, where git-lfs has no say; the evaluation will tell
    }
  }
}

}  // namespace

void fetch_blobs(const Plan& plan, const std::vector<dataset::Dataset>& datasets,
                 const std::function<void(const std::string&)>& say, const std::atomic<bool>& interrupted) {
  std::map<std::size_t, Files> pointers;
  std::set<const model::Workload*> seen;
  for (const auto& planned : plan.evaluations) {
    if (!seen.insert(planned.workload).second) continue;
    add_pointers(planned, datasets[planned.dataset].root, pointers[planned.dataset]);
  }
  for (const auto& [index, files] : pointers) {
    if (files.empty() || interrupted) continue;
    const auto& root = datasets[index].root;
    say(fmt::format("fetching {} {} of {} with git lfs", files.size(), files.size() == 1 ? "blob" : "blobs",
                    root.string()));
    try {
      dataset::pull_lfs(root, {files.begin(), files.end()}, &interrupted);
    } catch (const Error& error) {
      say(error.what());
    }
  }
}

}  // namespace fib::bench
