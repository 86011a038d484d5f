#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dataset/filter.h"
#include "dataset/load.h"
#include "present/document.h"

namespace fib::report {

enum class ListKind { overview, definitions, solutions, workloads, traces };

// What of a dataset passes the filters. The overview has two tables, all others one.
struct Listing {
  std::string path;
  bool filtered = false;
  std::string totals;                                          // of the overview, for people
  std::vector<std::pair<std::string, present::Table>> tables;  // key ("op_types"), table
};

[[nodiscard]] Listing list(const dataset::Dataset& dataset, ListKind kind, const dataset::Filter& filters);

// The whole report. Csv holds the first table of each dataset. Pure.
[[nodiscard]] std::string render_listings(const std::vector<Listing>& listings, ListKind kind,
                                          present::Format format, const present::TextStyle& style);

}  // namespace fib::report
