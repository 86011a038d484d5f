#include <nlohmann/json.hpp>

#include "tracing/tracing.h"

namespace fib::tracing {
namespace {

using nlohmann::ordered_json;

// Null when there is nothing to say of it.
ordered_json statistics_of(const Site& site) {
  ordered_json result;
  for (std::size_t i = 0; i < kOutcomes; ++i) {
    const auto outcome = static_cast<Outcome>(i);
    if (const auto calls = site.count_of(outcome); calls > 0) result[name_of(outcome)] = calls;
  }
  if (const std::uint64_t written = site.written; written > 0) result["written"] = written;
  if (const std::uint64_t lost = site.lost; lost > 0) result["lost"] = lost;
  const std::string problem = site.problem().empty() ? site.first_problem() : site.problem();
  if (!problem.empty()) result["problem"] = problem;
  return result;
}

}  // namespace

std::string Tracing::statistics() const {
  ordered_json result;
  result["definitions"] = ordered_json::object();
  for (const auto& [name, site] : sites_) {
    if (auto of_site = statistics_of(*site); !of_site.is_null()) result["definitions"][name] = of_site;
  }
  result["unknown_definitions"] = unknown_.load();
  result["rules_without_definition"] = rules_without_definition_;
  result["bytes_held"] = budget_.used();
  result["device_bytes_held"] = devices_ == nullptr ? 0 : devices_->bytes_held();
  result["last_error"] = writer_.last_error();
  // Names may be anything that is no UTF-8.
  return result.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace fib::tracing
