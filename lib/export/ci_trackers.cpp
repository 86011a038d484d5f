#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "export/ci_forms.h"
#include "present/text.h"

namespace fib::exports {
namespace {

using nlohmann::ordered_json;

// Milliseconds as nanoseconds, to a thousandth: the product has digits that nobody measured.
double nanoseconds(double milliseconds) { return std::round(milliseconds * 1e9) / 1e3; }

std::string extra(const CiResult& result, const std::map<std::string, std::string>& commits) {
  std::string text = "status: " + std::string(model::name_of(result.detail.status()));
  const auto add = [&](const char* what, const std::string& value) {
    text += fmt::format("\n{}: {}", what, present::printable(value));
  };
  if (const auto speedup = result.speedup()) add("speedup", present::format_score(*speedup));
  if (result.detail.samples > 0) add("calls", std::to_string(result.detail.samples));
  if (result.detail.clock != nullptr) add("clock", *result.detail.clock);
  if (result.detail.inputs_changed) add("inputs", "changed by the solution");
  if (result.detail.run_id == nullptr) return text;
  add("run", *result.detail.run_id);
  if (const auto commit = commits.find(*result.detail.run_id); commit != commits.end())
    add("commit", commit->second);
  return text;
}

}  // namespace

std::string action_benchmark(const std::vector<CiResult>& results,
                             const std::map<std::string, std::string>& commits) {
  ordered_json array = ordered_json::array();
  UniqueNames names;
  for (const CiResult& result : results) {
    const auto latency = result.latency_ms();
    if (!latency) continue;
    ordered_json entry{{"name", names(result.name())}, {"unit", "ms"}, {"value", *latency}};
    if (const auto bounds = result.bounds())
      entry["range"] = fmt::format("± {:.2g}", (bounds->high_ms - bounds->low_ms) / 2);
    entry["extra"] = extra(result, commits);
    array.push_back(std::move(entry));
  }
  return array.dump(2) + "\n";
}

std::string bencher_metrics(const std::vector<CiResult>& results) {
  ordered_json document = ordered_json::object();
  UniqueNames names;
  for (const CiResult& result : results) {
    const auto latency = result.latency_ms();
    if (!latency) continue;
    ordered_json value{{"value", nanoseconds(*latency)}};
    if (const auto bounds = result.bounds()) {
      value["lower_value"] = nanoseconds(bounds->low_ms);
      value["upper_value"] = nanoseconds(bounds->high_ms);
    }
    ordered_json& benchmark = document[names(result.name())];
    benchmark["latency"] = std::move(value);
    if (const auto speedup = result.speedup()) benchmark["speedup"]["value"] = *speedup;
  }
  return document.dump(2) + "\n";
}

}  // namespace fib::exports
