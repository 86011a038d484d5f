#include "dataset/merge.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include "dataset/baselines.h"
#include "dataset/links.h"
#include "dataset/merge_catalog.h"
#include "dataset/merge_traces.h"
#include "dataset/paths.h"
#include "dataset/trace_stream.h"
#include "util/errno_error.h"
#include "util/files.h"
#include "util/hash.h"

namespace fib::dataset {
namespace {

void check_places(const std::vector<fs::path>& inputs, const fs::path& output) {
  for (const auto& input : inputs) {
    expect_dataset_folder(input, "name each with --local DIR");
  }
  if (fs::exists(output) && !(fs::is_directory(output) && fs::is_empty(output)))
    throw Error("{} exists; name a new folder", output.string());
}

void throw_unreadable(const std::vector<std::string>& unreadable) {
  const bool one = unreadable.size() == 1;
  throw Error("{} {} cannot be taken; correct {}, or leave {} out with --skip-unreadable:{}",
              unreadable.size(), one ? "record" : "records", one ? "it" : "them", one ? "it" : "them",
              first_lines(unreadable));
}

// Not synced one by one: the whole tree is, before it gets its name.
void write_file(const fs::path& path, const std::string& content) {
  fs::create_directories(path.parent_path());
  const util::UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!fd.valid()) throw util::errno_error("create " + path.string());
  util::write_all(fd.get(), content, path.string());
}

void write_catalog(const Catalog& catalog, const fs::path& root) {
  for (const auto& [name, definition] : catalog.merged.definitions)
    write_file(definition_file(root, definition.op_type, name), model::to_json(definition));
  for (const auto& [name, solution] : catalog.merged.solutions) {
    write_file(solution_file(root, solution.author, catalog.op_type_of(solution.definition),
                             solution.definition, name),
               model::to_json(solution));
  }
  for (const auto& [definition, workloads] : catalog.merged.workloads) {
    std::string lines;
    for (const auto& workload : workloads)
      lines += model::to_json(model::Trace{definition, workload, {}, {}, {}}) + "\n";
    write_file(workloads_file(root, catalog.op_type_of(definition), definition), lines);
  }
}

void copy_blob(const BlobSource& source, const fs::path& target, bool link,
               const std::atomic<bool>* interrupted) {
  std::error_code error;
  fs::create_directories(target.parent_path(), error);
  if (error) throw Error("cannot make the folder {}: {}", target.parent_path().string(), error.message());
  if (link) fs::create_hard_link(source.file, target, error);
  if (link && !error) return;
  std::string copied;
  try {
    util::copy_file(source.file, target, interrupted);
    copied = util::sha256_of_file(target, interrupted);
  } catch (const Error&) {
    check_interrupt(interrupted);  // in its own words
    throw;
  }
  if (copied != source.sha256)
    throw Error("{} is not what {} was; is the disk sound?", target.string(), source.file.string());
}

// The lines of a file of all inputs, each once, sorted: those of runs/runs.jsonl begin with the run's id,
// which begins with its time.
std::set<std::string> read_lines(const std::vector<fs::path>& inputs, fs::path (*file_of)(const fs::path&),
                                 MergeCount& count, std::vector<std::string>& unreadable) {
  std::set<std::string> lines;
  for (const auto& input : inputs) {
    const fs::path file = file_of(input);
    if (!is_there(file)) continue;
    if (leads_out(file, input)) {
      unreadable.push_back(fmt::format("{}: it lies outside of the dataset, by a link", file.string()));
      continue;
    }
    const auto text = read_or_note(file, unreadable);
    if (!text) continue;
    for (const Line& line : split_lines(*text)) {
      ++count.read;
      if (!model::json::is_object_text(line.text)) {
        unreadable.push_back(fmt::format("{}:{}: this is no whole JSON object", file.string(), line.number));
      } else if (!lines.emplace(line.text).second) {
        ++count.duplicates;
      }
    }
  }
  count.written = lines.size();
  return lines;
}

void write_lines(const std::set<std::string>& lines, const fs::path& file) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  if (!text.empty()) write_file(file, text);
}

// Names that the inputs gave to different runs: the line that was written last counts, in the output too.
void note_moved_baselines(const std::vector<fs::path>& inputs, const fs::path& output, MergeReport& report) {
  std::vector<Problem> ignored;  // such lines were noted when they were read for the output
  const auto merged = runs_by_name(read_baselines(output, ignored));
  for (const auto& input : inputs) {
    for (const BaselineRun& baseline : read_baselines(input, ignored)) {
      const auto now = merged.find(baseline.name);
      if (now != merged.end() && now->second == baseline.run_id) continue;
      const std::string what = now == merged.end() ? "names no run" : "is run " + now->second;
      report.conflicts.push_back(
          fmt::format("baseline {}: in {} it is run {}; it {} now, which was said later", baseline.name,
                      input.string(), baseline.run_id, what));
    }
  }
}

}  // namespace

MergeReport merge(const std::vector<fs::path>& inputs, const fs::path& output, const MergeOptions& options) {
  check_places(inputs, output);
  MergeReport report;
  report.inputs = inputs;
  report.output = output;
  const Catalog catalog = make_catalog(inputs, options, report);
  const util::NewFolder folder(output, "merging");
  merge_traces(inputs, catalog, options, folder.path(), report);
  const auto runs = read_lines(inputs, runs_file, report.runs, report.unreadable);
  const auto baselines = read_lines(inputs, baselines_file, report.baselines, report.unreadable);
  if (!report.unreadable.empty() && !options.skip_unreadable) throw_unreadable(report.unreadable);
  write_catalog(catalog, folder.path());
  std::map<fs::path, fs::path> copies;  // of a file that is linked to under several names one is enough
  for (const auto& [path, source] : catalog.blobs) {
    check_interrupt(options.interrupted);
    const fs::path target = folder.path() / path;
    const auto [copy, is_first] = copies.emplace(fs::canonical(source.file), target);
    copy_blob(is_first ? source : BlobSource{copy->second, source.place, source.sha256}, target,
              options.link_blobs || !is_first, options.interrupted);
  }
  report.blobs.written = catalog.blobs.size();
  report.blobs.duplicates = report.blobs.read - std::min(report.blobs.read, report.blobs.written);
  write_lines(runs, runs_file(folder.path()));
  write_lines(baselines, baselines_file(folder.path()));
  note_moved_baselines(inputs, folder.path(), report);
  folder.publish();
  return report;
}

}  // namespace fib::dataset
