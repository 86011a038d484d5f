#include "report/run_rest.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "dataset/filter.h"
#include "dataset/runs.h"
#include "present/text.h"
#include "util/some_of.h"

namespace fib::report {

std::string RunRest::text() const {
  constexpr std::size_t kMostColumns = 200;  // of a reason
  const std::string run = "run " + present::printable(run_id);
  if (!has_record)
    return run +
           " has no record (it was killed, still runs, or its record is lost), so that nobody knows what is "
           "missing";
  std::vector<std::string> reasons;
  for (const auto& one : in_vain)
    reasons.push_back(fmt::format("{} of {}: {}", one.evaluations, present::printable(one.solution),
                                  present::shorten(present::printable(one.reason), kMostColumns)));
  return fmt::format(
      "{} of {} {} no result{}", present::plural(not_done, "evaluation"), run, not_done == 1 ? "has" : "have",
      reasons.empty() ? "" : " (" + util::some_of(reasons, "reason", util::kNamed, "; ") + ")");
}

std::string RunRest::skipped_text() const {
  if (skipped.empty()) return "";
  return fmt::format("{} {} skipped", present::plural(skipped.size(), "solution"),
                     skipped.size() == 1 ? "was" : "were");
}

RunRest rest_of_run(const std::filesystem::path& root, const std::string& run_id) {
  std::vector<dataset::Problem> problems;
  const auto records = dataset::read_runs(root, problems);
  const auto found = std::find_if(records.begin(), records.end(),
                                  [&](const dataset::RunRecord& record) { return record.run_id == run_id; });
  if (found == records.end()) return {run_id, 0, false};
  return {run_id, found->not_done.value_or(0), true, found->skipped, found->in_vain};
}

RunRest rest_of_last_runs(const std::filesystem::path& root, const std::set<std::string>& hardware,
                          const std::vector<std::string>& excluded) {
  std::vector<dataset::Problem> problems;
  std::map<std::string, RunRest> last;  // by hardware
  for (const auto& record : dataset::read_runs(root, problems)) {
    const bool is_excluded = !excluded.empty() && dataset::matches(excluded, record.run_id);
    const bool is_asked_for = record.hardware.empty() || hardware.contains(record.hardware);
    if (is_asked_for && !is_excluded)
      last[record.hardware] = {record.run_id, record.not_done.value_or(0), true, {}, record.in_vain};
  }
  for (const auto& [name, rest] : last) {
    if (!rest.is_none()) return rest;
  }
  return {};
}

}  // namespace fib::report
