#include "report/compare_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "present/text.h"
#include "report/compare_ci.h"
#include "report/workload_text.h"

namespace fib::report {
namespace {

namespace json = model::json;

present::Cell status_cell(const Detail& detail) {
  return present::text_cell(std::string(model::name_of(detail.status())));
}

// What stands in the place of a latency where there is none.
present::Cell result_cell(const Detail& detail, const std::optional<double>& ms) {
  if (ms) return present::optional_number(ms, present::format_ms);
  return {std::string(model::name_of(detail.status())), json::make_null()};
}

present::Tone tone_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::broken:
    case Verdict::slower:
    case Verdict::failed:
      return present::Tone::bad;
    case Verdict::faster:
    case Verdict::fixed:
      return present::Tone::good;
    case Verdict::ambiguous:
      return present::Tone::doubtful;
    case Verdict::same:
      break;
  }
  return present::Tone::plain;
}

// Whether the heading says which solution each result is of: a table need not say it again.
bool heading_names_solutions(const CompareReport& report) {
  return std::all_of(report.pairs.begin(), report.pairs.end(), [&](const Comparison& pair) {
    return report.label_a == "solution " + *pair.a->row.solution &&
           report.label_b == "solution " + *pair.b->row.solution;
  });
}

std::vector<present::Column> columns(const CompareReport& report) {
  const bool two = report.pair_by == PairBy::workload;
  const bool named = !heading_names_solutions(report);
  std::vector<present::Column> columns = {
      present::text_column("Definition", "definition"),
      present::only_for(present::Audience::programs, present::text_column("Hardware", "hardware")),
      present::name_column(two ? "A's solution" : "Solution", "solution_a")};
  if (!named) columns.back() = present::only_for(present::Audience::programs, columns.back());
  present::Column other = present::name_column("B's solution", "solution_b");
  // The notes tell of no other.
  const bool has_drift = std::any_of(report.drifts.begin(), report.drifts.end(),
                                     [](const auto& drift) { return drift.second.is_beyond(0); });
  const present::Column less_drift =
      present::spare(present::number_column("Less drift", "change_less_drift"), 2);
  const present::Column remark = present::spare(present::text_column("Remark", "remark"));
  const bool has_remarks = std::any_of(report.pairs.begin(), report.pairs.end(),
                                       [](const Comparison& pair) { return !pair.remark.empty(); });
  columns.push_back(two && named ? other : present::only_for(present::Audience::programs, other));
  for (present::Column& column : std::vector<present::Column>{
           {"Workload", "workload", present::Align::left, present::Fit::text},
           present::number_column("A (ms)", "latency_a_ms"),
           present::number_column("B (ms)", "latency_b_ms"),
           present::only_for(present::Audience::programs, present::text_column("A", "status_a")),
           present::only_for(present::Audience::programs, present::text_column("B", "status_b")),
           present::number_column("Change", "change"),
           has_drift ? less_drift : present::only_for(present::Audience::programs, less_drift),
           present::spare(present::number_column("Noise", "noise")),
           {"Verdict", "verdict", present::Align::left, present::Fit::whole},
           present::only_for(present::Audience::programs, present::text_column("Source", "sources")),
           has_remarks ? remark : present::only_for(present::Audience::programs, remark),
       })
    columns.push_back(std::move(column));
  return columns;
}

bool has_other_source(const Comparison& pair) { return pair.sources == Sources::changed; }

// A star says what the remark says too, for which there may be no room.
present::Cell verdict_cell(const Comparison& pair) {
  present::Cell cell = present::text_cell(std::string(name_of(pair.verdict)));
  if (has_other_source(pair)) cell.text += "*";
  cell.tone = tone_of(pair.verdict);
  return cell;
}

present::Cell sources_cell(Sources sources) {
  return sources == Sources::unknown ? present::no_cell() : present::text_cell(std::string(name_of(sources)));
}

std::vector<present::Cell> row(const Comparison& pair, bool show_hardware) {
  const auto& a = pair.a->row;
  const std::string& hardware = *a.evaluation->hardware;
  const std::string title = *a.definition + (show_hardware ? " on " + hardware : "");
  return {{title, json::make_string(*a.definition)},
          present::text_cell(hardware),
          present::text_cell(*a.solution),
          present::text_cell(*pair.b->row.solution),
          {workload_text(*a.workload), json::make_string(a.workload->uuid)},
          result_cell(*pair.a, pair.latency_a_ms),
          result_cell(*pair.b, pair.latency_b_ms),
          status_cell(*pair.a),
          status_cell(*pair.b),
          pair.change ? present::number_cell(*pair.change, format_change(*pair.change)) : present::no_cell(),
          present::optional_number(pair.change_less_drift, format_change),
          pair.noise ? present::number_cell(*pair.noise, fmt::format("{:.1f}%", 100 * *pair.noise))
                     : present::no_cell(),
          verdict_cell(pair),
          sources_cell(pair.sources),
          {pair.remark, pair.remark.empty() ? json::make_null() : json::make_string(pair.remark)}};
}

std::set<std::string> hardware_of(const CompareReport& report) {
  std::set<std::string> names;
  for (const Comparison& pair : report.pairs) names.insert(*pair.a->row.evaluation->hardware);
  return names;
}

present::Table table_of(const CompareReport& report, const CompareStyle& style) {
  present::Table table{columns(report), {}, true};
  const bool several = hardware_of(report).size() > 1;
  for (const Comparison& pair : report.pairs) {
    if (style.only.empty() || style.only.contains(pair.verdict)) table.rows.push_back(row(pair, several));
  }
  return table;
}

std::string words(const std::set<Verdict>& verdicts) {
  std::string text;
  for (const Verdict verdict : verdicts) text += (text.empty() ? "" : " or ") + std::string(name_of(verdict));
  return text;
}

std::vector<std::string> notes_of(const CompareReport& report, const CompareStyle& style) {
  std::vector<std::string> notes;
  std::size_t unknown = 0;
  for (const Comparison& pair : report.pairs) unknown += pair.change && !pair.noise ? 1 : 0;
  if (unknown > 0) {
    notes.push_back(
        fmt::format("{} without a record of the spread: what differs there is ambiguous, whatever the size",
                    present::plural(unknown, "result")));
  }
  for (const std::string& caution : side_cautions(report)) notes.push_back(caution);
  if (report.other_work > 0) notes.push_back(other_work_text(report.other_work));
  if (!report.only_a.empty()) notes.push_back(alone_text("A", report.only_a));
  if (!report.only_b.empty()) notes.push_back(alone_text("B", report.only_b));
  if (const std::size_t count = report.only_b_in_other_runs; count > 0)
    notes.push_back(fmt::format(
        "{} of the results only in B {} others in runs that are not A: fib history names these runs", count,
        count == 1 ? "has" : "have"));
  if (std::any_of(report.pairs.begin(), report.pairs.end(), has_other_source))
    notes.emplace_back("*: of another source, or other options, in B than in A");
  const auto of_machines = machine_notes(report, 0);
  notes.insert(notes.end(), of_machines.begin(), of_machines.end());
  if (style.with_cautions) {
    for (const std::string& caution : pair_cautions(report)) notes.push_back(caution);
  }
  if (!report.pairs.empty()) {
    notes.emplace_back(
        "Change: B's latency against A's, negative is faster; noise: what equal runs may differ by "
        "(docs/reports.md)");
    notes.emplace_back(
        "Same: within 1%, or within both the noise and 10%; ambiguous: beyond that, but within the noise or "
        "with "
        "overlapping quartiles");
  }
  return notes;
}

std::string page(const CompareReport& report, const std::optional<CompareGate>& gate, present::Format format,
                 const CompareStyle& style) {
  present::Document document(format, style.text);
  document.subheading(fmt::format("A: {}   B: {}", report.label_a, report.label_b), totals_text(report));
  const std::set<std::string> hardware = hardware_of(report);
  if (hardware.size() == 1) document.paragraph("Hardware: " + *hardware.begin());
  const present::Table table = table_of(report, style);
  document.table("", table);
  if (table.rows.empty() && !report.pairs.empty())
    document.paragraph(fmt::format("No result is {}.", words(style.only)));
  if (report.pairs.empty()) {
    document.paragraph(
        "No result of A has a counterpart in B: hardware, definition, workload and the point of an option "
        "sweep must be equal, and the solution unless --pair-by workload says otherwise.");
  }
  document.notes(notes_of(report, style));
  if (gate) document.paragraph(gate_text(report, *gate));
  return document.text();
}

json::Value alone_json(const std::vector<const Detail*>& results) {
  json::Value list = json::make_array();
  for (const Detail* detail : results) {
    json::Value one = json::make_object();
    one.add("hardware", json::make_string(*detail->row.evaluation->hardware));
    one.add("definition", json::make_string(*detail->row.definition));
    one.add("solution", json::make_string(*detail->row.solution));
    one.add("workload", json::make_string(detail->row.workload->uuid));
    one.add("status", json::make_string(std::string(model::name_of(detail->status()))));
    list.items.push_back(std::move(one));
  }
  return list;
}

json::Value count_json(std::size_t count) { return json::make_integer(static_cast<std::int64_t>(count)); }

json::Value totals_json(const CompareReport& report) {
  json::Value totals = json::make_object();
  totals.add("results", count_json(report.pairs.size()));
  for (const Verdict verdict : kVerdicts)
    totals.add(std::string(name_of(verdict)), count_json(report.count(verdict)));
  const auto mean = report.mean_speedup();
  totals.add("mean_speedup", mean ? json::make_number(*mean) : json::make_null());
  return totals;
}

json::Value drifts_json(const CompareReport& report) {
  json::Value list = json::make_array();
  for (const auto& [hardware, drift] : report.drifts) {
    json::Value one = json::make_object();
    one.add("hardware", json::make_string(hardware));
    one.add("ratio", json::make_number(drift.ratio));
    one.add("scatter", json::make_number(drift.scatter));
    one.add("pairs", count_json(drift.pairs));
    list.items.push_back(std::move(one));
  }
  return list;
}

std::string to_json(const CompareReport& report, const std::optional<CompareGate>& gate,
                    const CompareStyle& style) {
  json::Value document = json::make_object();
  document.add("schema_version", json::make_integer(1));
  document.add("report", json::make_string("compare"));
  document.add("a", json::make_string(report.label_a));
  document.add("b", json::make_string(report.label_b));
  document.add("pair_by", json::make_string(report.pair_by == PairBy::solution ? "solution" : "workload"));
  document.add("totals", totals_json(report));
  document.add("drift", drifts_json(report));
  document.add("drift_corrected", json::make_boolean(report.correct_drift == CorrectDrift::yes));
  json::Value cautions = json::make_array();
  for (const auto& some : {side_cautions(report), pair_cautions(report)}) {
    for (const std::string& caution : some) cautions.items.push_back(json::make_string(caution));
  }
  document.add("cautions", std::move(cautions));
  document.add("results", present::to_json(table_of(report, style)));
  document.add("other_work", count_json(report.other_work));
  document.add("only_a", alone_json(report.only_a));
  document.add("only_b", alone_json(report.only_b));
  json::Value found = json::make_null();
  if (gate) {
    found = json::make_object();
    found.add("limit", json::make_number(gate->limit));
    found.add("regressions", count_json(report.regressions(gate->limit).size()));
    found.add("doubtful", count_json(report.doubtful(gate->limit).size()));
    found.add("missing", count_json(report.missing()));
    found.add("nothing_passed", json::make_boolean(report.nothing_compared()));
    json::Value reasons = json::make_array();
    for (const std::string& problem : why_gate_cannot_hold(report, *gate))
      reasons.items.push_back(json::make_string(problem));
    found.add("cannot_hold", std::move(reasons));
  }
  document.add("gate", std::move(found));
  return json::dump(document, json::Form::indented, json::NonFinite::strings) + "\n";
}

}  // namespace

std::string render_compare(const CompareReport& report, const std::optional<CompareGate>& gate,
                           CompareFormat format, const CompareStyle& style) {
  switch (format) {
    case CompareFormat::json:
      return to_json(report, gate, style);
    case CompareFormat::csv:
      return present::to_csv(table_of(report, style));
    case CompareFormat::github:
      return to_github(report, gate);
    case CompareFormat::junit:
      return to_junit(report, gate);
    case CompareFormat::md:
      return page(report, gate, present::Format::md, style);
    case CompareFormat::table:
      break;
  }
  return page(report, gate, present::Format::table, style);
}

}  // namespace fib::report
