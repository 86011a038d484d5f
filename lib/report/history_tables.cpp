#include "report/history_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "present/text.h"
#include "report/latency_cell.h"
#include "util/utf8.h"

namespace fib::report {
namespace {

namespace json = model::json;
using nlohmann::ordered_json;

constexpr std::size_t kRemarkColumns = 300;  // of one remark; programs have all of it
constexpr const char* kNoRecord = "no record (killed?)";

present::Cell text_or_none(const std::string& text) {
  return text.empty() ? present::no_cell() : present::text_cell(text);
}

present::Cell count_or_none(const std::optional<std::size_t>& count) {
  return count ? present::count_cell(*count) : present::no_cell();
}

// Only for programs.
present::Cell value_cell(json::Value value) { return {"", std::move(value)}; }

// The beginning of each run's id, enough to name it: up to the seconds at which it began where these tell it
// from all others.
std::map<std::string, std::string> short_ids(const DatasetHistory& history) {
  const auto beginning = [](const HistoryRun& run) {
    return run.record.run_id.substr(0, run.record.run_id.find('.'));
  };
  std::map<std::string, int> uses;
  for (const HistoryRun& run : history.runs) ++uses[beginning(run)];
  std::map<std::string, std::string> ids;
  for (const HistoryRun& run : history.runs) {
    const std::string text = beginning(run);
    ids[run.record.run_id] = uses[text] == 1 ? text : run.record.run_id;
  }
  return ids;
}

// "0.3s", "12s", "3m05s", "2h03m".
std::string duration_text(double seconds) {
  constexpr double kNeedsTenths = 9.95;
  if (seconds < kNeedsTenths) return fmt::format("{:.1f}s", seconds);
  const long whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{}s", whole);
  const long minutes = whole / 60;
  return minutes < 60 ? fmt::format("{}m{:02}s", minutes, whole % 60)
                      : fmt::format("{}h{:02}m", minutes / 60, minutes % 60);
}

// Only for people: "7/8".
present::Cell share_cell(std::size_t part, std::size_t whole) {
  return {fmt::format("{}/{}", part, whole), json::make_null()};
}

std::string scalar_text(const ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// "10,20" of a list.
std::string values_text(const ordered_json& value) {
  if (!value.is_array()) return scalar_text(value);
  std::string text;
  for (const auto& item : value) text += (text.empty() ? "" : ",") + scalar_text(item);
  return text;
}

// "iterations=10,20 n=64" of an object.
std::string assignments(const ordered_json& object) {
  std::string text;
  if (!object.is_object()) return text;
  for (const auto& [key, value] : object.items()) {
    text += (text.empty() ? "" : " ") + key + "=" + values_text(value);
  }
  return text;
}

// "2 TIMEOUT, 1 RUNTIME_ERROR".
std::string statuses_text(const std::map<std::string, std::size_t>& failed) {
  std::string text;
  for (const auto& [status, count] : failed) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, status);
  }
  return text;
}

json::Value statuses_value(const std::map<std::string, std::size_t>& failed) {
  json::Value object = json::make_object();
  for (const auto& [status, count] : failed) {
    object.add(status, json::make_integer(static_cast<std::int64_t>(count)));
  }
  return object;
}

// "1a2b3c4d main".
std::string commit_text(const std::optional<dataset::RunCommit>& git) {
  if (!git) return "";
  const std::string commit = git->commit.value_or("").substr(0, kShortCommit);
  const std::string branch = git->branch.value_or("");
  return commit + (commit.empty() || branch.empty() ? "" : " ") + branch;
}

ordered_json differences_of(const HistoryRun& run, const ConfigDefaults& defaults) {
  const auto& config = run.record.config;
  auto usual = run.record.device == "cuda" ? defaults.cuda : defaults.cpu;
  if (config.is_object() && !config.contains("noise")) usual.update(defaults.calls);
  return config_differences(config, usual);
}

std::string remarks(const HistoryRun& run, const std::vector<std::string>& baselines,
                    const ordered_json& differences) {
  std::vector<std::string> all;
  for (const std::string& name : baselines) all.push_back("baseline " + name);
  if (!run.has_record) all.emplace_back(kNoRecord);
  if (run.record.interrupted) all.emplace_back("interrupted");
  if (!run.record.ended_early.empty()) all.push_back("ended by " + run.record.ended_early);
  if (const auto failed = run.failed_by_status(); !failed.empty()) all.push_back(statuses_text(failed));
  if (run.record.tags.is_object() && !run.record.tags.empty())
    all.push_back("tags " + assignments(run.record.tags));
  if (run.record.sweep.is_object()) all.push_back("sweep " + assignments(run.record.sweep));
  if (!differences.empty()) all.push_back(assignments(differences));
  std::string text;
  for (const std::string& one : all)
    text += (text.empty() ? "" : "; ") + present::shorten(one, kRemarkColumns);
  return text;
}

std::vector<present::Column> run_columns() {
  return {
      present::text_column("Hardware", "hardware"),
      present::Column{"Run (UTC)", "run_id", present::Align::left, present::Fit::whole},
      present::only_for(present::Audience::programs, present::text_column("Started", "started_utc")),
      present::only_for(present::Audience::programs, present::text_column("Ended", "ended_utc")),
      present::spare(present::number_column("Took", "duration_s")),
      present::only_for(present::Audience::programs, present::text_column("Host", "host")),
      present::only_for(present::Audience::people, present::spare(present::text_column("Dataset", ""))),
      present::only_for(present::Audience::programs, present::text_column("Commit", "dataset_commit")),
      present::only_for(present::Audience::programs, present::text_column("Branch", "dataset_branch")),
      present::only_for(present::Audience::programs, present::number_column("Definitions", "definitions")),
      present::only_for(present::Audience::programs, present::number_column("Solutions", "solutions")),
      present::only_for(present::Audience::programs, present::number_column("Done", "evaluations")),
      present::only_for(present::Audience::programs, present::number_column("Passed", "passed")),
      present::only_for(present::Audience::people, present::number_column("Passed", "")),
      present::number_column("Failed", "failed"),
      present::only_for(present::Audience::programs, present::text_column("Statuses", "failed_by_status")),
      present::number_column("No result", "not_done"),
      present::number_column("In reports", "standing"),
      present::only_for(present::Audience::programs, present::text_column("Interrupted", "interrupted")),
      present::only_for(present::Audience::programs, present::text_column("Record", "record")),
      present::only_for(present::Audience::programs, present::text_column("Sweep", "sweep")),
      present::only_for(present::Audience::programs, present::text_column("Config", "config_differences")),
      present::only_for(present::Audience::programs, present::text_column("Tags", "tags")),
      present::only_for(present::Audience::programs, present::text_column("Baselines", "baselines")),
      present::only_for(present::Audience::people, present::text_column("Remarks", ""))};
}

json::Value texts_value(const std::vector<std::string>& texts) {
  json::Value array = json::make_array();
  for (const std::string& text : texts) array.items.push_back(json::make_string(text));
  return array;
}

std::vector<present::Cell> run_row(const HistoryRun& run, const std::string& short_id,
                                   const std::vector<std::string>& baselines,
                                   const ConfigDefaults& defaults) {
  const dataset::RunRecord& record = run.record;
  const ordered_json differences = differences_of(run, defaults);
  const auto duration = run.duration_s();
  const auto git = record.dataset_git.value_or(dataset::RunCommit{});
  const std::size_t failed = run.evaluations() - std::min(run.evaluations(), run.passed());
  return {record.hardware.empty() ? present::Cell{"unknown hardware", json::make_null()}
                                  : present::text_cell(record.hardware),
          {short_id, json::make_string(record.run_id)},
          text_or_none(record.started_utc),
          text_or_none(record.ended_utc),
          duration ? present::number_cell(*duration, duration_text(*duration)) : present::no_cell(),
          text_or_none(record.host),
          text_or_none(commit_text(record.dataset_git)),
          present::optional_text(git.commit),
          present::optional_text(git.branch),
          count_or_none(run.definitions()),
          count_or_none(run.solutions()),
          present::count_cell(run.evaluations()),
          present::count_cell(run.passed()),
          share_cell(run.passed(), run.evaluations()),
          present::count_cell(failed),
          value_cell(statuses_value(run.failed_by_status())),
          count_or_none(record.not_done),
          count_or_none(run.standing),
          value_cell(json::make_boolean(record.interrupted)),
          value_cell(json::make_boolean(run.has_record)),
          value_cell(json::from_tree(record.sweep)),
          value_cell(json::from_tree(differences)),
          value_cell(json::from_tree(record.tags)),
          value_cell(texts_value(baselines)),
          present::text_cell(remarks(run, baselines, differences))};
}

bool is_list_of_scalars(const ordered_json& value) {
  return value.is_array() &&
         std::none_of(value.begin(), value.end(), [](const auto& item) { return item.is_structured(); });
}

// The name of what lies in `name`. Whoever wrote the record chose the keys, and each value has the whole
// path.
std::string deeper(const std::string& name, const std::string& key) {
  constexpr std::size_t kLongest = 200;
  const std::string path = name.empty() ? key : fmt::format("{}.{}", name, key);
  return path.size() <= kLongest ? path : fmt::format("{}…", util::beginning_of(path, kLongest));
}

// One row for each value, "config.rtol" for one that lies deeper.
void flatten(const std::string& name, const ordered_json& value, present::Table& table) {
  if (is_list_of_scalars(value)) {
    std::string text;
    for (const auto& item : value) text += (text.empty() ? "" : " ") + scalar_text(item);
    table.rows.push_back({present::text_cell(name), text_or_none(text)});
  } else if (value.is_structured()) {
    for (const auto& [key, item] : value.items()) flatten(deeper(name, key), item, table);
  } else {
    table.rows.push_back({present::text_cell(name),
                          value.is_null() ? present::no_cell() : present::text_cell(scalar_text(value))});
  }
}

}  // namespace

present::Table runs_table(const DatasetHistory& history, const ConfigDefaults& defaults) {
  present::Table table{run_columns(), {}, true};
  const auto ids = short_ids(history);
  auto names = dataset::names_by_run(history.baselines);
  for (const HistoryRun& run : history.runs)
    table.rows.push_back(run_row(run, ids.at(run.record.run_id), names[run.record.run_id], defaults));
  return table;
}

present::Table run_table(const HistoryRun& run, const std::vector<std::string>& baselines,
                         const ConfigDefaults& defaults) {
  return {run_columns(), {run_row(run, run.record.run_id, baselines, defaults)}};
}

present::Table baselines_table(const DatasetHistory& history) {
  present::Table table;
  table.columns = {
      present::Column{"Baseline", "name", present::Align::left, present::Fit::whole},
      present::Column{"Run (UTC)", "run_id", present::Align::left, present::Fit::whole},
      present::text_column("Hardware", "hardware"),
      present::text_column("Dataset", "dataset_commit"),
      present::only_for(present::Audience::people, present::number_column("Passed", "")),
      present::only_for(present::Audience::programs, present::number_column("Done", "evaluations")),
      present::only_for(present::Audience::programs, present::number_column("Passed", "passed")),
      present::text_column("Set (UTC)", "set_utc")};
  std::map<std::string_view, const HistoryRun*> runs;
  for (const HistoryRun& run : history.runs) runs.emplace(run.record.run_id, &run);
  for (const dataset::BaselineRun& baseline : history.baselines) {
    const auto found = runs.find(baseline.run_id);
    const HistoryRun* run = found == runs.end() ? nullptr : found->second;
    const auto of_run = [&](const auto& cell) { return run == nullptr ? present::no_cell() : cell(*run); };
    table.rows.push_back(
        {present::text_cell(baseline.name), present::text_cell(baseline.run_id),
         of_run([](const HistoryRun& it) { return text_or_none(it.record.hardware); }),
         of_run([](const HistoryRun& it) {
           const auto git = it.record.dataset_git.value_or(dataset::RunCommit{});
           return present::Cell{commit_text(it.record.dataset_git),
                                git.commit ? json::make_string(*git.commit) : json::make_null()};
         }),
         of_run([](const HistoryRun& it) { return share_cell(it.passed(), it.evaluations()); }),
         of_run([](const HistoryRun& it) { return present::count_cell(it.evaluations()); }),
         of_run([](const HistoryRun& it) { return present::count_cell(it.passed()); }),
         text_or_none(baseline.set_utc)});
  }
  return table;
}

present::Table standings_table(const HistoryRun& run) {
  present::Table table;
  table.grouped = true;
  table.columns = {
      present::text_column("Definition", "definition"),
      present::name_column("Solution", "solution"),
      present::text_column("Sweep", "sweep"),
      present::only_for(present::Audience::programs, present::number_column("Done", "evaluations")),
      present::only_for(present::Audience::programs, present::number_column("Passed", "passed")),
      present::only_for(present::Audience::people, present::number_column("Passed", "")),
      present::number_column("Latency (ms)", "latency_ms"),
      present::Column{"Failed", "failed_by_status", present::Align::left, present::Fit::text}};
  const bool swept = std::any_of(run.traces.standings.begin(), run.traces.standings.end(),
                                 [](const auto& entry) { return !entry.second.sweep.is_null(); });
  if (!swept) table.columns[2] = present::only_for(present::Audience::programs, table.columns[2]);
  for (const auto& [key, standing] : run.traces.standings) {
    table.rows.push_back({present::text_cell(standing.definition),
                          text_or_none(standing.solution),
                          {assignments(standing.sweep), json::from_tree(standing.sweep)},
                          present::count_cell(standing.evaluations),
                          present::count_cell(standing.passed),
                          share_cell(standing.passed, standing.evaluations),
                          latency_cell(standing.latency_ms(), standing.passed == standing.evaluations),
                          {statuses_text(standing.failed), statuses_value(standing.failed)}});
  }
  return table;
}

ordered_json public_record(const dataset::RunRecord& record, Seed seed) {
  ordered_json document = record.document;
  if (seed == Seed::hidden && document.is_object()) document.erase("seed");
  return document;
}

present::Table record_table(const HistoryRun& run, Seed seed) {
  present::Table table;
  table.columns = {present::Column{"Key", "key", present::Align::left, present::Fit::whole},
                   present::text_column("Value", "value")};
  flatten("", public_record(run.record, seed), table);
  return table;
}

}  // namespace fib::report
