#include "dataset/runs.h"

#include <algorithm>

#include "dataset/line_problems.h"
#include "dataset/links.h"
#include "dataset/paths.h"
#include "util/error.h"

namespace fib::dataset {
namespace {

using nlohmann::ordered_json;

// The member `key`; null where there is none.
const ordered_json& member(const ordered_json& object, const char* key) {
  static const ordered_json kNone;
  if (!object.is_object()) return kNone;
  const auto found = object.find(key);
  return found == object.end() ? kNone : *found;
}

std::string text_of(const ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::optional<std::string> text_or_none(const ordered_json& value) {
  return value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt;
}

std::optional<std::size_t> count_of(const ordered_json& value) {
  const bool is_count = value.is_number_unsigned() || (value.is_number_integer() && value >= 0);
  return is_count ? std::optional(value.get<std::size_t>()) : std::nullopt;
}

ordered_json object_of(const ordered_json& value) { return value.is_object() ? value : ordered_json(); }

std::optional<RunCommit> commit_of(const ordered_json& value) {
  if (!value.is_object()) return std::nullopt;
  return RunCommit{text_or_none(member(value, "commit")), text_or_none(member(value, "branch"))};
}

std::map<std::string, std::size_t> counts_of(const ordered_json& value) {
  std::map<std::string, std::size_t> counts;
  if (!value.is_object()) return counts;
  for (const auto& [status, count] : value.items()) {
    if (const auto number = count_of(count)) counts[status] = *number;
  }
  return counts;
}

std::vector<SkippedInRun> skipped_of(const ordered_json& value) {
  std::vector<SkippedInRun> skipped;
  if (!value.is_array()) return skipped;
  for (const auto& one : value) {
    std::string solution = text_of(member(one, "solution"));
    if (solution.empty()) continue;
    skipped.push_back({std::move(solution), text_of(member(one, "reason")),
                       count_of(member(one, "evaluations")).value_or(0)});
  }
  return skipped;
}

// Throws Error for what is no record.
RunRecord record_of(std::string_view line) {
  ordered_json document = model::json::to_tree(model::json::parse(line));
  RunRecord record;
  record.run_id = text_of(member(document, "run_id"));
  if (record.run_id.empty()) throw Error("this is no record of a run: it has no \"run_id\"");
  const auto text = [&](const char* key) { return text_of(member(document, key)); };
  const auto count = [&](const char* key) { return count_of(member(document, key)); };
  record.started_utc = text("started_utc");
  record.ended_utc = text("ended_utc");
  record.hardware = text("hardware");
  record.device = text("device");
  record.host = text_of(member(member(document, "machine"), "host"));
  record.dataset_git = commit_of(member(document, "dataset_git"));
  record.definitions = count("definitions");
  record.solutions = count("solutions");
  record.finished = count("finished");
  record.passed = count("passed");
  record.failed = counts_of(member(document, "failed"));
  record.not_done = count("not_done");
  // The line counts those alone that were tried in vain, not those that an interruption has left.
  const auto planned = count("planned");
  if (record.not_done && planned && record.finished && *planned > *record.finished)
    record.not_done = *planned - *record.finished;
  record.skipped = skipped_of(member(document, "skipped"));
  record.in_vain = skipped_of(member(document, "not_done_reasons"));
  const ordered_json& interrupted = member(document, "interrupted");
  record.interrupted = interrupted.is_boolean() && interrupted.get<bool>();
  record.ended_early = text("ended_early");
  record.config = object_of(member(document, "config"));
  record.sweep = object_of(member(document, "sweep"));
  record.tags = object_of(member(document, "tags"));
  record.document = std::move(document);
  return record;
}

class Reader {
 public:
  Reader(const std::string& file, std::vector<Problem>& problems) : problems_(file, problems) {}

  void read(const Line& line) try {
    RunRecord record = record_of(line.text);
    const auto [known, is_new] = places_.emplace(record.run_id, runs_.size());
    if (is_new) {
      runs_.push_back(std::move(record));
    } else if (runs_[known->second].document != record.document) {
      problems_.add(line, "run " + record.run_id + " has another record above; that is kept",
                    Severity::warning);
    }
  } catch (const Error& error) {
    problems_.add(line, error.what(), Severity::error);
  }

  // A run's id begins with the time at which it began.
  std::vector<RunRecord> finish() {
    problems_.finish();
    std::stable_sort(runs_.begin(), runs_.end(),
                     [](const auto& left, const auto& right) { return left.run_id < right.run_id; });
    return std::move(runs_);
  }

 private:
  LineProblems problems_;
  std::vector<RunRecord> runs_;
  std::map<std::string, std::size_t> places_;  // in runs_, by id
};

}  // namespace

std::vector<RunRecord> read_runs(const fs::path& root, std::vector<Problem>& problems) {
  const fs::path file = runs_file(root);
  const auto text = read_inside(file, root, problems);
  if (!text) return {};
  Reader reader(file.lexically_relative(root).string(), problems);
  for (const Line& line : split_lines(*text)) reader.read(line);
  return reader.finish();
}

}  // namespace fib::dataset
