#include "dataset/load.h"

#include <algorithm>
#include <set>

#include "dataset/paths.h"
#include "dataset/trace_head.h"
#include "util/files.h"

namespace fib::dataset {
namespace {

constexpr std::size_t kListedProblems = 10;

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\v\f") == std::string_view::npos; }

// The definition that a file of bare workloads is named after.
std::string definition_of_file(const fs::path& file) {
  std::string stem = file.stem().string();
  for (const std::string_view suffix : {".workload", "_workloads"}) {
    if (stem.ends_with(suffix)) stem.resize(stem.size() - suffix.size());
  }
  return stem;
}

class Loader {
 public:
  Loader(const fs::path& root, const LoadOptions& options) : options_(options) { dataset_.root = root; }

  Dataset load() {
    if (!fs::is_directory(dataset_.root)) {
      throw Error(
          "{}: no such folder; name the root of a dataset (it holds definitions/, workloads/, solutions/)",
          dataset_.root.string());
    }
    for (const auto& file : files(definitions_folder(dataset_.root), ".json")) load_definition(file);
    for (const auto& file : files(solutions_folder(dataset_.root), ".json")) load_solution(file);
    for (const auto& file : files(workloads_folder(dataset_.root), ".jsonl"))
      load_records(file, Folder::workloads);
    for (const auto& file : files(traces_folder(dataset_.root), ".jsonl")) load_records(file, Folder::traces);
    if (options_.strict) throw_on_errors();
    return std::move(dataset_);
  }

 private:
  enum class Folder { workloads, traces };

  std::vector<fs::path> files(const fs::path& folder, std::string_view extension) {
    std::vector<std::pair<fs::path, std::string>> unlisted;
    auto found = list_files(folder, extension, unlisted);
    for (const auto& [where, why] : unlisted) report(where, 0, "cannot be listed: " + why);
    return found;
  }

  void report(const fs::path& file, std::size_t line, const std::string& message,
              Severity severity = Severity::error) {
    dataset_.problems.push_back({relative(file), line, message, severity});
  }

  void warn(const fs::path& file, std::size_t line, const std::string& message) {
    report(file, line, message, Severity::warning);
  }

  std::string relative(const fs::path& file) const { return file.lexically_relative(dataset_.root).string(); }

  std::optional<std::string> read(const fs::path& file) {
    try {
      return util::read_file(file);
    } catch (const Error& error) {
      report(file, 0, error.what());
      return std::nullopt;
    }
  }

  // Notes where `name` was defined; false, with a problem, when it was before.
  bool claim(std::map<std::string, std::string>& owners, const std::string& name, const fs::path& file,
             std::string_view what) {
    const auto [owner, is_new] = owners.emplace(name, relative(file));
    if (!is_new) {
      report(file, 0,
             fmt::format("Duplicate {} name: {} (kept: the one of {}); rename or remove one", what, name,
                         owner->second));
    }
    return is_new;
  }

  void load_definition(const fs::path& file) {
    const auto text = read(file);
    if (!text) return;
    try {
      model::Definition definition = model::parse_definition(*text, options_.mode);
      const std::string name = definition.name;
      if (claim(dataset_.definition_files, name, file, "definition")) {
        dataset_.definitions.emplace(name, std::move(definition));
      }
    } catch (const model::ParseError& error) {
      report(file, 0, error.what());
    }
  }

  void load_solution(const fs::path& file) {
    const auto text = read(file);
    if (!text) return;
    try {
      model::Solution solution = model::parse_solution(*text, options_.mode);
      const std::string name = solution.name;
      if (!claim(dataset_.solution_files, name, file, "solution")) return;
      if (!dataset_.definitions.contains(solution.definition)) {
        warn(file, 0,
             fmt::format("solution \"{}\" is for the unknown definition \"{}\"", name, solution.definition));
      }
      dataset_.solutions.emplace(name, std::move(solution));
    } catch (const model::ParseError& error) {
      report(file, 0, error.what());
    }
  }

  void load_records(const fs::path& file, Folder folder) {
    const auto text = read(file);
    if (!text) return;
    warned_.clear();
    for (const Line& line : split_lines(*text)) {
      if (!line.ended && !model::json::is_object_text(line.text)) {
        report(file, line.number, "torn record: the last line has no newline and is no whole JSON object");
        continue;
      }
      if (options_.results == KeepResults::no && is_result(line.text)) continue;
      try {
        load_record(file, folder, line);
      } catch (const model::ParseError& error) {
        report(file, line.number, error.what());
      }
    }
  }

  void load_record(const fs::path& file, Folder folder, const Line& line) {
    model::Trace trace = parse_record(line.text, definition_of_file(file), options_.mode);
    if (trace.is_workload()) {
      add_workload(file, line, trace.definition, std::move(trace.workload));
      return;
    }
    if (folder == Folder::workloads) {
      warn_once(file, line, "holds results; they belong below traces/");
    }
    add_trace(file, line, std::move(trace));
  }

  void add_workload(const fs::path& file, const Line& line, const std::string& definition,
                    model::Workload workload) {
    warn_unknown_definition(file, line, definition);
    const auto [first, is_new] = uuids_.emplace(std::pair(definition, workload.uuid),
                                                fmt::format("{}:{}", relative(file), line.number));
    if (!is_new) {
      warn(file, line.number,
           fmt::format("workload \"{}\" of definition \"{}\" is there already (kept: {})", workload.uuid,
                       definition, first->second));
      dataset_.repeated_workloads.emplace_back(definition, std::move(workload));
      return;
    }
    dataset_.workloads[definition].push_back(std::move(workload));
  }

  void add_trace(const fs::path& file, const Line& line, model::Trace trace) {
    warn_unknown_definition(file, line, trace.definition);
    if (trace.solution && !dataset_.solutions.contains(*trace.solution)) {
      warn_once(file, line, fmt::format("trace of the unknown solution \"{}\"", *trace.solution));
    }
    dataset_.traces.push_back(std::move(trace));
  }

  void warn_unknown_definition(const fs::path& file, const Line& line, const std::string& definition) {
    if (dataset_.definitions.contains(definition)) return;
    warn_once(file, line, fmt::format("record of the unknown definition \"{}\"", definition));
  }

  // A file often says the same on every line.
  void warn_once(const fs::path& file, const Line& line, const std::string& message) {
    if (warned_.insert(message).second) warn(file, line.number, message);
  }

  void throw_on_errors() const {
    const std::size_t count = dataset_.error_count();
    if (count == 0) return;
    std::vector<std::string> lines;
    for (const Problem& problem : dataset_.problems) {
      if (problem.severity == Severity::error) lines.push_back(to_string(problem));
    }
    throw Error("{} has {} {} that cannot be loaded; correct or remove {}:{}", dataset_.root.string(), count,
                count == 1 ? "record" : "records", count == 1 ? "it" : "them", first_lines(lines));
  }

  LoadOptions options_;
  Dataset dataset_;
  std::map<std::pair<std::string, std::string>, std::string> uuids_;  // (definition, uuid) -> file:line
  std::set<std::string> warned_;                                      // in the current file
};

}  // namespace

std::string to_string(const Problem& problem) {
  const std::string line = problem.line > 0 ? fmt::format(":{}", problem.line) : "";
  return problem.file + line + ": " + problem.message;
}

std::size_t Dataset::error_count() const {
  return static_cast<std::size_t>(std::count_if(problems.begin(), problems.end(), [](const Problem& problem) {
    return problem.severity == Severity::error;
  }));
}

std::string first_lines(const std::vector<std::string>& lines) {
  std::string list;
  for (std::size_t i = 0; i < std::min(lines.size(), kListedProblems); ++i) list += "\n  " + lines[i];
  if (lines.size() > kListedProblems) list += fmt::format("\n  and {} more", lines.size() - kListedProblems);
  return list;
}

model::Trace parse_record(std::string_view line, const std::string& file_definition, model::Mode mode) {
  const model::json::Value value = model::json::parse(line);
  if (mode == model::Mode::lenient && value.find("workload") == nullptr && value.find("axes") != nullptr)
    return {file_definition, model::read_workload(value, mode), {}, {}, {}};
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

namespace {

void find_files(const fs::path& folder, std::string_view extension, std::vector<fs::path>& found,
                std::vector<std::pair<fs::path, std::string>>& unlisted) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code gone;  // a dangling link is no file
    if (entry->is_directory(gone) && !entry->is_symlink(gone)) {
      find_files(entry->path(), extension, found, unlisted);
    } else if (entry->is_regular_file(gone) && entry->path().extension() == extension) {
      found.push_back(entry->path());
    }
  }
  if (error) unlisted.emplace_back(folder, error.message());
}

}  // namespace

std::vector<fs::path> list_files(const fs::path& folder, std::string_view extension,
                                 std::vector<std::pair<fs::path, std::string>>& unlisted) {
  std::vector<fs::path> found;
  if (fs::exists(folder)) find_files(folder, extension, found, unlisted);
  std::sort(found.begin(), found.end());
  return found;
}

Dataset load(const fs::path& root, const LoadOptions& options) { return Loader(root, options).load(); }

}  // namespace fib::dataset
