#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dataset/standing.h"
#include "model/json_value.h"
#include "present/document.h"

namespace fib::report {

// What a report says of the results that it counts, below its tables.
struct Remarks {
  std::string not_counted;            // of traces that do not stand; empty: nothing
  std::vector<std::string> cautions;  // why its numbers may be off, a sentence each, with what to do

  [[nodiscard]] bool is_empty() const { return not_counted.empty() && cautions.empty(); }
};

// That results of these definitions, one at least, are of several runs: a sentence. Pure.
[[nodiscard]] std::string several_runs_text(const std::vector<std::string>& definitions);

// Whether a report has speedups against references.
enum class HasReferences { no, yes };
[[nodiscard]] constexpr HasReferences has_references_if(bool any) {
  return any ? HasReferences::yes : HasReferences::no;
}

// What makes the latencies and speedups of the results `rows` that passed doubtful, each with its number, the
// worst case and what to do: calls that vary (CV above 5 %) or are few (below 10), a long tail (the 95 %
// quantile above 1.5 medians), a load above the number of cores when their run began, throttling that the
// driver told, GPU clocks below 90 % of the device's maximum (where that is not recorded, of the highest
// among the rows of the hardware), calls repeated for throttling (above 5 %); and, of those that stand,
// references that took different times in one run (above 10 %) or on its devices (above 2 %), where a report
// has speedups against them; and definitions whose results stand and are not all of one run. `standing` may
// be null: then every trace counts, with the reference that it recorded itself. `noun`: what one of the rows
// is. Pure.
[[nodiscard]] std::vector<std::string> cautions_of(const dataset::StandingResults* standing,
                                                   const std::vector<dataset::TraceRow>& rows,
                                                   HasReferences has_references = HasReferences::yes,
                                                   std::string_view noun = "result");

// The same with the times of the references that `references` has of the rows.
[[nodiscard]] std::vector<std::string> cautions_of(const dataset::ReferenceTimes& references,
                                                   const std::vector<dataset::TraceRow>& rows);

// A line each; nothing when there are none.
void write(present::Document& document, const Remarks& remarks);

// Adds the members `not_counted`, null or text, and `cautions`, a list.
void add_to(model::json::Value& object, const Remarks& remarks);

}  // namespace fib::report
