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

// Options that choose records: those, and for results --status, --hardware, --since, --exclude-run.
struct RecordFilter {
  dataset::Filter filter;
  std::string since;

  // What the options say. Throws CLI::ValidationError when --since is no time.
  [[nodiscard]] dataset::Filter parsed() const;
};

void add_record_filter(CLI::App& app, RecordFilter& options);

// Which traces of a key count: --traces.
enum class TraceChoice { standing, all };

void add_trace_choice(CLI::App& app, TraceChoice& choice);
void add_trace_choice(CLI::App& app, std::optional<TraceChoice>& choice);

// Throws Error for the first of `filter.excluded_runs` that no row is of.
void check_excluded_runs(const dataset::Filter& filter, const std::vector<dataset::TraceRow>& rows);

// The choice among `rows`, the traces of `dataset`; null where all count. Throws Error when `filter` excludes
// a run of which there is no trace.
[[nodiscard]] std::shared_ptr<const dataset::StandingResults> choose_traces(
    TraceChoice choice, const dataset::Dataset& dataset, const std::vector<dataset::TraceRow>& rows,
    const dataset::Filter& filter);

// The filter with that choice, for a dataset that was loaded without results.
[[nodiscard]] dataset::Filter with_choice(dataset::Filter filter, TraceChoice choice,
                                          const dataset::Dataset& dataset);

// What reports say of the results that stand among `rows`, and of traces that do not; nothing where
// `standing` is null.
[[nodiscard]] report::Remarks remarks_of(const dataset::StandingResults* standing,
                                         const std::vector<dataset::TraceRow>& rows,
                                         report::HasReferences has_references = report::HasReferences::yes);

}  // namespace fib::cmd
