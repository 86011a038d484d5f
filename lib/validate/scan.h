#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/definition.h"
#include "model/solution.h"
#include "model/trace.h"

namespace fib::validate {

// definitions/<op_type>/<definition>.json
struct ScannedDefinition {
  std::string name;  // the file's stem
  std::string op_type;
  std::string file;                             // relative to the root, here and below
  std::optional<model::Definition> definition;  // nothing when it does not parse
  std::string error;                            // why, or which other file has its name; empty: none
  bool duplicate = false;                       // `error` says the latter
};

// solutions/<author>/<op_type>/<definition>/<solution>.json
struct ScannedSolution {
  std::string name;  // the file's stem
  std::string author;
  std::string op_type;
  std::string file;
  std::optional<model::Solution> solution;  // nothing when it does not parse
  std::string error;                        // why
};

struct Record {
  std::size_t line = 0;
  model::Trace trace;
};

// A line that does not parse; line 0: the file cannot be read.
struct BadLine {
  std::size_t line = 0;
  std::string message;  // ends with " (line N)"
};

// workloads/<op_type>/<definition>.jsonl or traces/<author>/<op_type>/<definition>.jsonl
struct ScannedRecords {
  std::string author;  // of traces
  std::string op_type;
  std::string file;
  std::vector<Record> records;
  std::vector<BadLine> errors;  // in upstream mode the first only, and then there are no records

  [[nodiscard]] bool broken() const { return !errors.empty(); }
};

// A file that another one with the same name replaced, as it does upstream.
struct Replaced {
  std::string file;
  std::string by;
};

// The files of a dataset at the depths where they belong, parsed once. Keys are the definitions' names as the
// paths say them.
struct Tree {
  std::filesystem::path root;
  std::string shown_root;  // the root in messages
  model::Mode mode = model::Mode::lenient;
  std::map<std::string, ScannedDefinition> definitions;
  std::map<std::string, ScannedRecords> workloads;
  std::map<std::string, std::vector<ScannedSolution>> solutions;        // sorted by path
  std::map<std::string, std::map<std::string, ScannedRecords>> traces;  // by definition and author
  std::map<std::string, std::vector<Replaced>> replaced;                // workload and trace files
  // By the names that the files' contents say, wherever they lie: the files in path order.
  std::map<std::string, std::vector<std::string>> definition_files;
  std::map<std::string, std::vector<std::string>> solution_files;
  std::vector<std::pair<std::string, std::string>> unlisted;  // linked folders, and why they were not entered
  std::vector<std::string> misplaced;  // .json and .jsonl files at other depths: nothing looks at them
};

// Reads everything below definitions/, workloads/, solutions/ and traces/. In lenient mode a broken line
// costs itself only, and a line may be a bare workload. Throws Error when `root` is no folder or cannot be
// listed; files that cannot be read or parsed are values.
[[nodiscard]] Tree scan(const std::filesystem::path& root, model::Mode mode);

}  // namespace fib::validate
