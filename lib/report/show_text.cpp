#include "report/show_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "present/source_text.h"
#include "present/text.h"
#include "report/details.h"
#include "report/show_json.h"
#include "report/show_tables.h"
#include "report/try_summary.h"
#include "report/workload_text.h"

namespace fib::report {
namespace {

namespace json = model::json;

constexpr std::size_t kLogLines = 20;

class Page {
 public:
  explicit Page(const ShowStyle& style) : style_(style), document_(style.format, style.text) {}

  present::Document& document() { return document_; }
  [[nodiscard]] const ShowStyle& style() const { return style_; }

  // A source with its title: numbered lines, or a fenced block.
  void source(const std::string& title, const std::string& text, present::Syntax syntax) {
    const bool markdown = style_.format == present::Format::md;
    const char* language = syntax == present::Syntax::python ? "python"
                           : syntax == present::Syntax::cpp  ? "cpp"
                                                             : "";
    code(title,
         markdown ? present::fenced(text, language) : present::numbered(text, syntax, style_.text.bold));
  }

  // A log or a record with its title: as it is, set off by two spaces, or a fenced block.
  void log(const std::string& title, std::string_view text, const char* language = "") {
    std::string block =
        style_.format == present::Format::md ? present::fenced(text, language) : present::indented(text, 2);
    if (!block.empty() && block.back() != '\n') block += '\n';
    code(title, block);
  }

 private:
  void code(const std::string& title, const std::string& block) {
    if (style_.format == present::Format::md) {
      document_.verbatim("**" + present::escape_markdown(title) + "**\n\n" + block);
    } else {
      document_.verbatim(present::wrap(present::printable(title), style_.text.width) + "\n" + block);
    }
  }

  const ShowStyle& style_;
  present::Document document_;
};

std::string text_of(const model::NullableText& text) { return text ? text->value_or("") : ""; }

std::string joined(const std::optional<std::vector<std::string>>& texts) {
  return texts ? fmt::format("{}", fmt::join(*texts, ", ")) : "";
}

std::string options_text(const std::optional<model::CompileOptions>& options) {
  if (!options) return "";
  std::string text;
  const auto add = [&](const char* name, const std::optional<std::vector<std::string>>& words) {
    if (words) text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", name, fmt::join(*words, " "));
  };
  add("cflags", options->cflags);
  add("cuda_cflags", options->cuda_cflags);
  add("ld_flags", options->ld_flags);
  return text;
}

std::string dump_of(const std::optional<nlohmann::ordered_json>& tree) { return tree ? tree->dump() : ""; }

void write(Page& page, const DefinitionView& view) {
  const model::Definition& definition = *view.definition;
  present::Document& document = page.document();
  document.subheading("Definition: " + definition.name, present::plural(view.workloads, "workload"));
  if (const std::string text = text_of(definition.description); !text.empty()) document.paragraph(text);
  document.facts({{"Op type", definition.op_type}, {"Tags", joined(definition.tags)}});
  document.table("Axes:", axes_table(definition));
  document.table("Inputs:", tensors_table(definition.inputs));
  document.table("Outputs:", tensors_table(definition.outputs));
  if (definition.constraints && !definition.constraints->empty())
    page.log("Constraints:", fmt::format("{}", fmt::join(*definition.constraints, "\n")));
  page.source("Reference:", definition.reference, present::Syntax::python);
  document.table("Solutions, by their results on each workload:", tallies_table(view.tallies));
  std::vector<std::string> notes;
  if (!view.untried.empty()) notes.push_back(fmt::format("No result of: {}", fmt::join(view.untried, ", ")));
  if (!view.tallies.empty())
    notes.emplace_back(
        "Best: of the fastest workload; Mean: geometric mean over those that passed, in parentheses where "
        "not all did");
  document.notes(notes);
  write(document, view.remarks);
}

// The log of the first of `same`, which all end alike and have the same log.
void write_failed_log(Page& page, const std::vector<const model::Trace*>& same) {
  const model::Trace& trace = *same.front();
  const model::Evaluation& evaluation = *trace.evaluation;
  const std::string& log = evaluation.log;
  std::size_t left_out = 0;
  // A compiler's first error says why, and all else the last line.
  const bool from_begin = evaluation.status == model::Status::COMPILE_ERROR;
  std::string_view shown = log;
  if (!page.style().full_log)
    shown = from_begin ? present::first_lines(log, kLogLines, left_out)
                       : present::last_lines(log, kLogLines, left_out);
  const std::string part = left_out == 0
                               ? ""
                               : fmt::format(", the {} {} of {} lines (all: --full-log)",
                                             from_begin ? "first" : "last", kLogLines, kLogLines + left_out);
  const std::string more =
      same.size() == 1 ? "" : fmt::format(" and {}", present::plural(same.size() - 1, "more workload"));
  page.log(
      fmt::format("Log of {}{} on {}: {}{}", trace.workload.uuid, more, evaluation.environment.hardware,
                  status_text(evaluation.status, failure_name(model::measurement_record(evaluation))), part),
      shown);
}

// The same log, such as that of a build, once.
void write_failed_logs(Page& page, const std::vector<Shown>& results) {
  using Key = std::tuple<std::string, model::Status, std::string>;
  std::map<Key, std::size_t> places;
  std::vector<std::vector<const model::Trace*>> groups;
  for (const Shown& shown : results) {
    const model::Evaluation& evaluation = *shown.trace.evaluation;
    if (evaluation.log.empty()) continue;
    const auto [place, is_new] = places.emplace(
        Key(evaluation.environment.hardware, evaluation.status, evaluation.log), groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(&shown.trace);
  }
  for (const auto& group : groups) write_failed_log(page, group);
}

// Of the first result that knows them: those of other sizes are launched alike.
void write_kernels(present::Document& document, const std::vector<Shown>& results) {
  for (const Shown& shown : results) {
    const auto lines = kernel_lines(shown.trace);
    if (lines.empty()) continue;
    document.paragraph(fmt::format("Kernels on {}:", workload_text(shown.trace.workload)));
    return document.notes(lines);
  }
}

void write(Page& page, const SolutionView& view) {
  const model::Solution& solution = *view.solution;
  const model::Spec& spec = solution.spec;
  present::Document& document = page.document();
  document.subheading("Solution: " + solution.name, "of " + solution.definition + ", by " + solution.author);
  if (const std::string text = text_of(solution.description); !text.empty()) document.paragraph(text);
  document.facts({{"Language", spec.language_text},
                  {"Target hardware", fmt::format("{}", fmt::join(spec.target_hardware, ", "))},
                  {"Entry point", spec.entry_point},
                  {"Binding", text_of(spec.binding_text)},
                  {"Outputs", spec.destination_passing_style() ? "passed in" : "returned"},
                  {"Dependencies", joined(spec.dependencies)},
                  {"Compile options", options_text(spec.compile_options)},
                  {"Launch", dump_of(spec.launch)},
                  {"Workspace", dump_of(spec.workspace)},
                  {"SHA-256", model::content_sha256(solution)}});
  if (view.results.empty()) document.paragraph("There are no results of it that count and match.");
  constexpr std::size_t kMostReasonColumns = 2000;
  if (!view.skipped_by.empty())
    document.paragraph(fmt::format("Run {} has no result of it: {}", view.skipped_by,
                                   present::shorten(view.skipped_why, kMostReasonColumns)));
  document.table("Results, one of each workload:", results_table(view.results, ResultsOf::solution));
  write_kernels(document, view.results);
  write(document, view.remarks);
  write_failed_logs(page, view.results);
  for (const model::SourceFile& file : solution.sources)
    page.source(file.path + ":", file.content, present::syntax_of(file.path));
}

std::string tolerance_text(const std::optional<model::WorkloadTolerance>& tolerance) {
  if (!tolerance) return "";
  std::string text;
  const auto add = [&](const char* name, const std::optional<double>& value) {
    if (value) text += fmt::format("{}{} {:g}", text.empty() ? "" : ", ", name, *value);
  };
  add("atol", tolerance->max_atol);
  add("rtol", tolerance->max_rtol);
  add("matched ratio", tolerance->required_matched_ratio);
  add("error cap", tolerance->max_error_cap);
  return text;
}

void write(Page& page, const WorkloadView& view) {
  present::Document& document = page.document();
  document.subheading("Workload: " + view.workload.uuid, "of " + view.definition);
  document.facts(
      {{"Axes", axes_cell(view.workload).text}, {"Tolerance", tolerance_text(view.workload.tolerance)}});
  document.table("Inputs:", inputs_table(view.workload));
  if (view.results.empty()) document.paragraph("No traces on it match.");
  document.table("Results, one of each solution, fastest first:",
                 results_table(view.results, ResultsOf::workload));
}

std::vector<Shown> shown_of(const TraceView& view) {
  std::vector<Shown> shown;
  for (const model::Trace& trace : view.traces) shown.push_back({trace, view.author});
  return shown;
}

std::string libs_text(const model::Environment& environment) {
  std::string text;
  for (const auto& [name, version] : environment.libs)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, version);
  return text;
}

std::string speedup_text(const model::Performance& performance) {
  if (performance.speedup_factor <= 0) return "the reference was not timed";
  return fmt::format("{:.4f}, reference {} ms", performance.speedup_factor,
                     present::format_ms(performance.reference_latency_ms));
}

// ", another run within ±0.8%".
std::string another_run(double share) {
  return fmt::format(", another run {}{}", share < 1 ? "within " : "", present::format_interval(share));
}

void write_latest(Page& page, const model::Evaluation& evaluation) {
  std::vector<std::pair<std::string, std::string>> facts{{"Hardware", evaluation.environment.hardware},
                                                         {"Libraries", libs_text(evaluation.environment)}};
  if (const auto& performance = evaluation.performance) {
    const auto share = interval_share(evaluation);
    facts.emplace_back(
        "Latency", present::format_ms(performance->latency_ms) + " ms" + (share ? another_run(*share) : ""));
    facts.emplace_back("Speedup", speedup_text(*performance));
  }
  if (const auto& correctness = evaluation.correctness) {
    const auto add_error = [&](const char* name, double model::Correctness::*field) {
      const auto error = told_error(evaluation, field);
      facts.emplace_back(name, error ? present::format_error(*error) : "-");
    };
    add_error("Max abs error", &model::Correctness::max_absolute_error);
    add_error("Max rel error", &model::Correctness::max_relative_error);
    if (correctness->extra) facts.emplace_back("More", correctness->extra->dump());
  }
  page.document().subheading(
      "The latest trace:", fmt::format("{} at {}", model::name_of(evaluation.status), evaluation.timestamp));
  page.document().facts(facts);
  if (!evaluation.fib.is_null()) {
    page.log("Record of fib:",
             json::dump(json::from_tree(evaluation.fib), json::Form::indented, json::NonFinite::strings),
             "json");
  }
  if (evaluation.log.empty()) {
    page.document().paragraph("The log is empty.");
  } else {
    page.log("Log:", evaluation.log);
  }
}

void write(Page& page, const TraceView& view) {
  present::Document& document = page.document();
  const std::vector<Shown> shown = shown_of(view);
  document.subheading("Traces of: " + view.solution, "on " + workload_text(view.traces.back().workload) +
                                                         " of " + view.traces.back().definition);
  document.table(present::plural(view.traces.size(), "trace") + ", oldest first:",
                 results_table(shown, ResultsOf::trace));
  std::vector<std::string> notes;
  for (const std::string& config : configs_of(shown))
    notes.push_back(fmt::format("Config {}: {}", notes.size() + 1, config));
  document.notes(notes);
  write_latest(page, *view.traces.back().evaluation);
}

present::Table table_of(const DefinitionView& view) { return tallies_table(view.tallies); }
present::Table table_of(const SolutionView& view) { return results_table(view.results, ResultsOf::solution); }
present::Table table_of(const WorkloadView& view) { return results_table(view.results, ResultsOf::workload); }
present::Table table_of(const TraceView& view) { return results_table(shown_of(view), ResultsOf::trace); }

template <typename View>
std::string render(const std::vector<View>& views, const char* name, const ShowStyle& style) {
  if (style.format == present::Format::json) {
    std::vector<json::Value> values;
    for (const View& view : views) values.push_back(to_json(view));
    return present::json_document(name, std::move(values));
  }
  if (style.format == present::Format::csv) {
    present::Table all;
    for (const View& view : views)
      append(all, present::with_leading(table_of(view), present::text_column("Dataset", "dataset"),
                                        present::text_cell(view.path)));
    return present::to_csv(all);
  }
  Page page(style);
  for (const View& view : views) {
    if (views.size() > 1) page.document().heading("Dataset: " + view.path);
    write(page, view);
  }
  return page.document().text();
}

}  // namespace

std::string render_results(const std::vector<Shown>& results, const ShowStyle& style) {
  Page page(style);
  const bool is_built = std::any_of(results.begin(), results.end(), [](const Shown& shown) {
    return shown.trace.evaluation->status != model::Status::COMPILE_ERROR;
  });
  if (is_built) page.document().table("", results_table(results, ResultsOf::solution));
  write_failed_logs(page, results);
  return page.document().text();
}

std::string render_show(const std::vector<DefinitionView>& views, const ShowStyle& style) {
  return render(views, "show_definition", style);
}

std::string render_show(const std::vector<SolutionView>& views, const ShowStyle& style) {
  return render(views, "show_solution", style);
}

std::string render_show(const std::vector<WorkloadView>& views, const ShowStyle& style) {
  return render(views, "show_workload", style);
}

std::string render_show(const std::vector<TraceView>& views, const ShowStyle& style) {
  return render(views, "show_trace", style);
}

}  // namespace fib::report
