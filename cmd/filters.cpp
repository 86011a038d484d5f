#include "filters.h"

#include <algorithm>

#include "choice.h"
#include "dataset/named_runs.h"
#include "model/trace.h"
#include "report/not_counted.h"
#include "util/clock.h"
#include "util/error.h"

namespace fib::cmd {
namespace {

constexpr const char* kGroup = "Which records";

bool matches_a_status(const std::string& pattern) {
  for (int status = 0; status <= static_cast<int>(model::Status::TIMEOUT); ++status) {
    if (dataset::matches_status({pattern}, static_cast<model::Status>(status))) return true;
  }
  return false;
}

template <typename Choice>
void add_choice_into(CLI::App& app, Choice& choice) {
  add_choice<Choice>(app, "--traces", choice,
                     "standing: what the latest run of each solution's present source says (default, but for "
                     "exports of rows, which have all); all: every trace, by the format's own rules",
                     {{"standing", TraceChoice::standing}, {"all", TraceChoice::all}})
      ->type_name("WHICH")
      ->group(kGroup);
}

}  // namespace

void add_baseline_author(CLI::App& app, std::string& author) {
  app.add_option("--baseline-author", author, "Author of the solutions to compare with")
      ->type_name("NAME")
      ->capture_default_str();
}

std::optional<std::int64_t> parsed_since(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto since = util::parse_timestamp(text);
  if (!since) {
    throw CLI::ValidationError("--since",
                               text + " is no time; write 2026-03-17 or 2026-03-17T14:18:00+00:00");
  }
  return since;
}

dataset::Filter RecordFilter::parsed() const {
  dataset::Filter result = filter;
  if (!run.empty()) result.run = run;
  result.since = parsed_since(since);
  return result;
}

void add_catalog_filter(CLI::App& app, dataset::Filter& filter, const std::string& group) {
  const auto add = [&](const char* name, std::vector<std::string>& patterns, const char* help) {
    app.add_option(name, patterns, help)->group(group);
  };
  add("--definitions", filter.definitions, "Only these definitions (names or globs)");
  add("--solutions", filter.solutions, "Only these solutions (names or globs)");
  add("--authors", filter.authors, "Only solutions of these authors (names or globs)");
  add("--op-types", filter.op_types, "Only definitions of these op types (names or globs)");
  add("--workloads", filter.workloads, "Only these workloads (uuids or globs)");
  add("--exclude-definitions", filter.excluded_definitions, "Not these definitions (names or globs)");
  add("--exclude-solutions", filter.excluded_solutions, "Not these solutions (names or globs)");
  const auto take = [&filter](const std::vector<std::string>& texts) {
    try {
      for (const std::string& text : texts) filter.conditions.emplace_back(text);
    } catch (const Error& error) {
      throw CLI::ValidationError("--where", error.what());
    }
  };
  app.add_option_function<std::vector<std::string>>(
         "--where", take,
         "Only workloads whose axes have these sizes: 'batch_size>=64 and head_dim==128'; repeatable")
      ->allow_extra_args(false)
      ->type_name("CONDITION")
      ->group(group);
}

void add_record_filter(CLI::App& app, RecordFilter& options, ByStatus by_status, OneRun one_run) {
  auto& filter = options.filter;
  add_catalog_filter(app, filter, kGroup);
  if (by_status == ByStatus::yes) {
    app.add_option("--status", filter.statuses, "Only traces of these statuses; ranks take all")
        ->check([](const std::string& pattern) {
          return matches_a_status(pattern)
                     ? ""
                     : pattern + " is no status; PASSED is one, TIMEOUT, or a glob: '*_ERROR'";
        })
        ->group(kGroup);
  }
  app.add_option("--hardware", filter.hardware, "Only traces of this hardware")->group(kGroup);
  app.add_option("--since", options.since, "Only traces of this time or later")
      ->type_name("TIME")
      ->group(kGroup);
  if (one_run == OneRun::yes) {
    app.add_option("--run", options.run,
                   "Only traces of this run: its id or the beginning of it, last, last~N, a baseline")
        ->type_name("RUN")
        ->group(kGroup);
  }
  app.add_option("--exclude-run", filter.excluded_runs, "No traces of these runs: as above, or globs of ids")
      ->type_name("RUN")
      ->group(kGroup);
}

void add_trace_choice(CLI::App& app, TraceChoice& choice) { add_choice_into(app, choice); }

void add_trace_choice(CLI::App& app, std::optional<TraceChoice>& choice) { add_choice_into(app, choice); }

std::shared_ptr<const dataset::StandingResults> choose_traces(TraceChoice choice,
                                                              const dataset::Dataset& dataset,
                                                              const std::vector<dataset::TraceRow>& rows,
                                                              const dataset::Filter& filter) {
  if (choice == TraceChoice::all) return nullptr;
  return std::make_shared<const dataset::StandingResults>(dataset, rows, filter);
}

dataset::Filter with_choice(dataset::Filter filter, TraceChoice choice, const dataset::Dataset& dataset) {
  if (choice == TraceChoice::all && filter.excluded_runs.empty() && !filter.run) return filter;
  const auto rows = dataset::read_results(dataset);
  dataset::name_runs(filter, dataset.root, rows);
  filter.standing = choose_traces(choice, dataset, rows, filter);
  return filter;
}

report::Remarks remarks_of(const dataset::StandingResults* standing,
                           const std::vector<dataset::TraceRow>& rows, report::HasReferences has_references) {
  return {report::not_counted_text(standing), report::cautions_of(standing, rows, has_references)};
}

}  // namespace fib::cmd
