#include "validate/scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "dataset/links.h"
#include "dataset/load.h"
#include "dataset/paths.h"
#include "dataset/source_limit.h"
#include "util/files.h"
#include "validate/python_lines.h"

namespace fib::validate {
namespace {

namespace fs = std::filesystem;
using Parts = std::vector<std::string>;

// The path without "." components and final slashes, as Python's Path prints it.
std::string as_pathlib(const fs::path& path) {
  fs::path result;
  for (const fs::path& part : path) {
    if (!part.empty() && part != ".") result /= part;
  }
  return result.empty() ? "." : result.string();
}

std::vector<fs::path> files_below(const fs::path& folder, std::string_view extension) {
  std::vector<fs::path> found;
  if (!fs::is_directory(folder)) return found;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  while (!error && entry != fs::recursive_directory_iterator()) {
    const fs::path relative = entry->path().lexically_relative(folder);
    if (relative.native().ends_with(extension)) found.push_back(relative);
    entry.increment(error);
  }
  if (error) {
    throw Error("{}: cannot be listed: {}; make it readable", folder.string(), error.message());
  }
  std::sort(found.begin(), found.end());
  return found;
}

class Scanner {
 public:
  Scanner(const fs::path& root, model::Mode mode) {
    tree_.root = root;
    tree_.shown_root = as_pathlib(root);
    tree_.mode = mode;
  }

  Tree scan() {
    for_files(dataset::definitions_folder(tree_.root), ".json", 2, [this](const Parts& p) { definition(p); });
    for_files(dataset::workloads_folder(tree_.root), ".jsonl", 2, [this](const Parts& p) { workloads(p); });
    for_files(dataset::solutions_folder(tree_.root), ".json", 4, [this](const Parts& p) { solution(p); });
    for_files(dataset::traces_folder(tree_.root), ".jsonl", 3, [this](const Parts& p) { traces(p); });
    return std::move(tree_);
  }

 private:
  // Calls `take` with the components of every file's path below `folder`, the stem as the last.
  template <typename Take>
  void for_files(const fs::path& folder, std::string_view extension, std::size_t depth, Take&& take) {
    std::vector<std::pair<fs::path, std::string>> unlisted;  // links: what cannot be read ends the scan
    if (tree_.mode == model::Mode::lenient) (void)dataset::list_files(folder, extension, unlisted);
    std::set<fs::path> repeated;
    for (const auto& [path, why] : unlisted) {
      if (why == dataset::kReadAlready || why == dataset::kOtherName) repeated.insert(path);
    }
    for (const fs::path& relative : files_below(folder, extension)) {
      if (repeated.contains(folder / relative)) continue;
      file_ = (folder.filename() / relative).string();
      Parts parts(relative.begin(), relative.end());
      if (parts.size() != depth) {
        tree_.misplaced.push_back(file_);
        continue;
      }
      if (parts.back().size() > extension.size()) parts.back().resize(parts.back().size() - extension.size());
      take(parts);
    }
    for (const auto& [path, why] : unlisted) {
      std::error_code unknown;  // files are taken all the same, and say themselves that they cannot be read
      if (fs::is_directory(path, unknown) || unknown || repeated.contains(path))
        tree_.unlisted.emplace_back(path.lexically_relative(tree_.root).string(), why);
    }
  }

  [[nodiscard]] std::string content() const {
    dataset::expect_inside(tree_.root / file_, tree_.root);
    return util::read_file(tree_.root / file_);
  }
  [[nodiscard]] std::string shown(const std::string& file) const {
    return (fs::path(tree_.shown_root) / file).string();
  }

  void definition(const Parts& parts) {
    ScannedDefinition scanned{parts[1], parts[0], file_, std::nullopt, "", false};
    try {
      scanned.definition = model::parse_definition(content(), tree_.mode);
      tree_.definition_files[scanned.definition->name].push_back(file_);
    } catch (const Error& error) {
      scanned.error = error.what();
    }
    if (const auto first = tree_.definitions.find(scanned.name); first != tree_.definitions.end()) {
      scanned.duplicate = true;
      scanned.error =
          fmt::format("duplicate definition name: {} and {}", shown(first->second.file), shown(file_));
    }
    tree_.definitions.insert_or_assign(scanned.name, std::move(scanned));
  }

  void solution(const Parts& parts) {
    ScannedSolution scanned{parts[3], parts[0], parts[1], file_, std::nullopt, ""};
    try {
      scanned.solution = model::parse_solution(content(), tree_.mode);
      dataset::read_sources(tree_.root, tree_.root / file_, *scanned.solution);
      source_limit_.take(*scanned.solution);
      tree_.solution_files[scanned.solution->name].push_back(file_);
    } catch (const Error& error) {
      scanned.solution.reset();  // with sources that cannot be read it is none
      scanned.error = error.what();
    }
    tree_.solutions[parts[2]].push_back(std::move(scanned));
  }

  void workloads(const Parts& parts) {
    take(tree_.workloads, parts[1], parts[1], records("", parts[0], parts[1]));
  }

  void traces(const Parts& parts) {
    take(tree_.traces[parts[2]], parts[0], parts[2], records(parts[0], parts[1], parts[2]));
  }

  // Keeps `scanned` under `key`; the last file with a name wins.
  void take(std::map<std::string, ScannedRecords>& files, const std::string& key,
            const std::string& definition, ScannedRecords scanned) {
    if (const auto first = files.find(key); first != files.end()) {
      tree_.replaced[definition].push_back({first->second.file, scanned.file});
    }
    files.insert_or_assign(key, std::move(scanned));
  }

  ScannedRecords records(const std::string& author, const std::string& op_type,
                         const std::string& definition) {
    ScannedRecords scanned{author, op_type, file_, {}, {}};
    std::string text;
    try {
      text = content();
    } catch (const Error& error) {
      scanned.errors.push_back({0, error.what()});
      return scanned;
    }
    const bool upstream = tree_.mode == model::Mode::upstream;
    for (const dataset::Line& line : upstream ? python_lines(text) : dataset::split_lines(text)) {
      try {
        scanned.records.push_back({line.number, dataset::parse_record(line.text, definition, tree_.mode)});
      } catch (const model::ParseError& error) {
        scanned.errors.push_back({line.number, fmt::format("{} (line {})", error.what(), line.number)});
        if (upstream) break;
      }
    }
    if (upstream && scanned.broken()) scanned.records.clear();
    return scanned;
  }

  dataset::SourceLimit source_limit_;
  Tree tree_;
  std::string file_;  // the current one
};

}  // namespace

Tree scan(const fs::path& root, model::Mode mode) {
  dataset::expect_dataset_folder(root);
  dataset::expect_records(root);
  return Scanner(root, mode).scan();
}

}  // namespace fib::validate
