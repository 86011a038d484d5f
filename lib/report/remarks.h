#pragma once

#include <string>
#include <vector>

#include "dataset/standing.h"
#include "model/json_value.h"
#include "report/document.h"

namespace fib::report {

// What a report says of the results that it counts, below its tables.
struct Remarks {
  std::string not_counted;            // of traces that do not stand; empty: nothing
  std::vector<std::string> cautions;  // why its numbers may be off, a sentence each, with what to do

  [[nodiscard]] bool is_empty() const { return not_counted.empty() && cautions.empty(); }
};

// The cautions about the results that stand among `rows`: references that took different times in one run.
// `standing` may be null: then every trace counts, with what it recorded itself, and there are none. Pure.
[[nodiscard]] std::vector<std::string> cautions_of(const dataset::StandingResults* standing,
                                                   const std::vector<dataset::TraceRow>& rows);

// A line each; nothing when there are none.
void write(Document& document, const Remarks& remarks);

// Adds the members `not_counted`, null or text, and `cautions`, a list.
void add_to(model::json::Value& object, const Remarks& remarks);

}  // namespace fib::report
