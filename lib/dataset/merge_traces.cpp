#include "dataset/merge_traces.h"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "dataset/path_names.h"
#include "dataset/paths.h"
#include "dataset/trace_head.h"
#include "dataset/trace_stream.h"
#include "model/measurement_record.h"
#include "util/clock.h"
#include "util/machine.h"
#include "util/threads.h"

namespace fib::dataset {
namespace {

constexpr unsigned kMostMergeThreads = 4;  // each holds an output file in memory
constexpr std::size_t kManyTargets = 16;   // of a file, for each of which it is read again
constexpr std::size_t kMostKeptBytes = std::size_t{512} << 20U;

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
    find_targets();
    const std::vector<std::pair<Target, std::set<InputFile>>> targets(files_.begin(), files_.end());
    std::vector<Written> written(targets.size());
    util::for_each_index(targets.size(), threads(),
                         [&](std::size_t i) { written[i] = write(targets[i].first, targets[i].second); });
    for (const auto& one : written) add(one);
  }

 private:
  // What became of the results of one output file.
  struct Written {
    MergeCount traces;
    std::vector<std::string> unreadable;
  };
  using TargetLines = std::map<Target, std::vector<Line>>;

  // A file with results for many targets, which is not read again for each of them.
  struct KeptFile {
    std::string text;
    TargetLines lines;  // into the text
  };
  struct Found {
    std::map<Target, std::size_t> first_lines;
    std::shared_ptr<const KeptFile> kept;  // null: few targets, or much is kept already
  };

  static unsigned threads() { return std::min(util::usable_cores(), kMostMergeThreads); }

  void find_targets() {
    note_kept_sources();
    note_kept_workloads();
    std::vector<InputFile> files;
    for (std::size_t input = 0; input < inputs_.size(); ++input) {
      for (const auto& path : record_files(inputs_[input])) files.push_back({input, path});
    }
    std::vector<Found> found(files.size());
    util::for_each_index(files.size(), threads(), [&](std::size_t i) { found[i] = targets_in(files[i]); });
    for (std::size_t i = 0; i < files.size(); ++i) {
      for (const auto& [target, line] : found[i].first_lines) add_target(target, files[i], line);
      if (found[i].kept) kept_files_[files[i]] = found[i].kept;
    }
  }

  // Lines without a head are bare workloads, which the catalog has, or unreadable, which it has reported.
  Found targets_in(const InputFile& file) {
    check_interrupt(options_.interrupted);
    Found found;
    std::vector<std::string> reported;  // by the catalog
    auto text = read(file, reported);
    if (!text) return found;
    auto kept = std::make_shared<KeptFile>();
    kept->text = *std::move(text);
    for (const Line& line : split_lines(kept->text)) {
      const auto head = read_trace_head(line.text);
      if (head && !head->is_workload() && holds(*head)) kept->lines[target_of(file, *head)].push_back(line);
    }
    for (const auto& [target, lines] : kept->lines) found.first_lines.emplace(target, lines.front().number);
    const bool has_many = kept->lines.size() > kManyTargets;
    if (has_many && kept_bytes_.fetch_add(kept->text.size()) < kMostKeptBytes) found.kept = std::move(kept);
    return found;
  }

  std::optional<std::string> read(const InputFile& file, std::vector<std::string>& unreadable) const {
    auto text = read_or_note(file.path, unreadable);
    std::size_t filled = 0;
    if (text && options_.repair) text = with_definition(*text, definition_of_file(file.path), filled);
    return text;
  }

  bool holds(const TraceHead& head) const {
    const std::string* solution = head.solution ? &*head.solution : nullptr;
    return options_.filter.may_hold(catalog_.merged, head.definition, solution);
  }

  // A target that can be no file is found before anything is written, where its line is known.
  void add_target(const Target& target, const InputFile& file, std::size_t line) {
    try {
      (void)traces_file(output_, target.author, target.op_type, target.definition);
      files_[target].insert(file);
    } catch (const Error& error) {
      report_.unreadable.push_back(fmt::format("{}:{}: {}", file.path.string(), line, error.what()));
    }
  }

  void add(const Written& written) {
    report_.traces.read += written.traces.read;
    report_.traces.written += written.traces.written;
    report_.traces.duplicates += written.traces.duplicates;
    report_.traces.left_out += written.traces.left_out;
    report_.unreadable.insert(report_.unreadable.end(), written.unreadable.begin(), written.unreadable.end());
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

  Written write(const Target& target, const std::set<InputFile>& files) const {
    Written result;
    std::vector<Record> records;
    for (const auto& file : files) {
      check_interrupt(options_.interrupted);
      if (const auto kept = kept_files_.find(file); kept != kept_files_.end()) {
        for (const Line& line : kept->second->lines.at(target)) take(file, line, records, result);
        continue;
      }
      const auto text = read(file, result.unreadable);
      if (!text) continue;
      for (const Line& line : split_lines(*text)) {
        const auto head = read_trace_head(line.text);
        if (head && !head->is_workload() && target_of(file, *head) == target)
          take(file, line, records, result);
      }
    }
    std::sort(records.begin(), records.end());
    const auto end = std::unique(records.begin(), records.end());
    result.traces.duplicates = static_cast<std::size_t>(records.end() - end);
    records.erase(end, records.end());
    result.traces.written = records.size();
    if (!records.empty())
      write_lines(traces_file(output_, target.author, target.op_type, target.definition), records);
    return result;
  }

  void take(const InputFile& file, const Line& line, std::vector<Record>& records, Written& result) const {
    try {
      model::Trace trace = model::parse_trace(line.text);
      if (!options_.filter.holds_trace(catalog_.merged, trace)) return;
      ++result.traces.read;
      if (!rename(file.input, trace)) {
        ++result.traces.left_out;
        return;
      }
      const auto time = trace.evaluation ? util::parse_timestamp(trace.evaluation->timestamp) : std::nullopt;
      records.emplace_back(time.value_or(0), model::to_json(trace));
    } catch (const model::ParseError& error) {
      result.unreadable.push_back(fmt::format("{}:{}: {}", file.path.string(), line.number, error.what()));
    }
  }

  // What the output calls the solution with the source that the trace says it was made from, whichever input
  // both come from; nothing where it does not say it, or the output has no such solution.
  std::optional<std::string> name_of_source(const model::Trace& trace) const {
    if (!trace.evaluation) return std::nullopt;
    const auto hash = model::measurement_record(*trace.evaluation).solution_sha256;
    if (!hash) return std::nullopt;
    const auto found = kept_sources_.find({*trace.solution, *hash});
    return found == kept_sources_.end() ? std::nullopt : std::optional(found->second);
  }

  // Of the solutions that inputs call the same and that differ.
  void note_kept_sources() {
    for (const InputNames& names : catalog_.inputs) {
      for (const auto& [old_name, new_name] : names.solutions) {
        const auto kept = catalog_.merged.solutions.find(new_name.value_or(old_name));
        if (kept == catalog_.merged.solutions.end()) continue;
        kept_sources_[{old_name, model::content_sha256(kept->second)}] = kept->first;
      }
    }
  }

  // False when the catalog leaves out what the trace is of.
  bool rename(std::size_t input, model::Trace& trace) const {
    const InputNames& names = catalog_.inputs[input];
    if (const auto solution = names.solutions.find(trace.solution.value_or(""));
        solution != names.solutions.end()) {
      const auto of_source = name_of_source(trace);
      if (!of_source && !solution->second) return false;
      trace.solution = of_source ? *of_source : *solution->second;
    }
    const auto workload = names.workloads.find({trace.definition, trace.workload.uuid});
    if (workload == names.workloads.end()) return true;
    const auto name = name_of_work(trace, workload->second);
    if (!name) return false;
    trace.workload.uuid = *name;
    take_paths(trace);
    return true;
  }

  // Of the workloads that inputs call so, and that differ, the one whose sizes and inputs the trace has: an
  // input may hold traces from before its workload was edited. Else `own`, what the input itself means by the
  // name.
  [[nodiscard]] std::optional<std::string> name_of_work(const model::Trace& trace,
                                                        const std::optional<std::string>& own) const {
    const auto kept = kept_workloads_.find({trace.definition, trace.workload.uuid});
    if (kept == kept_workloads_.end()) return own;
    std::optional<std::string> name;
    for (const model::Workload* workload : kept->second) {
      if (!model::same_work(*workload, trace.workload)) continue;
      if (workload->uuid == own) return own;
      if (!name) name = workload->uuid;
    }
    return name ? name : own;
  }

  void note_kept_workloads() {
    const bool any = std::any_of(catalog_.inputs.begin(), catalog_.inputs.end(),
                                 [](const InputNames& names) { return !names.workloads.empty(); });
    if (!any) return;
    for (const auto& [definition, workloads] : catalog_.merged.workloads) {
      for (const model::Workload& workload : workloads)
        merged_workloads_[{definition, workload.uuid}].push_back(&workload);
    }
    for (const InputNames& names : catalog_.inputs) {
      for (const auto& [old_name, new_name] : names.workloads) {
        const auto found = merged_workloads_.find({old_name.first, new_name.value_or(old_name.second)});
        if (found == merged_workloads_.end()) continue;
        auto& kept = kept_workloads_[old_name];
        kept.insert(kept.end(), found->second.begin(), found->second.end());
      }
    }
  }

  // The blobs of a renamed workload have new names too.
  void take_paths(model::Trace& trace) const {
    const auto found = merged_workloads_.find({trace.definition, trace.workload.uuid});
    if (found == merged_workloads_.end()) return;
    for (const model::Workload* workload : found->second) {
      for (auto& [name, spec] : trace.workload.inputs) {
        const auto* other = model::find(workload->inputs, name);
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
  // (what inputs call the solution, hash of the source) -> what the output calls it.
  std::map<std::pair<std::string, std::string>, std::string> kept_sources_;
  using WorkloadsByName = std::map<std::pair<std::string, std::string>, std::vector<const model::Workload*>>;
  WorkloadsByName merged_workloads_;  // all, where an input calls one otherwise
  WorkloadsByName kept_workloads_;
  const MergeOptions& options_;
  const fs::path& output_;
  MergeReport& report_;
  std::map<Target, std::set<InputFile>> files_;
  std::map<InputFile, std::shared_ptr<const KeptFile>> kept_files_;
  std::atomic<std::size_t> kept_bytes_ = 0;
};

}  // namespace

void merge_traces(const std::vector<fs::path>& inputs, const Catalog& catalog, const MergeOptions& options,
                  const fs::path& output, MergeReport& report) {
  TraceMerger(inputs, catalog, options, output, report).run();
}

}  // namespace fib::dataset
