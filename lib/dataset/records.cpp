#include "dataset/records.h"

#include <optional>

#include "dataset/path_names.h"
#include "dataset/paths.h"
#include "dataset/row_reader.h"
#include "dataset/trace_head.h"
#include "model/json_value.h"
#include "util/files.h"

namespace fib::dataset {
namespace {

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\v\f") == std::string_view::npos; }

class FileReader {
 public:
  FileReader(const RecordPlace& place, const RecordContext& context, RowPool& pool)
      : place_(place),
        shown_(place.file.lexically_relative(context.root).string()),
        context_(context),
        rows_(pool) {}

  RecordFile read() {
    try {
      std::string text = util::read_file(place_.file);
      if (context_.names_from_paths) text = with_definition(text, place_.definition, result_.filled);
      for (const Line& line : split_lines(text)) read_line(line);
      if (more_errors_ > 0)
        result_.problems.push_back(
            {shown_, 0, fmt::format("{} more of its lines cannot be read", more_errors_), Severity::error});
    } catch (const Error& error) {
      report(0, error.what(), Severity::error);
    }
    return std::move(result_);
  }

 private:
  void report(std::size_t line, const std::string& message, Severity severity) {
    if (severity == Severity::error && ++errors_ > kMostErrors) {
      ++more_errors_;
      return;
    }
    result_.problems.push_back({shown_, line, message, severity});
  }

  // A file often says the same on every line.
  void warn_once(const Line& line, const std::string& message) {
    if (warned_.insert(message).second) report(line.number, message, Severity::warning);
  }

  void read_line(const Line& line) {
    if (!line.ended && !model::json::is_object_text(line.text)) {
      report(line.number, "torn record: the last line has no newline and is no whole JSON object",
             Severity::error);
      return;
    }
    if (context_.results == KeepResults::no && is_result(line.text)) return;
    if (errors_ >= kMostErrors && !line.text.starts_with('{')) {
      ++more_errors_;
      return;
    }
    try {
      read_record(line);
    } catch (const model::ParseError& error) {
      report(line.number, error.what(), Severity::error);
    }
  }

  void read_record(const Line& line) {
    if (context_.mode == model::Mode::lenient && line.text.size() <= model::json::Limits{}.bytes) {
      if (auto row = rows_.read(line.text)) {
        add(line, *std::move(row));
        return;
      }
    }
    model::Trace trace = parse_record(line.text, place_.definition, context_.mode);
    if (!trace.is_workload()) {
      add(line, rows_.learn(line.text, trace));
      return;
    }
    warn_unknown_definition(line, trace.definition);
    result_.workloads.push_back({line.number, std::move(trace.definition), std::move(trace.workload)});
  }

  void add(const Line& line, TraceRow row) {
    if (place_.folder == RecordFolder::workloads) warn_once(line, "holds results; they belong below traces/");
    if (row.definition != known_definition_ && warn_unknown_definition(line, *row.definition))
      known_definition_ = row.definition;
    if (row.solution != nullptr && row.solution != known_solution_ &&
        warn_unknown_solution(line, *row.solution))
      known_solution_ = row.solution;
    result_.traces.push_back(std::move(row));
  }

  bool warn_unknown_definition(const Line& line, const std::string& definition) {
    if (context_.definitions.contains(definition)) return true;
    warn_once(line, fmt::format("record of the unknown definition \"{}\"", definition));
    return false;
  }

  bool warn_unknown_solution(const Line& line, const std::string& solution) {
    if (context_.solutions.contains(solution)) return true;
    warn_once(line, fmt::format("trace of the unknown solution \"{}\"", solution));
    return false;
  }

  const RecordPlace& place_;
  std::string shown_;
  const RecordContext& context_;
  RowReader rows_;
  RecordFile result_;
  std::set<std::string> warned_;
  // A file of millions of short lines costs its maker nothing; each problem costs a sentence, and each line
  // an exception.
  static constexpr std::size_t kMostErrors = 1000;
  std::size_t errors_ = 0;
  std::size_t more_errors_ = 0;                    // beyond these
  const std::string* known_definition_ = nullptr;  // the last ones met: lines of a file are often alike
  const std::string* known_solution_ = nullptr;
};

}  // namespace

std::string to_string(const Problem& problem) {
  const std::string line = problem.line > 0 ? fmt::format(":{}", problem.line) : "";
  return problem.file + line + ": " + problem.message;
}

RecordFile read_records(const RecordPlace& place, const RecordContext& context, RowPool& pool) {
  return FileReader(place, context, pool).read();
}

std::string definition_of_file(const fs::path& file) {
  std::string stem = file.stem().string();
  for (const std::string_view suffix : {".workload", "_workloads"}) {
    if (stem.ends_with(suffix)) stem.resize(stem.size() - suffix.size());
  }
  return stem;
}

model::Trace parse_record(std::string_view line, const std::string& file_definition, model::Mode mode) {
  const model::json::Value value = model::json::parse(line);
  if (mode == model::Mode::lenient && value.find("workload") == nullptr && value.find("axes") != nullptr) {
    // Its traces hold it one level down, and have to be read, too.
    (void)model::json::parse(line, {.levels = model::json::kMostLevels - 1});
    return {file_definition, model::read_workload(value, mode), {}, {}, {}};
  }
  return model::read_trace(value, mode);
}

std::vector<Line> split_lines(std::string_view text) {
  std::vector<Line> lines;
  std::size_t number = 1;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::size_t end = text.find('\n', begin);
    const bool ended = end != std::string_view::npos;
    const std::string_view line = text.substr(begin, ended ? end - begin : end);
    if (!is_blank(line)) lines.push_back({number, line, ended});
    begin = ended ? end + 1 : text.size();
  }
  return lines;
}

}  // namespace fib::dataset
