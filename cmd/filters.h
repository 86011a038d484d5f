#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "dataset/filter.h"
#include "dataset/standing.h"
#include "report/remarks.h"

namespace fib::cmd {

// Adds the options that choose definitions, solutions and workloads by what they are: --definitions,
// --solutions, --authors, --op-types, --workloads, --exclude-definitions, --exclude-solutions, --where.
void add_catalog_filter(CLI::App& app, dataset::Filter& filter, const std::string& group);

// Microseconds since 1970; nothing for "". Throws CLI::ValidationError of --since for what is no time.
[[nodiscard]] std::optional<std::int64_t> parsed_since(const std::string& text);

// Options that choose records: those, and for results --hardware, --since, --exclude-run, and
// mostly --status and --run.
struct RecordFilter {
  dataset::Filter filter;
  std::string since;
  std::string run;  // what --run names; empty: every run

  // What the options say; runs are as they were named. Throws CLI::ValidationError when --since is no time.
  [[nodiscard]] dataset::Filter parsed() const;
};

// Whether there is --run: not where runs are chosen otherwise.
enum class OneRun { no, yes };

// Whether there is --status: not where solutions are ranked, which takes all of their results.
enum class ByStatus { no, yes };

void add_record_filter(CLI::App& app, RecordFilter& options, ByStatus by_status,
                       OneRun one_run = OneRun::yes);

// --baseline-author.
void add_baseline_author(CLI::App& app, std::string& author);

// Which traces of a key count: --traces.
enum class TraceChoice { standing, all };

void add_trace_choice(CLI::App& app, TraceChoice& choice);
void add_trace_choice(CLI::App& app, std::optional<TraceChoice>& choice);

// The choice among `rows`, the traces of `dataset`; null where all count.
[[nodiscard]] std::shared_ptr<const dataset::StandingResults> choose_traces(
    TraceChoice choice, const dataset::Dataset& dataset, const std::vector<dataset::TraceRow>& rows,
    const dataset::Filter& filter);

// The filter with that choice and with its runs named, for a dataset that was loaded without results. Throws
// Error when a run that it names is not there.
[[nodiscard]] dataset::Filter with_choice(dataset::Filter filter, TraceChoice choice,
                                          const dataset::Dataset& dataset);

// What reports say of the results that stand among `rows`, and of traces that do not; nothing where
// `standing` is null.
[[nodiscard]] report::Remarks remarks_of(const dataset::StandingResults* standing,
                                         const std::vector<dataset::TraceRow>& rows,
                                         report::HasReferences has_references = report::HasReferences::yes);

}  // namespace fib::cmd
