#include "dataset/trace_stream.h"

#include "dataset/links.h"
#include "dataset/paths.h"
#include "dataset/trace_head.h"
#include "util/files.h"

namespace fib::dataset {

Dataset load_without_results(const fs::path& root, std::vector<std::string>& unreadable,
                             bool names_from_paths) {
  LoadOptions options;
  options.names_from_paths = names_from_paths;
  options.results = KeepResults::no;
  Dataset dataset = load(root, options);
  for (const auto& problem : dataset.problems) {
    if (problem.severity == Severity::error)
      unreadable.push_back((dataset.root / to_string(problem)).string());
  }
  return dataset;
}

void check_interrupt(const std::atomic<bool>* interrupted) {
  if (interrupted != nullptr && *interrupted) throw Error("interrupted; nothing was written");
}

void for_each_trace(const Dataset& dataset, const Filter& filter, std::vector<std::string>& unreadable,
                    const std::function<void(const model::Trace&)>& visit,
                    const std::atomic<bool>* interrupted) {
  const auto visit_line = [&](const fs::path& file, const Line& line) {
    const auto head = read_trace_head(line.text);
    if (!head || head->is_workload()) return;
    if (!filter.may_hold(dataset, head->definition, head->solution ? &*head->solution : nullptr)) return;
    try {
      const model::Trace trace = model::parse_trace(line.text);
      if (filter.holds_trace(dataset, trace)) visit(trace);
    } catch (const model::ParseError& error) {
      unreadable.push_back(fmt::format("{}:{}: {}", file.string(), line.number, error.what()));
    }
  };
  for (const auto& file : record_files(dataset.root)) {
    check_interrupt(interrupted);
    if (const auto text = read_or_note(file, unreadable)) {
      for (const Line& line : split_lines(*text)) visit_line(file, line);
    }
  }
}

std::vector<fs::path> record_files(const fs::path& root) {
  std::vector<fs::path> files;
  std::vector<std::pair<fs::path, std::string>> unlisted;  // load() has reported them
  for (const auto& folder : problem_folders(root)) {
    const fs::path workloads = folder / kProblemWorkloads;
    if (is_there(workloads) && !leads_out(workloads, root)) files.push_back(workloads);
  }
  for (const auto& folder : {workloads_folder(root), traces_folder(root)}) {
    const auto more = list_files(folder, ".jsonl", unlisted);
    files.insert(files.end(), more.begin(), more.end());
  }
  return files;
}

std::optional<std::string> read_or_note(const fs::path& file, std::vector<std::string>& unreadable) {
  try {
    return util::read_file(file);
  } catch (const Error& error) {
    unreadable.emplace_back(error.what());
    return std::nullopt;
  }
}

}  // namespace fib::dataset
