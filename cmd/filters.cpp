#include "filters.h"

#include "model/trace.h"
#include "util/clock.h"

namespace fib::cmd {
namespace {

bool matches_a_status(const std::string& pattern) {
  for (int status = 0; status <= static_cast<int>(model::Status::TIMEOUT); ++status) {
    if (dataset::matches({pattern}, std::string(model::name_of(static_cast<model::Status>(status)))))
      return true;
  }
  return false;
}

}  // namespace

dataset::Filter RecordFilter::parsed() const {
  dataset::Filter result = filter;
  if (since.empty()) return result;
  result.since = util::parse_timestamp(since);
  if (!result.since) {
    throw CLI::ValidationError("--since",
                               since + " is no time; write 2026-03-17 or 2026-03-17T14:18:00+00:00");
  }
  return result;
}

void add_record_filter(CLI::App& app, RecordFilter& options) {
  const char* group = "Which records (names or globs)";
  auto& filter = options.filter;
  app.add_option("--definitions", filter.definitions, "Only these definitions")->group(group);
  app.add_option("--solutions", filter.solutions, "Only these solutions")->group(group);
  app.add_option("--authors", filter.authors, "Only solutions of these authors")->group(group);
  app.add_option("--op-types", filter.op_types, "Only definitions of these op types")->group(group);
  app.add_option("--status", filter.statuses, "Only traces of these statuses")
      ->check([](const std::string& pattern) {
        return matches_a_status(pattern)
                   ? ""
                   : pattern + " is no status; PASSED is one, TIMEOUT, or a glob: '*_ERROR'";
      })
      ->group(group);
  app.add_option("--hardware", filter.hardware, "Only traces of this hardware")->group(group);
  app.add_option("--since", options.since, "Only traces of this time or later")
      ->type_name("TIME")
      ->group(group);
}

}  // namespace fib::cmd
