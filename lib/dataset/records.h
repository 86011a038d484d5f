#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dataset/trace_row.h"
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

enum class KeepResults {
  yes,
  no,  // traces that tell of a result are not read; workloads among them are
};

enum class RecordFolder { workloads, traces };

// A JSONL file of a dataset.
struct RecordPlace {
  std::filesystem::path file;
  RecordFolder folder = RecordFolder::traces;
  std::string definition;  // that bare workloads in it belong to
};

// What one JSONL file holds.
struct RecordFile {
  struct FoundWorkload {
    std::size_t line = 0;
    std::string definition;
    model::Workload workload;
  };

  std::vector<TraceRow> traces;
  std::vector<FoundWorkload> workloads;
  std::vector<Problem> problems;  // by line
  std::size_t filled = 0;         // records that got their definition's name from the file's
};

// What is known when records are read.
struct RecordContext {
  std::filesystem::path root;
  std::set<std::string> definitions;
  std::set<std::string> solutions;
  KeepResults results = KeepResults::yes;
  model::Mode mode = model::Mode::lenient;
  bool names_from_paths = false;
};

// Reads a file; its rows point into `pool`. What cannot be read becomes a problem, and so do, once a file,
// records of unknown definitions and solutions. May be called by several threads.
[[nodiscard]] RecordFile read_records(const RecordPlace& place, const RecordContext& context, RowPool& pool);

// The definition that a file of bare workloads is named after: "d.jsonl", "d.workload.jsonl",
// "d_workloads.jsonl".
[[nodiscard]] std::string definition_of_file(const std::filesystem::path& file);

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
