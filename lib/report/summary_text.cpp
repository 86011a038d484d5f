#include "report/summary_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/text.h"

namespace fib::report {
namespace {

namespace json = model::json;

std::string name_of(Against against) { return against == Against::baseline ? "baseline" : "reference"; }

Cell author_cell(const std::optional<std::string>& author) { return author ? text_cell(*author) : no_cell(); }

Cell best_solutions_cell(const dataset::Score& score) {
  json::Value object = json::make_object();
  if (score.best_solutions) {
    for (const auto& [definition, solution] : *score.best_solutions) {
      object.add(definition, json::make_string(solution));
    }
  }
  return {"", std::move(object)};
}

Table authors_table(const AuthorRanking& ranking) {
  Table table;
  table.columns = {number_column("Rank", "rank"),
                   text_column("Author", "author"),
                   number_column("Avg Speedup", "avg_speedup"),
                   number_column("Success Rate", "success_rate"),
                   number_column("Win Rate", "win_rate"),
                   number_column("Workloads", "workloads"),
                   number_column("Definitions", "definitions"),
                   only_for(Audience::programs, text_column("Best Solutions", "best_solutions"))};
  for (const auto& [author, score] : ranking.rows) {
    table.rows.push_back({count_cell(table.rows.size() + 1), text_cell(author),
                          number_cell(score.avg_speedup, format_score(score.avg_speedup)),
                          number_cell(score.success_rate, format_share(score.success_rate)),
                          number_cell(score.win_rate, format_share(score.win_rate)),
                          count_cell(static_cast<std::size_t>(score.workloads)),
                          count_cell(static_cast<std::size_t>(score.definitions)),
                          best_solutions_cell(score)});
  }
  return table;
}

std::vector<Cell> standing_row(const Leaderboard& board, const std::string& title, std::size_t rank,
                               const Standing& standing) {
  const Cell speedup =
      standing.speedup ? number_cell(*standing.speedup, format_score(*standing.speedup)) : no_cell();
  const Cell latency =
      standing.latency_ms ? number_cell(*standing.latency_ms, format_ms(*standing.latency_ms)) : no_cell();
  return {{title, json::make_string(board.definition)},
          count_cell(rank),
          text_cell(standing.solution),
          author_cell(standing.author),
          speedup,
          text_cell(name_of(board.against)),
          latency,
          {fmt::format("{}/{}", standing.passed, standing.workloads), json::make_null()},
          count_cell(standing.passed),
          count_cell(standing.workloads)};
}

// The yardstick stands beside a definition where it is another than that of the authors.
Table solutions_table(const HardwareSummary& summary) {
  Table table;
  table.grouped = true;
  table.columns = {text_column("Definition", "definition"),
                   number_column("Rank", "rank"),
                   text_column("Solution", "solution"),
                   text_column("Author", "author"),
                   number_column("Speedup", "speedup"),
                   only_for(Audience::programs, text_column("Against", "against")),
                   number_column("Latency (ms)", "latency_ms"),
                   only_for(Audience::people, number_column("Passed", "")),
                   only_for(Audience::programs, number_column("Passed", "passed")),
                   only_for(Audience::programs, number_column("Workloads", "workloads"))};
  for (const Leaderboard& board : summary.leaderboards) {
    const std::string suffix = board.against == summary.authors.against
                                   ? ""
                                   : fmt::format(" (against the {})", name_of(board.against));
    for (std::size_t i = 0; i < board.standings.size(); ++i) {
      table.rows.push_back(standing_row(board, board.definition + suffix, i + 1, board.standings[i]));
    }
  }
  return table;
}

std::string counts_text(const Counts& counts) {
  std::string text =
      fmt::format("Traces: {} total, {} passed, {} failed", counts.total, counts.passed, counts.failed());
  std::string statuses;
  for (const auto& [status, count] : counts.by_status) {
    if (status == "PASSED") continue;
    statuses += fmt::format("{}{} {}", statuses.empty() ? "" : ", ", count, status);
  }
  return statuses.empty() ? text : text + " (" + statuses + ")";
}

void write_authors(Document& document, const HardwareSummary& summary) {
  const AuthorRanking& ranking = summary.authors;
  if (!ranking.reason.empty()) document.paragraph(explain(ranking));
  if (ranking.against == Against::reference && summary.untimed > 0) {
    const bool one = summary.untimed == 1;
    document.paragraph(fmt::format("{} {} left out: no speedup against the reference can be told from {}.",
                                   plural(summary.untimed, "PASSED trace"), one ? "is" : "are",
                                   one ? "it" : "them"));
  }
  if (summary.unknown > 0) {
    document.paragraph(
        fmt::format("{} {} of solutions that are not in the dataset: they have no author to rank.",
                    plural(summary.unknown, "trace"), summary.unknown == 1 ? "is" : "are"));
  }
  if (!ranking.rows.empty()) {
    document.table(fmt::format("Author ranking (speedup against the {}):", name_of(ranking.against)),
                   authors_table(ranking));
  } else if (ranking.against == Against::baseline) {
    document.paragraph("No author ranking: nobody has a workload in common with the baseline.");
  } else {
    document.paragraph("No author ranking: no solution of the dataset has a trace with a timed reference.");
  }
}

void write_hardware(Document& document, const HardwareSummary& summary, SummaryPart part) {
  document.subheading("Hardware: " + summary.hardware, counts_text(summary.counts));
  if (part != SummaryPart::solutions) write_authors(document, summary);
  if (part != SummaryPart::authors) {
    document.table(
        fmt::format("Solutions by definition (speedup against the {}):", name_of(summary.authors.against)),
        solutions_table(summary));
  }
}

void write_dataset(Document& document, const DatasetSummary& summary, SummaryPart part) {
  if (summary.counts.total == 0) {
    document.paragraph(fmt::format("No traces{} in {}. To get some: fib run --local {}",
                                   summary.filtered ? " that match" : "", summary.path, summary.path));
    return;
  }
  if (summary.hardware.size() != 1) document.paragraph(counts_text(summary.counts));
  for (const HardwareSummary& hardware : summary.hardware) write_hardware(document, hardware, part);
}

std::vector<std::string> footnotes(const std::vector<DatasetSummary>& datasets, SummaryPart part) {
  bool ranked = false;
  bool baseline = false;
  bool reference = false;
  bool solutions = false;
  for (const DatasetSummary& dataset : datasets) {
    for (const HardwareSummary& hardware : dataset.hardware) {
      ranked = ranked || !hardware.authors.rows.empty();
      solutions = solutions || !hardware.leaderboards.empty();
      (hardware.authors.against == Against::baseline ? baseline : reference) = true;
    }
  }
  const std::string other = !reference ? "baseline" : !baseline ? "reference" : "baseline or reference";
  std::vector<std::string> notes;
  if (ranked && part != SummaryPart::solutions) {
    notes.push_back(fmt::format("Avg Speedup: mean of {} latency / author's latency", other));
    notes.push_back("Success Rate: share of definitions whose best solution passed everything");
    notes.push_back(fmt::format("Win Rate: share of workloads on which the author beats the {}", other));
  }
  if (solutions && part != SummaryPart::authors) {
    notes.push_back("Speedup: mean over workloads; 0 when anything failed");
    notes.push_back("Latency: geometric mean over the workloads that passed");
  }
  return notes;
}

json::Value to_json(const Counts& counts) {
  const auto number = [](std::size_t count) { return json::make_integer(static_cast<std::int64_t>(count)); };
  json::Value object = json::make_object();
  object.add("total", number(counts.total));
  object.add("passed", number(counts.passed));
  object.add("failed", number(counts.failed()));
  json::Value statuses = json::make_object();
  for (const auto& [status, count] : counts.by_status) statuses.add(status, number(count));
  object.add("by_status", std::move(statuses));
  return object;
}

json::Value to_json(const HardwareSummary& summary, SummaryPart part) {
  json::Value object = json::make_object();
  object.add("name", json::make_string(summary.hardware));
  object.add("traces", to_json(summary.counts));
  if (part != SummaryPart::solutions) {
    object.add("against", json::make_string(name_of(summary.authors.against)));
    object.add("reason", summary.authors.reason.empty() ? json::make_null()
                                                        : json::make_string(summary.authors.reason));
    object.add("untimed_traces", json::make_integer(static_cast<std::int64_t>(summary.untimed)));
    object.add("unknown_traces", json::make_integer(static_cast<std::int64_t>(summary.unknown)));
    object.add("authors", to_json(authors_table(summary.authors)));
  }
  if (part != SummaryPart::authors) object.add("solutions", to_json(solutions_table(summary)));
  return object;
}

json::Value to_json(const DatasetSummary& summary, SummaryPart part) {
  json::Value object = json::make_object();
  object.add("path", json::make_string(summary.path));
  object.add("baseline_author", json::make_string(summary.baseline_author));
  object.add("traces", to_json(summary.counts));
  json::Value hardware = json::make_array();
  for (const HardwareSummary& one : summary.hardware) hardware.items.push_back(to_json(one, part));
  object.add("hardware", std::move(hardware));
  return object;
}

// One table over everything; it has its columns also when there are no rows.
std::string csv(const std::vector<DatasetSummary>& datasets, SummaryPart part) {
  const bool solutions = part == SummaryPart::solutions;
  const auto placed = [&](const HardwareSummary& hardware, const std::string& path) {
    Table table = solutions ? solutions_table(hardware)
                            : with_leading(authors_table(hardware.authors), text_column("Against", "against"),
                                           text_cell(name_of(hardware.authors.against)));
    table = with_leading(std::move(table), text_column("Hardware", "hardware"), text_cell(hardware.hardware));
    return with_leading(std::move(table), text_column("Dataset", "dataset"), text_cell(path));
  };
  Table all = placed({}, "");
  for (const DatasetSummary& dataset : datasets) {
    for (const HardwareSummary& hardware : dataset.hardware) append(all, placed(hardware, dataset.path));
  }
  return to_csv(all);
}

}  // namespace

std::string explain(const AuthorRanking& ranking) {
  return ranking.reason.empty() ? "" : ranking.reason + "; speedups are against the reference.";
}

std::string render_summary(const std::vector<DatasetSummary>& datasets, SummaryPart part, Format format,
                           const TextStyle& style) {
  if (format == Format::csv) return csv(datasets, part);
  if (format == Format::json) {
    std::vector<json::Value> values;
    for (const DatasetSummary& dataset : datasets) values.push_back(to_json(dataset, part));
    return json_document("summary", std::move(values));
  }
  Document document(format, style);
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    if (datasets.size() > 1) document.heading(fmt::format("Dataset {}: {}", i + 1, datasets[i].path));
    write_dataset(document, datasets[i], part);
  }
  document.notes(footnotes(datasets, part));
  return document.text();
}

}  // namespace fib::report
