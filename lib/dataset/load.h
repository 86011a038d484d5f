#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/records.h"
#include "dataset/trace_row.h"
#include "model/definition.h"
#include "model/solution.h"
#include "model/workload.h"

namespace fib::dataset {

// Everything that could be read below one root.
struct Dataset {
  std::filesystem::path root;
  std::map<std::string, model::Definition> definitions;                     // by name
  std::map<std::string, model::Solution> solutions;                         // by name
  std::map<std::string, std::vector<model::Workload>> workloads;            // by definition, in file order
  std::vector<std::pair<std::string, model::Workload>> repeated_workloads;  // uuids met before; by definition
  std::vector<TraceRow> traces;                         // with a result; files by path, lines in order
  std::vector<Problem> problems;                        // in the order they were met
  std::map<std::string, std::string> definition_files;  // name -> path relative to the root
  std::map<std::string, std::string> solution_files;
  bool of_problems = false;          // it is a collection of SOL-ExecBench's problems
  std::vector<std::string> repairs;  // what names_from_paths filled in, a sentence each
  std::shared_ptr<RowPool> pool = std::make_shared<RowPool>();  // what `traces` point to

  [[nodiscard]] std::size_t error_count() const;  // problems of severity error
};

struct LoadOptions {
  bool strict = false;  // throw when anything is of severity error, listing the first problems
  model::Mode mode = model::Mode::lenient;
  KeepResults results = KeepResults::yes;
  bool names_from_paths = false;  // fill in names that documents lack, see path_names.h
};

// Throws Error when the folder `root` holds something, but nothing that a dataset has. An empty one is a
// dataset without records.
void expect_records(const std::filesystem::path& root);

// Reads definitions/, solutions/, workloads/ and traces/ below `root`: every *.json or *.jsonl, at any depth,
// files sorted by path. Old layouts are understood: workload records below traces/ become workloads, and bare
// workloads belong to the definition that the file is named after. Where there is no definitions/, every
// folder with a definition.json is a problem of SOL-ExecBench: workload.jsonl beside it holds its workloads,
// every solution*.json a solution; sources without content are the files beside their solution. Files of
// records are read on as many threads as there are cores, eight at most. A broken file or line costs itself
// only and becomes a problem; so do names and uuids that are there already (of records that are the same the
// first is kept, of others none, but that workloads below traces/ displace none of workloads/), names that
// can be no files (paths.h), what has a record's name and is no file, and torn records (a last line without
// newline that is no whole record). Records of unknown definitions or solutions are kept, with a warning.
// Throws Error without a folder `root`, like expect_records(), and if strict.
[[nodiscard]] Dataset load(const std::filesystem::path& root, const LoadOptions& options = {});

// The rows of all results of `dataset`, which is what load() gives without results; they point into its pool.
// What cannot be read is left out: for_each_trace() reports it.
[[nodiscard]] std::vector<TraceRow> read_results(const Dataset& dataset);

// The files below `folder`, at any depth, whose names end with `extension` (".json"), sorted by path; none
// where there is no folder. Links to folders are not followed, and files that lie outside of the dataset (the
// folder above `folder`) by a link are left out. These, and folders that cannot be listed, go to `unlisted`,
// with the reason.
[[nodiscard]] std::vector<std::filesystem::path> list_files(
    const std::filesystem::path& folder, std::string_view extension,
    std::vector<std::pair<std::filesystem::path, std::string>>& unlisted);

// The files of a problem of SOL-ExecBench.
inline constexpr const char* kProblemDefinition = "definition.json";
inline constexpr const char* kProblemWorkloads = "workload.jsonl";

// The folders of SOL-ExecBench's problems, each with a definition.json, at most four folders below `root`,
// sorted; none where there is definitions/, workloads/ or solutions/.
[[nodiscard]] std::vector<std::filesystem::path> problem_folders(const std::filesystem::path& root);

// Gives the sources of `solution` that have no content that of the file beside `file`, the solution's. Throws
// Error when such a file is not there, empty, not UTF-8, no regular file or, through links, outside of
// `root`.
void read_sources(const std::filesystem::path& root, const std::filesystem::path& file,
                  model::Solution& solution);

// The first ten of `lines`, each below the one before, and how many more there are: the end of a message.
[[nodiscard]] std::string first_lines(const std::vector<std::string>& lines);

}  // namespace fib::dataset
