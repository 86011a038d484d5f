#include "dataset/trace_stream.h"

#include "dataset/paths.h"
#include "dataset/trace_head.h"
#include "util/files.h"

namespace fib::dataset {

void for_each_trace(const Dataset& dataset, const Filter& filter, std::vector<std::string>& unreadable,
                    const std::function<void(const model::Trace&)>& visit) {
  const auto visit_line = [&](const fs::path& file, const Line& line) {
    const auto head = read_trace_head(line.text);
    if (!head || head->is_workload() || !filter.may_hold(dataset, head->definition, head->solution)) return;
    try {
      const model::Trace trace = model::parse_trace(line.text);
      if (filter.holds_trace(dataset, trace)) visit(trace);
    } catch (const model::ParseError& error) {
      unreadable.push_back(fmt::format("{}:{}: {}", file.string(), line.number, error.what()));
    }
  };
  for (const auto& folder : {workloads_folder(dataset.root), traces_folder(dataset.root)}) {
    std::string problem;  // load() has reported it
    for (const auto& file : list_files(folder, ".jsonl", problem)) {
      const std::string text = util::read_file(file);
      for (const Line& line : split_lines(text)) visit_line(file, line);
    }
  }
}

}  // namespace fib::dataset
