#include <fmt/format.h>

#include <filesystem>

#include "dataset/load.h"
#include "dataset/paths.h"
#include "util/error.h"
#include "validate/checks.h"

namespace fib::validate {
namespace {

namespace fs = std::filesystem;

void unlisted(const Tree& tree, Messages& messages) {
  for (const auto& [folder, why] : tree.unlisted)
    warning(messages, {folder}, fmt::format("{} was not checked: {}", folder, why));
}

void misplaced(const Tree& tree, Messages& messages) {
  static const std::map<std::string, std::string> homes = {
      {"definitions", "definitions/<op_type>/<definition>.json"},
      {"workloads", "workloads/<op_type>/<definition>.jsonl"},
      {"solutions", "solutions/<author>/<op_type>/<definition>/<solution>.json"},
      {"traces", "traces/<author>/<op_type>/<definition>.jsonl"}};
  for (const std::string& file : tree.misplaced) {
    warning(messages, {file},
            fmt::format("{} was not checked, for its place is {}; move it there", file,
                        homes.at(*fs::path(file).begin())));
  }
}

void of_unknown_definition(const Tree& tree, const std::string& definition, const std::string& file,
                           Messages& messages) {
  if (tree.definitions.contains(definition)) return;
  warning(messages, {file},
          fmt::format("{} belongs to the definition '{}', which is not there; add or rename it", file,
                      definition));
}

void without_definition(const Tree& tree, Messages& messages) {
  for (const auto& [definition, file] : tree.workloads) {
    of_unknown_definition(tree, definition, file.file, messages);
  }
  for (const auto& [definition, solutions] : tree.solutions) {
    for (const ScannedSolution& solution : solutions) {
      of_unknown_definition(tree, definition, solution.file, messages);
    }
  }
  for (const auto& [definition, files] : tree.traces) {
    for (const auto& [author, file] : files) of_unknown_definition(tree, definition, file.file, messages);
  }
}

// The files behind all workloads; nothing when some workload cannot be read.
std::optional<std::set<fs::path>> referenced_blobs(const Tree& tree) {
  std::set<fs::path> files;
  for (const auto& [definition, workloads] : tree.workloads) {
    if (workloads.broken()) return std::nullopt;
    const Blobs blobs(tree.root, definition, tree.mode);
    for (const Record& record : workloads.records) {
      for (const auto& [name, input] : record.trace.workload.inputs) {
        if (input.kind != model::InputKind::safetensors) continue;
        if (const FoundBlob found = blobs.find(input.path); found.file) files.insert(*found.file);
      }
    }
  }
  return files;
}

void unused_blobs(const Tree& tree, Messages& messages) {
  const fs::path folder = dataset::blob_folder(tree.root);
  // What was not checked may read any blob.
  if (!fs::is_directory(folder) || !tree.misplaced.empty()) return;
  const auto used = referenced_blobs(tree);
  if (!used) return;
  std::vector<std::pair<fs::path, std::string>> skipped;
  for (const auto& path : dataset::list_files(folder, ".safetensors", skipped)) {
    if (used->contains(fs::weakly_canonical(path))) continue;
    const std::string file = path.lexically_relative(tree.root).string();
    warning(messages, {file}, fmt::format("{} is read by no workload; remove it or add its workload", file));
  }
  for (const auto& [path, why] : skipped) {
    const std::string file = path.lexically_relative(tree.root).string();
    warning(messages, {file}, fmt::format("{} was not checked: {}", file, why));
  }
}

}  // namespace

Messages check_orphans(const Tree& tree) {
  Messages messages;
  if (tree.definitions.empty()) {
    const bool problems = !dataset::problem_folders(tree.root).empty();
    const char* advice = problems ? "to make a dataset of these problems of SOL-ExecBench: --fix NEW"
                                  : "name the root of a dataset";
    warning(messages, {},
            fmt::format("{} holds no definitions/<op_type>/<definition>.json; {}", tree.shown_root, advice));
  }
  unlisted(tree, messages);
  misplaced(tree, messages);
  without_definition(tree, messages);
  unused_blobs(tree, messages);
  return messages;
}

}  // namespace fib::validate
