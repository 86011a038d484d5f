#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "present/text.h"
#include "util/some_of.h"
#include "visual/charts.h"
#include "visual/html.h"
#include "visual/page_parts.h"

namespace fib::visual {
namespace {

std::string sweep_figures(const Scene& scene) {
  const report::DatasetHistory& history = scene.history;
  std::string text;
  for (const report::HistoryRun& run : history.runs) {
    for (const std::string& definition : swept_definitions(run)) {
      text += figure(coloured(sweep_chart(run, definition), scene.colours.at(definition)),
                     fmt::format("{}: latency over what run {} swept", definition, run.record.run_id));
    }
  }
  return text;
}

// The series with a point that is marked as slower.
std::vector<std::string> flagged_in(const chart::LineChart& chart) {
  std::vector<std::string> names;
  for (const chart::Series& series : chart.series) {
    const auto is_flagged = [](const chart::Point& point) { return point.flagged; };
    if (std::any_of(series.points.begin(), series.points.end(), is_flagged)) names.push_back(series.name);
  }
  return names;
}

std::string history_figure(const Scene& scene, const HistorySubject& subject,
                           const std::vector<SubjectRun>& runs,
                           const std::map<std::string, RunLabel>& labels) {
  const std::string title = fmt::format("{} on {}", subject.definition, subject.hardware);
  const chart::LineChart chart =
      coloured(history_chart(subject, runs, labels), scene.colours.at(subject.definition));
  if (!any_point(chart, [](const chart::Point& point) { return point.y.has_value(); }))
    return text_tag("p", fmt::format("{}: nothing passed in any of {} runs.", title, runs.size())) + "\n";
  std::string caption = title;
  if (any_point(chart, [](const chart::Point& point) { return point.flagged; }))
    caption += "; ▲ slower than the run before: " + util::some_of(flagged_in(chart));
  if (any_point(chart, [](const chart::Point& point) { return point.changed; }))
    caption += "; ringed: its source or options changed";
  if (any_point(chart, [](const chart::Point& point) { return point.failed; }))
    caption += "; ✗ something failed";
  std::set<std::string> solutions;
  for (const auto& [run, standings] : runs) {
    for (const report::RunStanding* standing : standings) solutions.insert(standing->solution);
  }
  const std::string few = few_solutions_text(chart, solutions.size());
  if (!few.empty()) caption += "; " + few;
  return figure(chart, caption);
}

std::string text_of(const nlohmann::ordered_json& value) {
  if (value.is_null()) return "-";
  if (!value.is_array()) return value.is_string() ? value.get<std::string>() : value.dump();
  std::string list;
  for (const auto& item : value) list += (list.empty() ? "" : ", ") + text_of(item);
  return list;
}

const nlohmann::ordered_json* member(const nlohmann::ordered_json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

// What a run's record tells of its machine: each fact, flattened, with the runs that share it.
present::Table facts_of(const nlohmann::ordered_json& document) {
  present::Table table{{present::text_column("What", ""), present::text_column("Value", "")}, {}};
  const auto add = [&](const std::string& name, const nlohmann::ordered_json& value) {
    constexpr std::string_view kBytes = "_bytes";
    const bool is_size = name.ends_with(kBytes) && value.is_number();
    table.rows.push_back({present::text_cell(is_size ? name.substr(0, name.size() - kBytes.size()) : name),
                          present::text_cell(is_size ? fmt::format("{:.1f} GiB", value.get<double>() / 0x1p30)
                                                     : text_of(value))});
  };
  for (const char* key :
       {"version", "hardware", "device", "devices", "compilers", "machine", "cuda", "python", "load"}) {
    const auto* value = member(document, key);
    if (value == nullptr) continue;
    if (!value->is_object()) add(key, *value);
    if (value->is_object()) {
      for (const auto& [name, part] : value->items()) add(std::string(key) + " " + name, part);
    }
  }
  return table;
}

// The libraries that the latest trace on the hardware names, as JSON text; null: none names any.
const std::string* latest_libs(const Scene& scene, const std::string& hardware) {
  const report::Detail* latest = nullptr;
  for (const report::Detail& detail : scene.details) {
    if (detail.libs == nullptr || *detail.row.evaluation->hardware != hardware) continue;
    if (latest == nullptr || detail.row.evaluation->timestamp >= latest->row.evaluation->timestamp)
      latest = &detail;
  }
  return latest == nullptr ? nullptr : latest->libs;
}

present::Table libs_of(const std::string& libs) {
  present::Table table{{present::text_column("What", ""), present::text_column("Value", "")}, {}};
  const auto names = nlohmann::ordered_json::parse(libs);
  for (const auto& [name, version] : names.items())
    table.rows.push_back({present::text_cell(name), present::text_cell(text_of(version))});
  return table;
}

void erase_column(present::Table& table, const std::string& name) {
  const auto is_it = [&](const present::Column& column) { return column.name == name; };
  const auto found = std::find_if(table.columns.begin(), table.columns.end(), is_it);
  if (found == table.columns.end()) return;
  const auto place = found - table.columns.begin();
  table.columns.erase(found);
  for (auto& row : table.rows) row.erase(row.begin() + place);
}

// The runs, first of each what the page calls it, which has the dataset's commit in it.
std::string named_runs(const report::DatasetHistory& history, const std::map<std::string, RunLabel>& labels,
                       const report::ConfigDefaults& defaults) {
  present::Table table = report::runs_table(history, defaults);
  std::set<std::string> hardware;
  for (const auto& run : history.runs) hardware.insert(run.record.hardware);
  for (present::Column& column : table.columns) {
    if (column.key == "run_id") column.name = "Id";
  }
  erase_column(table, "Dataset");
  if (hardware.size() == 1) erase_column(table, "Hardware");
  table.columns.insert(table.columns.begin(), present::text_column("Run", ""));
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const std::string name = labels.at(history.runs[i].record.run_id).whole();
    table.rows[i].insert(table.rows[i].begin(), present::text_cell(name));
  }
  const std::string where = hardware.size() == 1 ? " on " + *hardware.begin() : "";
  return html_table(table, "Runs" + where + ", times in UTC", OnPhones::cards);
}

}  // namespace

std::string history_section(const Scene& scene, const report::ConfigDefaults& defaults) {
  const report::DatasetHistory& history = scene.history;
  if (history.runs.empty()) return "";
  const auto labels = run_labels(history);
  std::string text = "<h2>History</h2>\n" + named_runs(history, labels, defaults);
  std::string figures;
  for (const auto& [subject, runs] : subjects_of(history)) {
    if (runs.size() < 2) continue;  // one point is no line
    figures += history_figure(scene, subject, runs, labels);
  }
  if (!figures.empty())
    text += tag("p", {{"class", "legend"}},
                "Latency over runs: the geometric mean over a solution's workloads, with the band of its 95% "
                "interval where one is known.") +
            "\n";
  text += "<div class=figures>\n" + figures + sweep_figures(scene) + "</div>\n";
  return tag("section", {{"id", "history"}}, text) + "\n";
}

std::string environment_section(const Scene& scene) {
  // The latest record of each hardware.
  std::map<std::string, const report::HistoryRun*> latest;
  for (const report::HistoryRun& run : scene.history.runs) {
    if (run.has_record) latest[run.record.hardware] = &run;
  }
  const auto labels = run_labels(scene.history);
  std::string text;
  for (const auto& [hardware, run] : latest)
    text += html_table(facts_of(run->record.document),
                       "Run " + labels.at(run->record.run_id).whole() + " on " + hardware);
  // Other tools keep no records of runs; their traces name libraries.
  for (const HardwareScene& hardware : scene.hardware) {
    const std::string* libs = latest.contains(hardware.name) ? nullptr : latest_libs(scene, hardware.name);
    if (libs != nullptr)
      text += html_table(libs_of(*libs), "What the latest trace on " + hardware.name + " names");
  }
  return text.empty() ? "" : tag("section", {{"id", "environment"}}, "<h2>Environment</h2>\n" + text) + "\n";
}

}  // namespace fib::visual
