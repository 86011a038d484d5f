#include "report/summary_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "present/text.h"
#include "report/datasets.h"
#include "report/summary_tables.h"
#include "util/shell_word.h"

namespace fib::report {
namespace {

namespace json = model::json;

std::string counts_text(const Counts& counts, bool every_trace) {
  const std::string text =
      fmt::format("{}: {} total, {} passed, {} failed", every_trace ? "Traces" : "Results", counts.total,
                  counts.passed, counts.failed());
  const std::string failures = failures_text(counts);
  return failures.empty() ? text : text + " (" + failures + ")";
}

void write_authors(present::Document& document, const HardwareSummary& summary) {
  const AuthorRanking& ranking = summary.authors;
  if (!ranking.reason.empty()) document.paragraph(explain(ranking));
  if (ranking.against == Against::reference && summary.untimed > 0) {
    const bool one = summary.untimed == 1;
    document.paragraph(fmt::format("{} {} left out: no speedup against the reference can be told from {}.",
                                   present::plural(summary.untimed, "PASSED trace"), one ? "is" : "are",
                                   one ? "it" : "them"));
  }
  if (summary.unknown > 0) {
    document.paragraph(
        fmt::format("{} {} of solutions that are not in the dataset: they have no author to rank.",
                    present::plural(summary.unknown, "trace"), summary.unknown == 1 ? "is" : "are"));
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

// "name: passed 4 of 5 runs of this source", of those that failed in one.
std::vector<std::string> unsteady_solutions(const HardwareSummary& summary) {
  std::vector<std::string> lines;
  for (const Leaderboard& board : summary.leaderboards) {
    for (const Standing& standing : board.standings) {
      const auto& runs = standing.runs;
      if (runs.runs < 2 || runs.passed == runs.runs) continue;
      lines.push_back(fmt::format("{} on {}: passed {} of {} runs of this source", standing.solution,
                                  board.definition, runs.passed, runs.runs));
    }
  }
  return lines;
}

bool shows(SummaryPart part, SummaryPart what) { return part == SummaryPart::all || part == what; }

void write_hardware(present::Document& document, const HardwareSummary& summary, SummaryPart part) {
  document.subheading("Hardware: " + summary.hardware, counts_text(summary.counts, summary.every_trace));
  if (shows(part, SummaryPart::authors)) write_authors(document, summary);
  if (shows(part, SummaryPart::counts)) {
    const std::string what = summary.every_trace ? "Traces" : "Results";
    document.table(what + " by definition:", counts_table("Definition", "definition", summary.by_definition));
    document.table(what + " by author:", counts_table("Author", "author", summary.by_author));
  }
  if (shows(part, SummaryPart::solutions)) {
    document.table(
        fmt::format("Solutions by definition (speedup against the {}):", name_of(summary.authors.against)),
        solutions_table(summary));
    document.notes(unsteady_solutions(summary));
  }
}

void write_dataset(present::Document& document, const DatasetSummary& summary, SummaryPart part) {
  if (summary.counts.total == 0) {
    document.paragraph(fmt::format("No {}{} in {}. To get some: fib run --local {}",
                                   summary.remarks.not_counted.empty() ? "traces" : "results that count",
                                   summary.filtered ? " that match" : "", summary.path,
                                   util::shell_word(summary.path)));
    write(document, summary.remarks);
    return;
  }
  if (summary.hardware.size() != 1) document.paragraph(counts_text(summary.counts, summary.every_trace));
  for (const HardwareSummary& hardware : summary.hardware) write_hardware(document, hardware, part);
  write(document, summary.remarks);
}

std::vector<std::string> footnotes(const std::vector<DatasetSummary>& datasets, SummaryPart part) {
  bool ranked = false;
  bool baseline = false;
  bool reference = false;
  bool solutions = false;
  bool standing = false;
  bool any_interval = false;
  for (const DatasetSummary& dataset : datasets) {
    standing = standing || !dataset.every_trace;
    for (const HardwareSummary& hardware : dataset.hardware) {
      ranked = ranked || !hardware.authors.rows.empty();
      solutions = solutions || !hardware.leaderboards.empty();
      (hardware.authors.against == Against::baseline ? baseline : reference) = true;
      any_interval = any_interval || has_intervals(hardware);
    }
  }
  const std::string other = !reference ? "baseline" : !baseline ? "reference" : "baseline or reference";
  std::vector<std::string> notes;
  if (ranked && shows(part, SummaryPart::authors)) {
    notes = author_notes(other);
  }
  if (solutions && shows(part, SummaryPart::solutions)) {
    if (standing)
      notes.emplace_back(
          "Rank: by latency, of solutions that passed every workload; shared (=) where intervals overlap");
    notes.push_back(
        fmt::format("Speedup: {} over the workloads that the yardstick passed, too; {} when anything failed",
                    standing ? "geometric mean" : "mean", standing ? "-" : "0"));
    notes.push_back(
        "Latency: geometric mean over the workloads that passed; in parentheses where those are not all");
    if (any_interval)
      notes.push_back(
          "Rerun within: where another run's latency lies, in 95 of 100 cases, while the machine is as "
          "quiet");
  }
  return notes;
}

}  // namespace

std::vector<std::string> author_notes(const std::string& yardstick) {
  return {
      "Rank of authors: by Arith mean over the definitions that each tried; others may have won more",
      fmt::format(
          "Arith mean: arithmetic mean of {} latency / author's latency, over workloads, then definitions",
          yardstick),
      "Geo mean: the same with geometric means",
      "A definition whose best solution failed a workload is 0 in Arith mean and both rates; Geo mean is -",
      "Success rate: share of definitions whose best solution passed everything",
      fmt::format("Win rate: share of a definition's workloads on which the author beats the {}, mean "
                  "over definitions",
                  yardstick),
      "Coverage: share of all workloads that the author has a passing trace of"};
}

namespace {

json::Value to_json(const Counts& counts) {
  const auto number = [](std::size_t count) { return json::make_integer(static_cast<std::int64_t>(count)); };
  json::Value object = json::make_object();
  object.add("total", number(counts.total));
  object.add("passed", number(counts.passed));
  object.add("failed", number(counts.failed()));
  object.add("by_status", counts_json(counts.by_status));
  return object;
}

json::Value to_json(const HardwareSummary& summary, SummaryPart part) {
  json::Value object = json::make_object();
  object.add("name", json::make_string(summary.hardware));
  object.add("traces", to_json(summary.counts));
  if (shows(part, SummaryPart::counts)) {
    object.add("definitions", present::to_json(counts_table("", "definition", summary.by_definition)));
    object.add("all_authors", present::to_json(counts_table("", "author", summary.by_author)));
  }
  if (shows(part, SummaryPart::authors)) {
    object.add("against", json::make_string(name_of(summary.authors.against)));
    object.add("reason", summary.authors.reason.empty() ? json::make_null()
                                                        : json::make_string(summary.authors.reason));
    object.add("untimed_traces", json::make_integer(static_cast<std::int64_t>(summary.untimed)));
    object.add("unknown_traces", json::make_integer(static_cast<std::int64_t>(summary.unknown)));
    object.add("authors", to_json(authors_table(summary.authors)));
  }
  if (shows(part, SummaryPart::solutions)) object.add("solutions", to_json(solutions_table(summary)));
  return object;
}

json::Value to_json(const DatasetSummary& summary, SummaryPart part) {
  json::Value object = json::make_object();
  object.add("path", json::make_string(summary.path));
  object.add("baseline_author", json::make_string(summary.baseline_author));
  add_to(object, summary.remarks);
  object.add("traces", to_json(summary.counts));
  object.add("hardware",
             list_of(summary.hardware, [&](const HardwareSummary& one) { return to_json(one, part); }));
  return object;
}

present::Table csv_table(const HardwareSummary& hardware, SummaryPart part) {
  if (part == SummaryPart::solutions) return solutions_table(hardware);
  if (part == SummaryPart::counts) {
    const auto placed = [](const char* kind, const std::map<std::string, Counts>& counts) {
      return present::with_leading(counts_table("Name", "name", counts), present::text_column("Of", "of"),
                                   present::text_cell(kind));
    };
    present::Table both = placed("definition", hardware.by_definition);
    append(both, placed("author", hardware.by_author));
    return both;
  }
  return present::with_leading(authors_table(hardware.authors), present::text_column("Against", "against"),
                               present::text_cell(name_of(hardware.authors.against)));
}

}  // namespace

std::string explain(const AuthorRanking& ranking) {
  return ranking.reason.empty() ? "" : ranking.reason + "; speedups are against the reference.";
}

std::string render_summary(const std::vector<DatasetSummary>& datasets, SummaryPart part,
                           present::Format format, const present::TextStyle& style) {
  const Writing<DatasetSummary> writing{"summary",
                                        [&] {
                                          return by_hardware(datasets, [&](const HardwareSummary& hardware) {
                                            return csv_table(hardware, part);
                                          });
                                        },
                                        [&](const DatasetSummary& dataset) { return to_json(dataset, part); },
                                        [&](present::Document& document, const DatasetSummary& dataset) {
                                          write_dataset(document, dataset, part);
                                        },
                                        [&] { return footnotes(datasets, part); }};
  return render(datasets, writing, format, style);
}

}  // namespace fib::report
