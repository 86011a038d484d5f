#include "report/listing.h"

#include <fmt/format.h>

#include "dataset/standing.h"
#include "report/datasets.h"
#include "report/listing_tables.h"
#include "report/overview.h"

namespace fib::report {
namespace {

namespace json = model::json;
using dataset::Dataset;

struct Words {
  const char* report;  // the name of the json document
  const char* key;     // of the first table
  const char* none;    // what there is none of
};

Words words_of(ListKind kind) {
  switch (kind) {
    case ListKind::definitions:
      return {"list_definitions", "definitions", "definitions"};
    case ListKind::solutions:
      return {"list_solutions", "solutions", "solutions"};
    case ListKind::workloads:
      return {"list_workloads", "workloads", "workloads"};
    case ListKind::traces:
      return {"list_traces", "traces", "traces"};
    case ListKind::overview:
      break;
  }
  return {"list", "op_types", "definitions, solutions, workloads or traces"};
}

json::Value to_json(const Listing& listing) {
  json::Value object = json::make_object();
  object.add("path", json::make_string(listing.path));
  for (const auto& [key, table] : listing.tables) object.add(key, to_json(table));
  return object;
}

present::Table csv_table(const std::vector<Listing>& listings) {
  present::Table all;
  for (const Listing& listing : listings) {
    append(all,
           present::with_leading(listing.tables.front().second, present::text_column("Dataset", "dataset"),
                                 present::text_cell(listing.path)));
  }
  return all;
}

void write_listing(present::Document& document, const Listing& listing, ListKind kind) {
  bool empty = true;
  for (const auto& [key, table] : listing.tables) empty = empty && table.rows.empty();
  if (empty) {
    document.paragraph(fmt::format("No {} in {}{}", words_of(kind).none, listing.path,
                                   listing.filtered ? " match the filters" : ""));
    return;
  }
  if (!listing.totals.empty()) document.paragraph(listing.totals);
  for (const auto& [key, table] : listing.tables) document.table("", table);
  if (kind == ListKind::overview || kind == ListKind::solutions)
    document.notes(
        {"Results: traces that stand, as reports count them (the latest of each source as it is now); "
         "Passed: of these"});
}

}  // namespace

Listing list(const Dataset& dataset, ListKind kind, const dataset::Filter& filters) {
  const dataset::StandingResults standing(dataset, dataset.traces);
  Listing listing;
  listing.path = dataset.root.string();
  listing.filtered = !filters.definitions.empty() || !filters.authors.empty() || !filters.op_types.empty();
  const auto add = [&](present::Table table) {
    listing.tables.emplace_back(words_of(kind).key, std::move(table));
  };
  switch (kind) {
    case ListKind::overview:
      listing.totals = totals_text(dataset, filters, standing);
      add(op_types_table(dataset, filters, standing));
      listing.tables.emplace_back("authors", authors_table(dataset, filters, standing));
      break;
    case ListKind::definitions:
      add(list_definitions(dataset, filters));
      break;
    case ListKind::solutions:
      add(list_solutions(dataset, filters, standing));
      break;
    case ListKind::workloads:
      add(list_workloads(dataset, filters));
      break;
    case ListKind::traces:
      add(list_traces(dataset, filters, standing));
      break;
  }
  return listing;
}

std::string render_listings(const std::vector<Listing>& listings, ListKind kind, present::Format format,
                            const present::TextStyle& style) {
  const Writing<Listing> writing{words_of(kind).report, [&] { return csv_table(listings); },
                                 [](const Listing& listing) { return to_json(listing); },
                                 [kind](present::Document& document, const Listing& listing) {
                                   write_listing(document, listing, kind);
                                 }};
  return render(listings, writing, format, style);
}

}  // namespace fib::report
