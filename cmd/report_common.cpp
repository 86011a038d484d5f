#include "report_common.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "color.h"
#include "dataset/filter.h"
#include "dataset/known_names.h"
#include "dataset/named_runs.h"
#include "dataset/paths.h"
#include "dataset/queries.h"
#include "logging.h"
#include "present/message_kind.h"
#include "present/text.h"
#include "report/hardware.h"
#include "util/closest.h"
#include "util/error.h"
#include "util/some_of.h"

namespace fib::cmd {
namespace {

constexpr std::size_t kShownProblems = 10;
constexpr std::size_t kSmallestWidth = 20;

bool is_logged(dataset::Severity severity) {
  return spdlog::should_log(severity == dataset::Severity::error ? spdlog::level::err : spdlog::level::warn);
}

// What is told of the problems of one severity: each problem, or with `kinds` the first of each kind, which
// says how many there are.
std::vector<std::string> told(const dataset::Dataset& dataset, dataset::Severity severity, bool kinds) {
  struct Told {
    const dataset::Problem* first;
    std::size_t count = 1;
  };
  std::vector<Told> all;
  std::map<std::string, std::size_t> places;  // of kinds
  for (const dataset::Problem& problem : dataset.problems) {
    if (problem.severity != severity || !is_logged(severity)) continue;
    if (kinds) {
      const auto [known, is_new] = places.emplace(present::message_kind(problem.message), all.size());
      if (!is_new) {
        ++all[known->second].count;
        continue;
      }
    }
    all.push_back({&problem});
  }
  const std::string_view word = severity == dataset::Severity::error ? "error" : "warning";
  std::vector<std::string> lines;
  for (const auto& [first, count] : all) {
    const std::string text = (dataset.root / dataset::to_string(*first)).string();
    const std::string more = count > 1 ? fmt::format(" ({} such; --log-level debug shows all)", count) : "";
    lines.push_back(fmt::format("{}: {}{}", word, present::printable(text), more));
  }
  return lines;
}

// Errors first. Of warnings there can be one for each record.
void print_problems(const dataset::Dataset& dataset) {
  const bool all = spdlog::should_log(spdlog::level::debug);
  std::vector<std::string> lines = told(dataset, dataset::Severity::error, false);
  for (std::string& line : told(dataset, dataset::Severity::warning, !all)) lines.push_back(std::move(line));
  const std::size_t shown = all ? lines.size() : std::min(lines.size(), kShownProblems);
  for (std::size_t i = 0; i < shown; ++i) fmt::print(stderr, "{}\n", lines[i]);
  if (lines.size() > shown)
    fmt::print(stderr, "... {} in {}\n", util::and_more(lines.size(), shown), dataset.root.string());
}

std::string names_text(const std::set<std::string>& names) {
  constexpr std::size_t kShown = 30;
  return names.empty() ? "none" : util::some_of(names, "", kShown);
}

}  // namespace

void note_hardware(const dataset::Filter& records, const std::vector<dataset::Dataset>& datasets) {
  std::set<std::string> known;
  for (const dataset::Dataset& dataset : datasets) {
    for (const std::string& name : dataset::Queries(dataset).hardware()) known.insert(name);
  }
  const bool ran = std::any_of(known.begin(), known.end(), [&](const std::string& name) {
    return dataset::matches(records.hardware, name);
  });
  if (!ran && !known.empty() && is_logged(dataset::Severity::warning))
    fmt::print(stderr, "warning: no results of hardware \"{}\"; there are: {}\n",
               fmt::join(records.hardware, "\", \""), names_text(known));
}

void note_hardware(const dataset::Filter& records, const std::string& root) {
  if (!records.hardware.empty())
    fmt::print(stderr, "warning: no results of hardware \"{}\" in {}\n",
               fmt::join(records.hardware, "\", \""), root);
}

namespace {

void check_names(const FilterOptions& filters, const dataset::Filter& records,
                 const std::string& baseline_author, const std::vector<dataset::Dataset>& datasets) {
  std::set<std::string> op_types;
  std::set<std::string> definitions;
  for (const dataset::Dataset& dataset : datasets) {
    for (const auto& [name, definition] : dataset.definitions) {
      op_types.insert(definition.op_type);
      definitions.insert(name);
    }
    for (const auto& trace : dataset.traces) definitions.insert(*trace.definition);
  }
  if (filters.op_type && !op_types.contains(*filters.op_type)) {
    throw Error("no definition of op type \"{}\"; there are: {}", *filters.op_type, names_text(op_types));
  }
  if (filters.definition && !definitions.contains(*filters.definition)) {
    const auto alike = util::did_you_mean(*filters.definition, {definitions.begin(), definitions.end()});
    throw Error("no definition \"{}\"{}", *filters.definition,
                alike.empty() ? "; to see all: fib list definitions" : alike);
  }
  const dataset::KnownNames names(datasets);
  names.check(records);
  if (!baseline_author.empty()) names.check_baseline_author(baseline_author);
  note_hardware(records, datasets);
}

// The records with what else tells which definitions are meant.
dataset::Filter asked_for(const FilterOptions& filters, dataset::Filter records) {
  if (filters.definition && records.definitions.empty()) records.definitions = {*filters.definition};
  if (filters.op_type && records.op_types.empty()) records.op_types = {*filters.op_type};
  return records;
}

}  // namespace

CLI::Validator number_check(double least, bool above) {
  const auto check = [least, above](const std::string& text) -> std::string {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    const bool good = error == std::errc() && stop == end && std::isfinite(value) &&
                      (above ? value > least : value >= least);
    return good ? ""
                : fmt::format("{}: expected a number {} {:g}", text, above ? "above" : "of at least", least);
  };
  return CLI::Validator(check, "");
}

void add_read_options(CLI::App& app, ReadOptions& options) {
  app.add_option("--local", options.local, "Dataset folder; may be repeated")
      ->allow_extra_args(false)
      ->type_name("DIR");
  add_choice(app, "--format", options.format, "Form of the output; default: table",
             {{"table", present::Format::table},
              {"json", present::Format::json},
              {"csv", present::Format::csv},
              {"md", present::Format::md}})
      ->type_name("FORMAT");
  app.add_flag("--strict-load", options.strict_load, "Fail when any file or line cannot be loaded");
  add_log_level(app, "info");
}

std::vector<std::string> dataset_folders(const ReadOptions& options) {
  std::vector<std::string> roots = options.local;
  if (roots.empty()) roots.push_back(dataset::default_dataset_path().string());
  for (const std::string& root : roots) {
    dataset::expect_dataset_folder(root);
  }
  return roots;
}

void print_errors(const std::vector<std::string>& errors, const std::string& root) {
  if (!is_logged(dataset::Severity::error)) return;
  for (std::size_t i = 0; i < std::min(errors.size(), kShownProblems); ++i) {
    fmt::print(stderr, "error: {}\n", present::printable(errors[i]));
  }
  if (errors.size() > kShownProblems) {
    fmt::print(stderr, "... {}{}\n", util::and_more(errors.size(), kShownProblems),
               root.empty() ? "" : " in " + root);
  }
}

std::vector<dataset::Dataset> load_datasets(const ReadOptions& options) {
  std::vector<dataset::Dataset> datasets;
  for (const std::string& root : dataset_folders(options)) {
    datasets.push_back(dataset::load(root, {options.strict_load, model::Mode::lenient}));
    print_problems(datasets.back());
  }
  return datasets;
}

std::vector<ChosenTraces> apply_filters(const FilterOptions& filters, std::vector<dataset::Dataset>& datasets,
                                        const std::string& yardstick) {
  const dataset::Filter records = filters.records.parsed();
  check_names(filters, records, yardstick, datasets);
  std::vector<ChosenTraces> chosen;
  for (dataset::Dataset& dataset : datasets) {
    dataset::Filter own = records;
    dataset::name_runs(own, dataset.root, dataset.traces);
    const auto standing = choose_traces(filters.choice, dataset, dataset.traces, asked_for(filters, own));
    if (standing) dataset::keep_standing(dataset, *standing);
    auto results = report::baseline_results(dataset, dataset.traces, yardstick);
    // Solutions are ranked by all of their results: else one that failed would win where failures are left
    // out.
    const auto statuses = std::exchange(own.statuses, {});
    dataset::restrict_to(dataset, own, yardstick);
    const bool every_trace = filters.choice == TraceChoice::all;
    chosen.push_back({standing,
                      {{}, filters.op_type, filters.definition, every_trace, statuses},
                      yardstick,
                      std::move(results)});
  }
  return chosen;
}

const model::Definition& find_definition(const dataset::Dataset& dataset, const std::string& name) {
  const auto found = dataset.definitions.find(name);
  if (found != dataset.definitions.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, definition] : dataset.definitions) names.push_back(known);
  throw Error("{} has no definition \"{}\"{}", dataset.root.string(), name, util::did_you_mean(name, names));
}

report::Remarks ChosenTraces::remarks(const dataset::Dataset& dataset,
                                      report::HasReferences has_references) const {
  std::vector<dataset::TraceRow> rows;
  std::copy_if(dataset.traces.begin(), dataset.traces.end(), std::back_inserter(rows),
               [&](const dataset::TraceRow& row) { return asked_for.holds(dataset, row); });
  report::Remarks remarks = remarks_of(standing.get(), rows, has_references);
  auto missing = report::missing_baseline_text(dataset, rows, baseline_results, baseline_author);
  if (!missing.empty()) remarks.cautions.push_back(std::move(missing));
  return remarks;
}

std::vector<report::Selection> ChosenTraces::selections(const dataset::Dataset& dataset) const {
  const report::ShownHardware shown = report::shown_hardware(dataset, asked_for);
  if (shown.left_out > 0)
    fmt::print(stderr, "warning: {}: {}\n", dataset.root.string(), shown.left_out_text());
  std::vector<report::Selection> found;
  for (const std::string& name : shown.names) {
    found.push_back(asked_for);
    found.back().hardware = name;
  }
  return found;
}

present::TextStyle stdout_style() {
  present::TextStyle style;
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  winsize size{};
  if (terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) style.width = size.ws_col;
  if (const char* columns = std::getenv("COLUMNS")) {
    style.width = static_cast<std::size_t>(std::max(0L, std::strtol(columns, nullptr, 10)));
  }
  if (style.width < kSmallestWidth) style.width = 0;
  style.bold = wants_color(STDOUT_FILENO);
  return style;
}

void print_result(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (std::fflush(stdout) != 0 || !written) throw Error("cannot write to stdout: is the disk full?");
}

}  // namespace fib::cmd
