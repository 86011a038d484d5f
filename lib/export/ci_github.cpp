#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "export/ci_forms.h"
#include "present/github.h"
#include "present/text.h"
#include "report/details.h"
#include "report/record_file.h"
#include "util/some_of.h"

namespace fib::exports {
namespace {

using present::Annotation;

constexpr std::size_t kTitleColumns = 200;  // GitHub takes 255 characters
constexpr std::size_t kAnnotationLogLines = 5;
constexpr std::size_t kAnnotationLogBytes = 2048;

// Results of one solution that are told together.
using ToldTogether = std::vector<const CiResult*>;

auto cause_key(const CiResult& result) {
  return std::make_tuple(result.hardware(), result.definition(), result.solution(), result.detail.status());
}

// In the order in which their first results come; what was skipped is told with the last failure before it.
std::vector<ToldTogether> grouped(std::vector<const CiResult*> results) {
  std::vector<ToldTogether> groups;
  std::map<std::string, std::size_t> places;
  const auto tried_end = std::stable_partition(
      results.begin(), results.end(), [](const auto* result) { return !result->detail.failure.was_skipped; });
  for (auto result = results.begin(); result != tried_end; ++result) {
    const auto [place, is_new] = places.emplace(error_key(**result), groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(*result);
  }
  std::map<decltype(cause_key(*results.front())), std::size_t> causes;  // the last group of each
  for (std::size_t i = 0; i < groups.size(); ++i) causes[cause_key(*groups[i].front())] = i;
  for (auto result = tried_end; result != results.end(); ++result) {
    const auto [cause, is_new] = causes.emplace(cause_key(**result), groups.size());
    if (is_new) groups.emplace_back();
    groups[cause->second].push_back(*result);
  }
  return groups;
}

std::string title(const std::string& what, const CiResult& result) {
  return present::shorten(
      present::printable(fmt::format("{}: {} / {}", what, result.definition(), result.solution())),
      kTitleColumns);
}

// "gemm / fast / M=1 (H200)", "gemm / fast / M=1, M=2, M=3 and 4 more workloads (H200)".
std::string name_of(const ToldTogether& group) {
  if (group.size() == 1) return group.front()->name();
  const CiResult& first = *group.front();
  std::vector<std::string> workloads;
  for (const CiResult* result : group) workloads.push_back(result->workload);
  return present::printable(fmt::format("{} / {} / {} ({})", first.definition(), first.solution(),
                                        util::some_of(workloads, "workload"), first.hardware()));
}

present::AnnotationPlace place_of(const CiResult& result, const dataset::Dataset& dataset,
                                  const std::filesystem::path& folder) {
  return {report::record_file(dataset, result.solution(), folder)};
}

std::string error(const ToldTogether& group, const present::AnnotationPlace& place) {
  const CiResult& first = *group.front();
  const auto status = first.detail.status();
  const std::string log = log_part(status, first.detail.log, kAnnotationLogLines, kAnnotationLogBytes);
  // Numbers in it are those of one workload.
  const std::string whose = group.size() > 1 ? "Log of " + present::printable(first.workload) + ":\n" : "";
  return present::annotation(Annotation::error,
                             title(report::status_text(status, first.detail.failure), first),
                             name_of(group) + (log.empty() ? "" : "\n" + whose + log), place);
}

std::string warning(const ToldTogether& group, const present::AnnotationPlace& place) {
  return present::annotation(Annotation::warning, title("inputs changed", *group.front()),
                             name_of(group) + "\nIt passed, but the solution wrote to its inputs.", place);
}

}  // namespace

CiTotals::CiTotals(const std::vector<CiResult>& all, report::RunRest without_result)
    : results(all.size()), rest(std::move(without_result)) {
  for (const CiResult& result : all) {
    if (!result.passed()) {
      ++failed[std::string(model::name_of(result.detail.status()))];
      continue;
    }
    ++passed;
    if (result.detail.inputs_changed) ++changed_inputs;
  }
}

std::string CiTotals::text() const {
  std::string more = rest.is_none() ? "" : "; " + rest.text();
  if (!rest.skipped.empty()) more += "; " + rest.skipped_text();
  if (results == 0) return "no results" + more;
  std::string text =
      fmt::format("{}: {} passed, {} failed", present::plural(results, "result"), passed, results - passed);
  std::string statuses;
  for (const auto& [status, count] : failed)
    statuses += fmt::format("{}{} {}", statuses.empty() ? "" : ", ", count, status);
  if (!statuses.empty()) text += " (" + statuses + ")";
  if (changed_inputs > 0) text += fmt::format("; {} of those that passed changed inputs", changed_inputs);
  return text + more;
}

std::string github_commands(const std::vector<CiResult>& results, const dataset::Dataset& dataset,
                            const std::filesystem::path& folder, const report::RunRest& rest) {
  std::vector<const CiResult*> failed;
  std::vector<const CiResult*> changed;
  for (const CiResult& result : results) {
    if (!result.passed()) {
      failed.push_back(&result);
    } else if (result.detail.inputs_changed) {
      changed.push_back(&result);
    }
  }
  present::FirstAnnotations errors;
  present::FirstAnnotations warnings;
  for (const ToldTogether& group : grouped(failed))
    errors.add(error(group, place_of(*group.front(), dataset, folder)));
  for (const ToldTogether& group : grouped(changed))
    warnings.add(warning(group, place_of(*group.front(), dataset, folder)));
  if (!rest.is_none())
    warnings.add(present::annotation(Annotation::warning, "not done", present::printable(rest.text())));
  return errors.text("error") + warnings.text("warning") +
         present::annotation(Annotation::notice, "fib", CiTotals(results, rest).text());
}

}  // namespace fib::exports
