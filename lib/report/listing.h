#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dataset/load.h"
#include "report/document.h"

namespace fib::report {

// Names or shell globs; an empty list holds everything.
struct ListFilters {
  std::vector<std::string> definitions;
  std::vector<std::string> authors;   // of solutions, and of the solutions of traces
  std::vector<std::string> op_types;  // records of unknown definitions have none

  [[nodiscard]] bool holds_definition(const dataset::Dataset& dataset, const std::string& name) const;
  [[nodiscard]] bool holds_solution(const dataset::Dataset& dataset, const model::Solution& solution) const;
  [[nodiscard]] bool holds_trace(const dataset::Dataset& dataset, const model::Trace& trace) const;
};

enum class ListKind { overview, definitions, solutions, workloads, traces };

// What of a dataset passes the filters. The overview has two tables, all others one.
struct Listing {
  std::string path;
  bool filtered = false;
  std::string totals;                                 // of the overview, for people
  std::vector<std::pair<std::string, Table>> tables;  // key ("op_types"), table
};

[[nodiscard]] Listing list(const dataset::Dataset& dataset, ListKind kind, const ListFilters& filters);

// The whole report. Csv holds the first table of each dataset. Pure.
[[nodiscard]] std::string render_listings(const std::vector<Listing>& listings, ListKind kind, Format format,
                                          const TextStyle& style);

}  // namespace fib::report
