#include "dataset/merge_traces.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <tuple>

#include "dataset/paths.h"
#include "dataset/trace_head.h"
#include "dataset/trace_stream.h"
#include "util/clock.h"

namespace fib::dataset {
namespace {

struct InputFile {
  std::size_t input = 0;
  fs::path path;

  friend auto operator<=>(const InputFile&, const InputFile&) =
      default;  // NOLINT: clang-tidy 14 takes the comparison with 0 for a pointer
};

// traces/<author>/<op_type>/<definition>.jsonl
struct Target {
  std::string author;
  std::string op_type;
  std::string definition;

  friend auto operator<=>(const Target&, const Target&) = default;  // NOLINT: as above
};

// A result as it is written, with its time in front for sorting; those without a readable time come first.
using Record = std::pair<std::int64_t, std::string>;

class TraceMerger {
 public:
  TraceMerger(const std::vector<fs::path>& inputs, const Catalog& catalog, const MergeOptions& options,
              const fs::path& output, MergeReport& report)
      : inputs_(inputs), catalog_(catalog), options_(options), output_(output), report_(report) {}

  void run() {
    for (std::size_t input = 0; input < inputs_.size(); ++input) {
      for (const auto& path : record_files(inputs_[input])) find_targets({input, path});
    }
    for (const auto& [target, files] : files_) write(target, files);
  }

 private:
  // Lines without a head are bare workloads, which the catalog has, or unreadable, which it has reported.
  void find_targets(const InputFile& file) {
    check_interrupt(options_.interrupted);
    std::vector<std::string> reported;  // by the catalog
    const auto text = read_or_note(file.path, reported);
    if (!text) return;
    for (const Line& line : split_lines(*text)) {
      const auto head = read_trace_head(line.text);
      if (!head || head->is_workload()) continue;
      if (!options_.filter.may_hold(catalog_.merged, head->definition,
                                    head->solution ? &*head->solution : nullptr))
        continue;
      const Target target = target_of(file, *head);
      if (files_[target].insert(file).second) check_name(target, file, line);
    }
  }

  // A target that can be no file is found before anything is written, where its line is known.
  void check_name(const Target& target, const InputFile& file, const Line& line) {
    try {
      (void)traces_file(output_, target.author, target.op_type, target.definition);
    } catch (const Error& error) {
      report_.unreadable.push_back(fmt::format("{}:{}: {}", file.path.string(), line.number, error.what()));
      files_.erase(target);
    }
  }

  Target target_of(const InputFile& file, const TraceHead& head) const {
    return {author_of(file, head.solution.value_or("")), catalog_.op_type_of(head.definition),
            head.definition};
  }

  // The author of a solution that its dataset lacks is that of another input, else the folder's below
  // traces/.
  std::string author_of(const InputFile& file, const std::string& solution) const {
    const auto& authors = catalog_.inputs[file.input].authors;
    if (const auto known = authors.find(solution); known != authors.end()) return known->second;
    const auto& others = catalog_.merged.solutions;
    if (const auto known = others.find(solution); known != others.end()) return known->second.author;
    const fs::path below = file.path.lexically_relative(traces_folder(inputs_[file.input]));
    const auto parts = std::distance(below.begin(), below.end());
    const std::string first = below.begin()->string();
    return parts == 3 && first != ".." ? first : "unknown";
  }

  void write(const Target& target, const std::set<InputFile>& files) {
    check_interrupt(options_.interrupted);
    std::vector<Record> records;
    for (const auto& file : files) {
      const auto text = read_or_note(file.path, report_.unreadable);
      if (!text) continue;
      for (const Line& line : split_lines(*text)) {
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
      if (!options_.filter.holds_trace(catalog_.merged, trace)) return;
      ++report_.traces.read;
      if (!rename(file.input, trace)) {
        ++report_.traces.left_out;
        return;
      }
      const auto time = trace.evaluation ? util::parse_timestamp(trace.evaluation->timestamp) : std::nullopt;
      records.emplace_back(time.value_or(0), model::to_json(trace));
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
  const MergeOptions& options_;
  const fs::path& output_;
  MergeReport& report_;
  std::map<Target, std::set<InputFile>> files_;
};

}  // namespace

void merge_traces(const std::vector<fs::path>& inputs, const Catalog& catalog, const MergeOptions& options,
                  const fs::path& output, MergeReport& report) {
  TraceMerger(inputs, catalog, options, output, report).run();
}

}  // namespace fib::dataset
