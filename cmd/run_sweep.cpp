#include "run_sweep.h"

#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <map>

#include "present/text.h"
#include "util/some_of.h"
#include "validate/broken_constraint.h"

namespace fib::cmd {
namespace {

void log_skipped(const std::vector<bench::SkippedWorkload>& skipped) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const auto& one : skipped) by_reason[one.reason].push_back(one.name);
  for (const auto& [reason, names] : by_reason) {
    spdlog::info("not swept: {}: {}", present::printable(util::some_of(names, "", 1)),
                 present::printable(reason));
  }
}

}  // namespace

bench::Sweep choose_sweep(const std::vector<std::string>& texts, const bench::RunConfig& config,
                          const std::vector<dataset::Dataset>& datasets, const dataset::Filter& filter) {
  try {
    return bench::make_sweep(texts, config, bench::axes_of(datasets, filter));
  } catch (const Error& error) {
    throw CLI::ValidationError("--sweep", error.what());
  }
}

bench::SweptWorkloads swept_workloads(std::vector<dataset::Dataset>& datasets, const dataset::Filter& filter,
                                      const bench::Sweep& sweep) {
  if (sweep.axes.empty()) return {};
  std::vector<bench::SkippedWorkload> skipped;
  auto workloads = bench::add_swept_workloads(datasets, filter, sweep, validate::broken_constraint, skipped);
  log_skipped(skipped);
  return workloads;
}

std::string swept_text(const bench::PlannedEvaluation& planned) {
  std::string text;
  if (!planned.sweep.is_object()) return text;
  for (const auto& [key, value] : planned.sweep.items()) {
    text += fmt::format("{}{}={}", text.empty() ? "  " : " ", key,
                        value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

}  // namespace fib::cmd
