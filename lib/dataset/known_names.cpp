#include "dataset/known_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "dataset/queries.h"
#include "util/closest.h"
#include "util/error.h"
#include "util/shell_word.h"

namespace fib::dataset {
namespace {

// What `fib list` takes to list them.
std::string_view kind_of(std::string_view what) {
  if (what == "workload") return " workloads";
  if (what == "solution" || what == "author") return " solutions";
  return " definitions";
}

Error unknown(const std::string& name, const std::set<std::string>& names, std::string_view what,
              const std::string& where) {
  const auto alike = util::did_you_mean(name, {names.begin(), names.end()});
  return Error(
      "no {} is called \"{}\"{}", what, name,
      alike.empty() ? fmt::format("; to see what there is: fib list{}{}", kind_of(what), where) : alike);
}

void check_patterns(const std::vector<std::string>& patterns, const std::set<std::string>& names,
                    std::string_view what, const std::string& where) {
  for (const auto& pattern : patterns) {
    const bool any = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return what == "workload" ? matches_uuid({pattern}, name) : matches({pattern}, name);
    });
    if (!any) throw unknown(pattern, names, what, where);
  }
}

}  // namespace

KnownNames::KnownNames(const std::vector<Dataset>& datasets) {
  for (const Dataset& dataset : datasets) add(dataset);
}

void KnownNames::add(const Dataset& dataset) {
  where_ += " --local " + util::shell_word(dataset.root.string());
  for (const auto& [name, definition] : dataset.definitions) {
    definitions_.insert(name);
    op_types_.insert(definition.op_type);
    for (const auto& [axis, size] : definition.axes) axes_.insert(axis);
  }
  for (const auto& [name, solution] : dataset.solutions) {
    solutions_.insert(name);
    authors_.insert(solution.author);
  }
  for (const auto& [definition, workloads] : dataset.workloads) {
    for (const auto& workload : workloads) workloads_.insert(workload.uuid);
  }
  add(dataset.traces);
}

void KnownNames::add(const std::vector<TraceRow>& rows) {
  for (const TraceRow& trace : rows) {
    definitions_.insert(*trace.definition);
    workloads_.insert(trace.workload->uuid);
    if (trace.solution != nullptr) solutions_.insert(*trace.solution);
  }
}

void KnownNames::check(const Filter& filter) const {
  check_patterns(filter.definitions, definitions_, "definition", where_);
  check_patterns(filter.solutions, solutions_, "solution", where_);
  check_patterns(filter.authors, authors_, "author", where_);
  check_patterns(filter.op_types, op_types_, "op type", where_);
  check_patterns(filter.workloads, workloads_, "workload", where_);
  check_patterns(filter.excluded_definitions, definitions_, "definition", where_);
  check_patterns(filter.excluded_solutions, solutions_, "solution", where_);
  for (const AxisCondition& condition : filter.conditions)
    check_patterns(condition.axes(), axes_, "axis", where_);
}

void KnownNames::check_baseline_author(const std::string& author) const {
  if (author != kUsualBaselineAuthor && !authors_.contains(author))
    throw unknown(author, authors_, "author", where_);
}

}  // namespace fib::dataset
