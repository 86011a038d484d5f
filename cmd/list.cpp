#include <memory>

#include "commands.h"
#include "dataset/known_names.h"
#include "report/listing.h"
#include "report_common.h"

namespace fib::cmd {
namespace {

struct ListOptions {
  ReadOptions read;
  report::ListKind kind = report::ListKind::overview;
  dataset::Filter filters;
};

int run(const ListOptions& options) {
  std::vector<report::Listing> listings;
  const auto datasets = load_datasets(options.read);
  dataset::KnownNames(datasets).check(options.filters);
  for (const auto& dataset : datasets) {
    listings.push_back(report::list(dataset, options.kind, options.filters));
  }
  print_result(report::render_listings(listings, options.kind, options.read.format, stdout_style()));
  return kDone;
}

}  // namespace

void add_list(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* list = app.add_subcommand("list", "List what datasets hold");
  add_choice(*list, "what", options->kind, "What to list; default: an overview",
             {{"definitions", report::ListKind::definitions},
              {"solutions", report::ListKind::solutions},
              {"workloads", report::ListKind::workloads},
              {"traces", report::ListKind::traces}})
      ->type_name("KIND");
  add_read_options(*list, options->read);
  add_catalog_filter(*list, options->filters, "Which records");
  list->footer(std::string("Examples:\n"
                           "  fib list --local DIR\n"
                           "  fib list solutions --local DIR --definitions 'gemm_*' --authors alice bob\n"
                           "  fib list traces --local DIR --format csv > traces.csv\n") +
               kLocalDefault);
  list->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace fib::cmd
