#include "apply/runtime.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apply/trust.h"

namespace fib::apply {
namespace {

bool demands_trust(const Registry& registry) {
  return (registry.fallback && registry.fallback->require_trust) ||
         std::any_of(registry.per_definition.begin(), registry.per_definition.end(),
                     [](const auto& entry) { return entry.second.require_trust; });
}

nlohmann::ordered_json to_json(const Verifier::Counts& counts) {
  nlohmann::ordered_json result = {{"agreed", counts.agreed}, {"differed", counts.differed}};
  if (counts.not_compared > 0) result["not_compared"] = counts.not_compared;
  if (!counts.problem.empty()) result["problem"] = counts.problem;
  return result;
}

}  // namespace

Runtime::Runtime(const dataset::Dataset& dataset, Registry registry, std::filesystem::path program)
    : registry_(std::move(registry)),
      shared_{make_table(dataset, registry_)},
      definitions_(dataset.definitions) {
  shared_.program = std::move(program);
  table_json_ = to_json(shared_.table, dataset);
  for (const auto& [name, own] : shared_.table.definitions) {
    for (const auto& winner : own.winners) {
      auto& solution = shared_.solutions[winner.solution];
      if (solution) continue;
      const auto& record = dataset.solutions.at(winner.solution);
      solution = std::make_unique<AppliedSolution>(record, trust_key(record, dataset.definitions.at(name)));
    }
  }
  if (!demands_trust(registry_)) return;
  for (const auto& [hash, name] : read_trust(trust_file())) shared_.trusted.insert(hash);
}

const Function& Runtime::find(std::string_view name) {
  const std::lock_guard lock(mutex_);
  auto known = functions_.find(name);
  if (known == functions_.end()) {
    const std::string key(name);
    const auto definition = definitions_.find(key);
    const auto* found = definition == definitions_.end() ? nullptr : &definition->second;
    known = functions_.emplace(key, std::make_unique<Function>(registry_.find(key), found, shared_)).first;
  }
  return *known->second;
}

std::string Runtime::statistics_json() const {
  using nlohmann::ordered_json;
  ordered_json calls = ordered_json::object();
  ordered_json verified = ordered_json::object();
  const std::lock_guard lock(mutex_);
  for (const auto& [name, function] : functions_) {
    ordered_json counts = ordered_json::object();
    for (std::size_t i = 0; i < kOutcomes; ++i) {
      const auto outcome = static_cast<fib_outcome>(i);
      if (function->count(outcome) > 0) counts[fib_outcome_name(outcome)] = function->count(outcome);
    }
    calls[name] = std::move(counts);
    if (function->verifier() != nullptr) verified[name] = to_json(function->verifier()->counts());
  }
  ordered_json dropped = ordered_json::object();
  for (const auto& [name, solution] : shared_.solutions) {
    if (solution->is_dropped()) dropped[name] = solution->drop_reason();
  }
  // Names and reasons may be anybody's, and no UTF-8.
  return ordered_json{{"calls", calls}, {"dropped", dropped}, {"verified", verified}}.dump(
      -1, ' ', false, ordered_json::error_handler_t::replace);
}

std::vector<Runtime::Warmed> Runtime::warm(std::string_view definition, std::int32_t device_type,
                                           std::int32_t device_id) {
  std::vector<Warmed> result;
  for (const auto& [name, own] : shared_.table.definitions) {
    if (!definition.empty() && name != definition) continue;
    for (auto& warmed : find(name).warm(device_type, device_id))
      result.push_back({{std::move(warmed)}, name});
  }
  return result;
}

void Runtime::set_fallback(std::string_view definition, fib_fallback fallback, void* user) {
  if (auto* verifier = find(definition).verifier(); verifier != nullptr)
    verifier->set_fallback(fallback, user);
}

void Runtime::drop(const std::string& name, const std::string& reason) {
  const auto solution = shared_.solutions.find(name);
  if (solution != shared_.solutions.end()) solution->second->drop(reason);
}

}  // namespace fib::apply
