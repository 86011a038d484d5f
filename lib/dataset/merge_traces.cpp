#include "dataset/merge_traces.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <tuple>

#include "dataset/paths.h"
#include "dataset/trace_head.h"
#include "util/files.h"

namespace fib::dataset {
namespace {

struct InputFile {
  std::size_t input = 0;
  fs::path path;

  friend auto operator<=>(const InputFile&, const InputFile&) = default;
};

// traces/<author>/<op_type>/<definition>.jsonl
struct Target {
  std::string author;
  std::string op_type;
  std::string definition;

  friend auto operator<=>(const Target&, const Target&) = default;
};

// A result as it is written, with its time in front for sorting.
using Record = std::pair<std::string, std::string>;

class TraceMerger {
 public:
  TraceMerger(const std::vector<fs::path>& inputs, const Catalog& catalog, const Filter& filter,
              const fs::path& output, MergeReport& report)
      : inputs_(inputs), catalog_(catalog), filter_(filter), output_(output), report_(report) {}

  void run() {
    for (std::size_t input = 0; input < inputs_.size(); ++input) {
      for (const auto& folder : {workloads_folder(inputs_[input]), traces_folder(inputs_[input])}) {
        std::string problem;  // the catalog has reported it
        for (const auto& path : list_files(folder, ".jsonl", problem)) find_targets({input, path});
      }
    }
    for (const auto& [target, files] : files_) write(target, files);
  }

 private:
  void find_targets(const InputFile& file) {
    const std::string text = util::read_file(file.path);
    for (const Line& line : split_lines(text)) {
      const auto head = read_trace_head(line.text);
      if (!head) {
        // The catalog has read bare workloads and reported the rest, but for what only looks like a result.
        continue;
      }
      if (head->is_workload() || !filter_.may_hold(catalog_.merged, head->definition, head->solution))
        continue;
      files_[target_of(file, *head)].insert(file);
    }
  }

  Target target_of(const InputFile& file, const TraceHead& head) const {
    return {author_of(file, head.solution.value_or("")), catalog_.op_type_of(head.definition),
            head.definition};
  }

  // The author of a solution that its dataset lacks is the folder's below traces/.
  std::string author_of(const InputFile& file, const std::string& solution) const {
    const auto& authors = catalog_.inputs[file.input].authors;
    if (const auto known = authors.find(solution); known != authors.end()) return known->second;
    const fs::path below = file.path.lexically_relative(traces_folder(inputs_[file.input]));
    const auto parts = std::distance(below.begin(), below.end());
    const std::string first = below.begin()->string();
    return parts == 3 && first != ".." ? first : "unknown";
  }

  void write(const Target& target, const std::set<InputFile>& files) {
    std::vector<Record> records;
    for (const auto& file : files) {
      const std::string text = util::read_file(file.path);
      for (const Line& line : split_lines(text)) {
        const auto head = read_trace_head(line.text);
        if (head && !head->is_workload() && target_of(file, *head) == target) take(file, line, records);
      }
    }
    std::sort(records.begin(), records.end());
    const auto end = std::unique(records.begin(), records.end());
    report_.traces.duplicates += static_cast<std::size_t>(records.end() - end);
    records.erase(end, records.end());
    report_.traces.written += records.size();
    if (!records.empty())
      write_lines(traces_file(output_, target.author, target.op_type, target.definition), records);
  }

  void take(const InputFile& file, const Line& line, std::vector<Record>& records) {
    try {
      model::Trace trace = model::parse_trace(line.text);
      if (!filter_.holds_trace(catalog_.merged, trace)) return;
      ++report_.traces.read;
      if (!rename(file.input, trace)) {
        ++report_.traces.left_out;
        return;
      }
      records.emplace_back(trace.evaluation ? trace.evaluation->timestamp : "", model::to_json(trace));
    } catch (const model::ParseError& error) {
      report_.unreadable.push_back(fmt::format("{}:{}: {}", file.path.string(), line.number, error.what()));
    }
  }

  // False when the catalog leaves out what the trace is of.
  bool rename(std::size_t input, model::Trace& trace) const {
    const InputNames& names = catalog_.inputs[input];
    if (const auto solution = names.solutions.find(trace.solution.value_or(""));
        solution != names.solutions.end()) {
      if (!solution->second) return false;
      trace.solution = solution->second;
    }
    const auto workload = names.workloads.find({trace.definition, trace.workload.uuid});
    if (workload == names.workloads.end()) return true;
    if (!workload->second) return false;
    trace.workload.uuid = *workload->second;
    take_paths(trace);
    return true;
  }

  // The blobs of a renamed workload have new names too.
  void take_paths(model::Trace& trace) const {
    for (const auto& workload : catalog_.merged.workloads.at(trace.definition)) {
      if (workload.uuid != trace.workload.uuid) continue;
      for (auto& [name, spec] : trace.workload.inputs) {
        const auto* other = model::find(workload.inputs, name);
        if (other != nullptr && other->kind == spec.kind) spec.path = other->path;
      }
    }
  }

  static void write_lines(const fs::path& path, const std::vector<Record>& records) {
    fs::create_directories(path.parent_path());
    std::ofstream file(path, std::ios::binary);
    for (const auto& [time, line] : records) file << line << '\n';
    file.flush();
    if (!file) throw Error("cannot write {}; is the disk full?", path.string());
  }

  const std::vector<fs::path>& inputs_;
  const Catalog& catalog_;
  const Filter& filter_;
  const fs::path& output_;
  MergeReport& report_;
  std::map<Target, std::set<InputFile>> files_;
};

}  // namespace

void merge_traces(const std::vector<fs::path>& inputs, const Catalog& catalog, const Filter& filter,
                  const fs::path& output, MergeReport& report) {
  TraceMerger(inputs, catalog, filter, output, report).run();
}

}  // namespace fib::dataset
