#include "dataset/trace_stream.h"

#include <algorithm>

#include "dataset/links.h"
#include "dataset/paths.h"
#include "dataset/trace_head.h"
#include "util/files.h"
#include "util/machine.h"
#include "util/threads.h"

namespace fib::dataset {
namespace {

// What is parsed side by side: enough to be worth the start of threads, little enough to be held at once.
constexpr std::size_t kLinesAtOnce = 1024;
constexpr std::size_t kBytesAtOnce = 4 << 20;
constexpr std::size_t kFewLines = 64;
constexpr unsigned kMostThreads = 8;

// What a line tells: a trace, or why it cannot be read; neither where it is no result, or filtered out.
struct ReadLine {
  std::optional<model::Trace> trace;
  std::string problem;
};

ReadLine read_line(const Dataset& dataset, const Filter& filter, std::string_view text) {
  const auto head = read_trace_head(text);
  if (!head || head->is_workload()) return {};
  if (!filter.may_hold(dataset, head->definition, head->solution ? &*head->solution : nullptr)) return {};
  try {
    return {model::parse_trace(text), {}};
  } catch (const model::ParseError& error) {
    return {std::nullopt, error.what()};
  }
}

// How many of the lines from `first` on are parsed side by side; at least one.
std::size_t count_at_once(const std::vector<Line>& lines, std::size_t first) {
  std::size_t bytes = 0;
  std::size_t end = first;
  while (end < std::min(lines.size(), first + kLinesAtOnce) && bytes < kBytesAtOnce)
    bytes += lines[end++].text.size();
  return end - first;
}

// One after the other where they are few.
void parse_side_by_side(std::size_t count, const std::function<void(std::size_t)>& parse) {
  const unsigned threads = count < kFewLines ? 1 : std::min(util::usable_cores(), kMostThreads);
  util::for_each_index(count, threads, parse);
}

}  // namespace

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
  std::vector<ReadLine> read(kLinesAtOnce);
  for (const auto& file : record_files(dataset.root)) {
    const auto text = read_or_note(file, unreadable);
    if (!text) continue;
    const auto lines = split_lines(*text);
    for (std::size_t first = 0, count = 0; first < lines.size(); first += count) {
      check_interrupt(interrupted);
      count = count_at_once(lines, first);
      parse_side_by_side(count,
                         [&](std::size_t i) { read[i] = read_line(dataset, filter, lines[first + i].text); });
      for (std::size_t i = 0; i < count; ++i) {
        const auto& [trace, problem] = read[i];
        if (!problem.empty())
          unreadable.push_back(fmt::format("{}:{}: {}", file.string(), lines[first + i].number, problem));
        if (trace && filter.holds_trace(dataset, *trace)) visit(*trace);
        read[i] = {};
      }
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
