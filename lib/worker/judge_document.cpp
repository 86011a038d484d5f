#include "worker/judge_document.h"

#include <nlohmann/json.hpp>

namespace fib::worker {

using nlohmann::ordered_json;

std::string JudgeDocument::to_json() const {
  ordered_json files = ordered_json::object();
  for (const auto& [input, path] : blobs) files[input] = path.string();
  const ordered_json document = {
      {"definition", model::to_json(definition)},
      {"workload", model::to_json(workload)},
      {"blobs", files},
      {"made", made},
      {"secret", secret},
      {"atol", tolerance.atol},
      {"rtol", tolerance.rtol},
      {"required_matched_ratio", tolerance.required_matched_ratio},
      {"max_error", tolerance.max_error ? ordered_json(*tolerance.max_error) : ordered_json()},
      {"rule", rule},
      {"memory_budget_bytes", memory_budget_bytes}};
  return document.dump();
}

JudgeDocument JudgeDocument::parse(std::string_view text) {
  try {
    const auto json = nlohmann::json::parse(text);
    JudgeDocument document;
    document.definition = model::parse_definition(json.at("definition").get<std::string>());
    document.workload = model::parse_workload(json.at("workload").get<std::string>());
    for (const auto& [input, path] : json.at("blobs").items())
      document.blobs[input] = path.get<std::string>();
    document.made = json.at("made").get<std::vector<std::string>>();
    document.secret = json.at("secret");
    document.tolerance.atol = json.at("atol");
    document.tolerance.rtol = json.at("rtol");
    document.tolerance.required_matched_ratio = json.at("required_matched_ratio");
    if (!json.at("max_error").is_null()) document.tolerance.max_error = json.at("max_error").get<double>();
    document.rule = json.at("rule").get<eval::Rule>();
    document.memory_budget_bytes = json.at("memory_budget_bytes");
    return document;
  } catch (const nlohmann::json::exception& error) {
    throw Error("the judge's document is broken: {}", error.what());
  }
}

}  // namespace fib::worker
