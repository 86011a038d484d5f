#include "validate_cases.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/plan.h"
#include "present/text.h"
#include "synthesis/proposals.h"
#include "util/machine.h"

namespace fib::cmd {
namespace {

// Experts' weights fill gigabytes, and the engines make several copies of them, some in float32.
std::uint64_t largest_proposal() {
  return std::max(synthesis::ProposalLimits().bytes, util::physical_memory() / 32);
}

bool has_unreadable_workloads(const dataset::Dataset& dataset, const model::Definition& definition) {
  return std::any_of(dataset.problems.begin(), dataset.problems.end(), [&](const dataset::Problem& problem) {
    return std::filesystem::path(problem.file).filename() == definition.name + ".jsonl";
  });
}

}  // namespace

CheckedWorkloads workloads_to_check(const dataset::Dataset& dataset, const model::Definition& definition,
                                    std::size_t synthesize) {
  CheckedWorkloads found;
  eval::Rule rule{};
  try {
    rule = bench::rule_for(dataset, definition);
  } catch (const Error& error) {
    found.why_none = error.what();
    return found;
  }
  const auto add = [&](const std::vector<model::Workload>& workloads) {
    for (const auto& workload : workloads) found.cases.push_back({&definition, workload, dataset.root, rule});
  };
  const auto known = dataset.workloads.find(definition.name);
  if (known != dataset.workloads.end()) add(known->second);
  if (!found.cases.empty()) return found;
  if (has_unreadable_workloads(dataset, definition)) {
    found.why_none = "no workload can be read (see the check workload)";
    return found;
  }
  found.why_none = "there are no workloads to run; --synthesize N proposes some";
  if (synthesize == 0) return found;
  found.proposed = true;
  try {
    add(synthesis::propose_workloads(definition, synthesize, {largest_proposal()}));
  } catch (const Error& error) {
    found.why_none = fmt::format("no workloads, and none can be proposed: {}", error.what());
  }
  return found;
}

std::string interruption(const std::string& check, std::size_t done, std::size_t planned) {
  return fmt::format("interrupted: the {} check looked at {} of {}", check, done,
                     present::plural(planned, "workload"));
}

std::string sentence_of(const std::string& failure) {
  constexpr std::string_view kPrefix = "the reference failed: ";
  const auto begin = failure.starts_with(kPrefix) ? kPrefix.size() : 0;
  return failure.substr(begin, failure.find('\n', begin) - begin);
}

}  // namespace fib::cmd
