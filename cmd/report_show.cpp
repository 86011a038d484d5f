#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "commands.h"
#include "dataset/paths.h"
#include "dataset/trace_stream.h"
#include "present/text.h"
#include "report/show_text.h"
#include "report_commands.h"
#include "report_common.h"
#include "util/closest.h"
#include "util/error.h"
#include "util/shell_word.h"

namespace fib::cmd {
namespace {

enum class Kind { definition, solution, workload, trace };

struct ShowOptions {
  ReadOptions read;
  std::vector<std::string> words;  // [KIND] NAME [WORKLOAD]
  std::optional<Kind> kind;        // nothing: that of the only record of this name
  std::string name;
  std::string workload;  // of kind trace
  RecordFilter records;
  TraceChoice choice = TraceChoice::standing;
  bool full_log = false;
};

using Datasets = std::vector<dataset::Dataset>;

const std::map<std::string, Kind> kKinds{{"definition", Kind::definition},
                                         {"solution", Kind::solution},
                                         {"workload", Kind::workload},
                                         {"trace", Kind::trace}};

Datasets load_catalogs(const ShowOptions& options, std::vector<std::string>& unreadable) {
  Datasets datasets;
  for (const std::string& root : dataset_folders(options.read)) {
    datasets.push_back(dataset::load_without_results(root, unreadable));
  }
  return datasets;
}

// What `ask` gives of each dataset that has the record.
template <typename Ask>
auto found_in(const Datasets& datasets, const Ask& ask) {
  std::vector<typename decltype(ask(datasets.front()))::value_type> views;
  for (const dataset::Dataset& dataset : datasets) {
    if (auto view = ask(dataset)) views.push_back(*std::move(view));
  }
  return views;
}

template <typename Map>
void add_names(const Map& records, std::vector<std::string>& names) {
  for (const auto& [name, record] : records) names.push_back(name);
}

template <typename View>
std::string rendered(const std::vector<View>& views, const ShowOptions& options) {
  return report::render_show(views, {options.read.format, stdout_style(), options.full_log});
}

std::string show_definition(const Datasets& datasets, const ShowOptions& options,
                            std::vector<std::string>& unreadable) {
  const auto views = found_in(datasets, [&](const dataset::Dataset& dataset) {
    dataset::Filter filter = options.records.parsed();
    filter.definitions = {options.name};
    filter = with_choice(filter, options.choice, dataset);
    auto view = report::show_definition(dataset, options.name, filter, unreadable);
    if (view) view->remarks = remarks_of(filter.standing.get(), {});
    return view;
  });
  if (!views.empty()) return rendered(views, options);
  std::vector<std::string> names;
  for (const dataset::Dataset& dataset : datasets) add_names(dataset.definitions, names);
  throw Error("there is no definition \"{}\"{}", options.name, util::did_you_mean(options.name, names));
}

std::string show_solution(const Datasets& datasets, const ShowOptions& options,
                          std::vector<std::string>& unreadable) {
  const auto views = found_in(datasets, [&](const dataset::Dataset& dataset) {
    dataset::Filter filter = options.records.parsed();
    filter.solutions = {options.name};
    filter = with_choice(filter, options.choice, dataset);
    auto view = report::show_solution(dataset, options.name, filter, unreadable);
    if (view) view->remarks = remarks_of(filter.standing.get(), {});
    return view;
  });
  if (!views.empty()) return rendered(views, options);
  std::vector<std::string> names;
  for (const dataset::Dataset& dataset : datasets) add_names(dataset.solutions, names);
  throw Error("there is no solution \"{}\"{}", options.name, util::did_you_mean(options.name, names));
}

std::vector<report::WorkloadView> workload_views(const Datasets& datasets, const ShowOptions& options,
                                                 std::vector<std::string>& unreadable) {
  return found_in(datasets, [&](const dataset::Dataset& dataset) {
    const auto filter = with_choice(options.records.parsed(), options.choice, dataset);
    return report::show_workload(dataset, options.name, filter, unreadable);
  });
}

std::string show_workload(const Datasets& datasets, const ShowOptions& options,
                          std::vector<std::string>& unreadable) {
  const auto views = workload_views(datasets, options, unreadable);
  if (!views.empty()) return rendered(views, options);
  std::vector<std::string> uuids;
  for (const dataset::Dataset& dataset : datasets) {
    for (const auto& [definition, workloads] : dataset.workloads) {
      for (const model::Workload& workload : workloads) uuids.push_back(workload.uuid);
    }
  }
  throw Error("no workload has a uuid that begins with \"{}\"{}", options.name,
              util::did_you_mean(options.name, uuids));
}

std::string show_trace(const Datasets& datasets, const ShowOptions& options,
                       std::vector<std::string>& unreadable) {
  std::vector<std::string> tried;
  const auto views = found_in(datasets, [&](const dataset::Dataset& dataset) {
    const auto filter = with_choice(options.records.parsed(), TraceChoice::all, dataset);
    return report::show_trace(dataset, options.name, options.workload, filter, unreadable, tried);
  });
  if (!views.empty()) return rendered(views, options);
  for (std::string& uuid : tried) uuid = present::printable(uuid);
  if (!tried.empty()) {
    throw Error("solution \"{}\" has no traces on a workload \"{}\"; it has some on:{}", options.name,
                options.workload, dataset::first_lines(tried));
  }
  std::vector<std::string> names;
  for (const dataset::Dataset& dataset : datasets) add_names(dataset.solutions, names);
  if (!kKinds.contains(options.words.front())) add_names(kKinds, names);  // perhaps a kind, misspelt
  const bool known = std::find(names.begin(), names.end(), options.name) != names.end();
  if (known) throw Error("no traces of solution \"{}\" match; to get some: fib run", options.name);
  throw Error("there are no traces of a solution \"{}\"{}", options.name,
              util::did_you_mean(options.name, names));
}

// What a name alone means.
std::string show_named(const Datasets& datasets, const ShowOptions& options,
                       std::vector<std::string>& unreadable) {
  const std::string& name = options.name;
  const auto is_in = [&](auto records) {
    return std::any_of(datasets.begin(), datasets.end(),
                       [&](const dataset::Dataset& dataset) { return (dataset.*records).contains(name); });
  };
  const bool is_definition = is_in(&dataset::Dataset::definitions);
  const bool is_solution = is_in(&dataset::Dataset::solutions);
  if (is_definition && is_solution) {
    throw Error("\"{}\" names a definition and a solution; say which: fib report show definition {}", name,
                util::shell_word(present::printable(name)));
  }
  if (is_definition) return show_definition(datasets, options, unreadable);
  if (is_solution) return show_solution(datasets, options, unreadable);
  if (name.size() >= report::kShortestUuidPrefix) {
    const auto views = workload_views(datasets, options, unreadable);
    if (!views.empty()) return rendered(views, options);
  }
  std::vector<std::string> names;
  for (const dataset::Dataset& dataset : datasets) {
    add_names(dataset.definitions, names);
    add_names(dataset.solutions, names);
  }
  throw Error("there is no definition, solution or workload \"{}\"{}", name, util::did_you_mean(name, names));
}

std::string show(const Datasets& datasets, const ShowOptions& options, std::vector<std::string>& unreadable) {
  if (!options.kind) return show_named(datasets, options, unreadable);
  switch (*options.kind) {
    case Kind::definition:
      return show_definition(datasets, options, unreadable);
    case Kind::solution:
      return show_solution(datasets, options, unreadable);
    case Kind::workload:
      return show_workload(datasets, options, unreadable);
    case Kind::trace:
      return show_trace(datasets, options, unreadable);
  }
  return "";
}

// What the words name. Throws CLI::ValidationError where they cannot name a record.
void read_words(ShowOptions& options) {
  std::vector<std::string> words = options.words;
  const auto kind = kKinds.find(words.front());
  if (kind != kKinds.end()) {
    options.kind = kind->second;
    words.erase(words.begin());
    if (words.empty()) throw CLI::ValidationError("NAME", "the name of the " + kind->first + " is missing");
  } else if (words.size() > 1) {
    options.kind = Kind::trace;
  }
  const std::size_t wanted = options.kind == Kind::trace ? 2 : 1;
  if (words.size() < wanted)
    throw CLI::ValidationError("WORKLOAD", "a trace is named by its solution and its workload");
  if (words.size() > wanted)
    throw CLI::ValidationError("WORKLOAD",
                               wanted == 1 ? "only a trace needs a workload too" : "one word too many");
  options.name = words.front();
  if (wanted == 2) options.workload = words.back();
}

int run(ShowOptions& options) {
  read_words(options);
  std::vector<std::string> unreadable;
  const Datasets datasets = load_catalogs(options, unreadable);
  std::string text;
  try {
    text = show(datasets, options, unreadable);
  } catch (const Error&) {
    print_errors(unreadable, "");  // perhaps why something was not found
    throw;
  }
  print_errors(unreadable, "");
  if (options.read.strict_load && !unreadable.empty())
    throw Error("{} of the dataset cannot be read", present::plural(unreadable.size(), "record"));
  print_result(text);
  return kDone;
}

}  // namespace

void add_report_show(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App* show = app.add_subcommand("show", "One definition, solution, workload or trace in full");
  show->add_option(
          "record", options->words,
          "The name of a definition or a solution, a workload's uuid or its first characters (four or "
          "more), or, for a trace, a solution and a workload; before it, where the name alone does not "
          "say it, definition, solution, workload or trace")
      ->required()
      ->type_name("[KIND] NAME [WORKLOAD]");
  add_read_options(*show, options->read);
  add_record_filter(*show, options->records, ByStatus::yes);
  add_trace_choice(*show, options->choice);
  show->add_flag("--full-log", options->full_log,
                 "Whole logs of a solution's failures, not 20 lines of each");
  show->footer(std::string("Examples:\n"
                           "  fib report show rmsnorm_h4096 --local DIR\n"
                           "  fib report show solution my_rmsnorm --local DIR --full-log\n"
                           "  fib report show 33bf --local DIR\n"
                           "  fib report show my_rmsnorm 33bf --local DIR\n"
                           "Sources are coloured on a terminal, or as --color says.\n") +
               kLocalDefault);
  show->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace fib::cmd
