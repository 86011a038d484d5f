#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/definition.h"
#include "model/solution.h"
#include "model/trace.h"
#include "model/workload.h"

namespace fib::dataset {

enum class Severity {
  warning,  // read, and perhaps not what was meant
  error,    // a file or a line that could not be used
};

struct Problem {
  std::string file;      // relative to the root
  std::size_t line = 0;  // from 1; 0: the whole file
  std::string message;
  Severity severity = Severity::error;
};

// "workloads/rmsnorm/rmsnorm_h4096.jsonl:17: axes.batch_size: ..."
[[nodiscard]] std::string to_string(const Problem& problem);

// Everything that could be read below one root.
struct Dataset {
  std::filesystem::path root;
  std::map<std::string, model::Definition> definitions;                     // by name
  std::map<std::string, model::Solution> solutions;                         // by name
  std::map<std::string, std::vector<model::Workload>> workloads;            // by definition, in file order
  std::vector<std::pair<std::string, model::Workload>> repeated_workloads;  // uuids met before; by definition
  std::vector<model::Trace> traces;                     // with solution; files by path, lines in order
  std::vector<Problem> problems;                        // in the order they were met
  std::map<std::string, std::string> definition_files;  // name -> path relative to the root
  std::map<std::string, std::string> solution_files;

  [[nodiscard]] std::size_t error_count() const;  // problems of severity error
};

enum class KeepResults {
  yes,
  no,  // traces that tell of a result are not read; workloads among them are
};

struct LoadOptions {
  bool strict = false;  // throw when anything is of severity error, listing the first problems
  model::Mode mode = model::Mode::lenient;
  KeepResults results = KeepResults::yes;
};

// Reads definitions/, solutions/, workloads/ and traces/ below `root`: every *.json or *.jsonl, at any depth,
// files sorted by path. Old layouts are understood: workload records below traces/ become workloads, and bare
// workloads belong to the definition that the file is named after. A broken file or line costs itself only
// and becomes a problem; so do duplicate names and uuids (the first is kept). A last line without newline
// that is no whole record is a torn record: a problem, never a trace. Records of unknown definitions or
// solutions are kept, with a warning. Throws Error when `root` is no folder, and in strict mode.
[[nodiscard]] Dataset load(const std::filesystem::path& root, const LoadOptions& options = {});

// The files below `folder`, at any depth, whose names end with `extension` (".json"), sorted by path; none
// where there is no folder. Linked folders are not entered. Folders that cannot be listed go to `unlisted`,
// with the reason.
[[nodiscard]] std::vector<std::filesystem::path> list_files(
    const std::filesystem::path& folder, std::string_view extension,
    std::vector<std::pair<std::filesystem::path, std::string>>& unlisted);

// The first ten of `lines`, each below the one before, and how many more there are: the end of a message.
[[nodiscard]] std::string first_lines(const std::vector<std::string>& lines);

// A record of any generation; in lenient mode also a bare workload, which belongs to `file_definition`, the
// definition that its file is named after. Throws ParseError.
[[nodiscard]] model::Trace parse_record(std::string_view line, const std::string& file_definition,
                                        model::Mode mode);

// One line of a JSONL file, without its line end.
struct Line {
  std::size_t number = 0;  // from 1
  std::string_view text;
  bool ended = true;  // a newline followed
};

// The lines of `text` that are not blank. The views point into `text`.
[[nodiscard]] std::vector<Line> split_lines(std::string_view text);

}  // namespace fib::dataset
