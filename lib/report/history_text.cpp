#include "report/history_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "present/text.h"
#include "util/shell_word.h"

namespace fib::report {
namespace {

namespace json = model::json;

void write_run(present::Document& document, const DatasetHistory& history, const HistoryRun& run, Seed seed) {
  std::string names;
  for (const auto& name : dataset::names_of_run(history.baselines, run.record.run_id))
    names += ", baseline " + name;
  document.subheading(
      "Run " + run.record.run_id + names,
      fmt::format("{}: {} done, {} passed{}", history.path, present::plural(run.evaluations(), "evaluation"),
                  run.passed(), run.standing ? fmt::format(", {} counted by reports", *run.standing) : ""));
  if (run.has_record) {
    document.table("", record_table(run, seed));
  } else {
    document.paragraph(
        "It has no record in runs/runs.jsonl: it was killed, or it still runs. What follows is known from "
        "its traces.");
  }
  if (run.traces.total == 0) {
    document.paragraph("The dataset has no traces of it.");
    return;
  }
  document.table("Evaluations by definition:", standings_table(run));
  document.notes({"Passed: of the evaluations that were made",
                  "Latency: geometric mean over the evaluations that passed"});
}

std::vector<std::string> notes(const std::vector<DatasetHistory>& histories) {
  std::vector<std::string> lines;
  const bool any = std::any_of(histories.begin(), histories.end(),
                               [](const DatasetHistory& history) { return !history.runs.empty(); });
  if (any) lines.emplace_back("Run: the beginning of its id; fib history RUN shows one with all it says");
  if (any)
    lines.emplace_back(
        "Passed: of the evaluations that were made; In reports: how many of them count there (none where a "
        "later run took their place or the sources have changed); Remarks: what was not as usual");
  for (const DatasetHistory& history : histories) {
    if (history.traces_without_run == 0) continue;
    const bool one = history.traces_without_run == 1;
    lines.push_back(fmt::format("{} of {} {} no run: other programs made {}",
                                present::plural(history.traces_without_run, "trace"), history.path,
                                one ? "names" : "name", one ? "it" : "them"));
  }
  return lines;
}

std::string history_csv(const std::vector<DatasetHistory>& histories, const ConfigDefaults& defaults) {
  const auto placed = [](present::Table table, const std::string& path) {
    return present::with_leading(std::move(table), present::text_column("Dataset", "dataset"),
                                 present::text_cell(path));
  };
  present::Table all = placed(runs_table({}, defaults), "");
  for (const DatasetHistory& history : histories) {
    append(all, placed(runs_table(history, defaults), history.path));
  }
  return present::to_csv(all);
}

std::string history_json(const std::vector<DatasetHistory>& histories, const ConfigDefaults& defaults) {
  std::vector<json::Value> datasets;
  for (const DatasetHistory& history : histories) {
    json::Value object = json::make_object();
    object.add("path", json::make_string(history.path));
    object.add("runs", to_json(runs_table(history, defaults)));
    object.add("traces_without_run",
               json::make_integer(static_cast<std::int64_t>(history.traces_without_run)));
    datasets.push_back(std::move(object));
  }
  return present::json_document("history", std::move(datasets));
}

// The run in each dataset that has it.
using Found = std::vector<std::pair<const DatasetHistory*, const HistoryRun*>>;

Found find_all(const std::vector<DatasetHistory>& histories, const std::string& run_id) {
  Found found;
  for (const DatasetHistory& history : histories) {
    if (const HistoryRun* run = find_run(history, run_id)) found.emplace_back(&history, run);
  }
  return found;
}

std::string run_csv(const Found& found) {
  present::Table all;
  for (const auto& [history, run] : found) {
    append(all, present::with_leading(standings_table(*run), present::text_column("Dataset", "dataset"),
                                      present::text_cell(history->path)));
  }
  return present::to_csv(all);
}

std::string run_json(const Found& found, const ConfigDefaults& defaults, Seed seed) {
  std::vector<json::Value> datasets;
  for (const auto& [history, run] : found) {
    json::Value object = json::make_object();
    object.add("path", json::make_string(history->path));
    const auto baselines = dataset::names_of_run(history->baselines, run->record.run_id);
    object.add("run", to_json(run_table(*run, baselines, defaults)).items.front());
    object.add("record",
               run->has_record ? json::from_tree(public_record(run->record, seed)) : json::make_null());
    object.add("evaluations", to_json(standings_table(*run)));
    datasets.push_back(std::move(object));
  }
  return present::json_document("history_run", std::move(datasets));
}

}  // namespace

std::string render_history(const std::vector<DatasetHistory>& histories, const ConfigDefaults& defaults,
                           present::Format format, const present::TextStyle& style) {
  if (format == present::Format::csv) return history_csv(histories, defaults);
  if (format == present::Format::json) return history_json(histories, defaults);
  present::Document document(format, style);
  for (std::size_t i = 0; i < histories.size(); ++i) {
    const DatasetHistory& history = histories[i];
    if (histories.size() > 1) document.heading(fmt::format("Dataset {}: {}", i + 1, history.path));
    document.table("", runs_table(history, defaults));
    if (history.runs.empty())
      document.paragraph(fmt::format("No runs in {}. To make one: fib run --local {}", history.path,
                                     util::shell_word(history.path)));
  }
  document.notes(notes(histories));
  return document.text();
}

std::string render_baselines(const std::vector<DatasetHistory>& histories, present::Format format,
                             const present::TextStyle& style) {
  present::Document document(format, style);
  std::vector<json::Value> datasets;
  present::Table all = present::with_leading(
      baselines_table({}), present::text_column("Dataset folder", "dataset"), present::text_cell(""));
  for (std::size_t i = 0; i < histories.size(); ++i) {
    const DatasetHistory& history = histories[i];
    const present::Table table = baselines_table(history);
    json::Value object = json::make_object();
    object.add("path", json::make_string(history.path));
    object.add("baselines", to_json(table));
    datasets.push_back(std::move(object));
    append(all, present::with_leading(table, present::text_column("Dataset folder", "dataset"),
                                      present::text_cell(history.path)));
    if (histories.size() > 1) document.heading(fmt::format("Dataset {}: {}", i + 1, history.path));
    document.table("", table);
    if (table.rows.empty())
      document.paragraph(
          fmt::format("No baselines in {}. To name the last run: fib baseline set NAME last --local {}",
                      history.path, util::shell_word(history.path)));
  }
  if (format == present::Format::csv) return present::to_csv(all);
  if (format == present::Format::json) return present::json_document("baselines", std::move(datasets));
  return document.text();
}

std::string render_run(const std::vector<DatasetHistory>& histories, const std::string& run_id,
                       const ConfigDefaults& defaults, Seed seed, present::Format format,
                       const present::TextStyle& style) {
  const Found found = find_all(histories, run_id);
  if (format == present::Format::csv) return run_csv(found);
  if (format == present::Format::json) return run_json(found, defaults, seed);
  present::Document document(format, style);
  for (const auto& [history, run] : found) write_run(document, *history, *run, seed);
  return document.text();
}

}  // namespace fib::report
