#include "bench/build_document.h"

#include <nlohmann/json.hpp>

#include "bench/text.h"

namespace fib::bench {

using nlohmann::ordered_json;
using Outcome = compile::BuildResult::Outcome;

std::string BuildRequest::to_json() const {
  return ordered_json{{"solution", model::to_json(solution)}, {"cache", cache.string()}}.dump();
}

BuildRequest BuildRequest::parse(std::string_view text) {
  try {
    const auto json = nlohmann::json::parse(text);
    return {model::parse_solution(json.at("solution").get<std::string>()),
            json.at("cache").get<std::string>()};
  } catch (const nlohmann::json::exception& error) {
    throw Error("a build request is broken: {}", error.what());
  }
}

std::string to_json(const compile::BuildResult& result) {
  return ordered_json{{"outcome", static_cast<int>(result.outcome)},
                      {"library", result.artifact.library.string()},
                      {"symbol", result.artifact.symbol},
                      {"returns_status", result.artifact.returns_status},
                      {"log", valid_utf8(result.log)},
                      {"from_cache", result.from_cache}}
      .dump();
}

compile::BuildResult parse_build_result(std::string_view text) {
  try {
    const auto json = nlohmann::json::parse(text);
    const int outcome = json.at("outcome");
    if (outcome < 0 || outcome > static_cast<int>(Outcome::kUnsupported))
      throw Error("a build result is broken");
    compile::BuildResult result;
    result.outcome = static_cast<Outcome>(outcome);
    result.artifact = {json.at("library").get<std::string>(), json.at("symbol"), json.at("returns_status")};
    result.log = json.at("log");
    result.from_cache = json.at("from_cache");
    return result;
  } catch (const nlohmann::json::exception& error) {
    throw Error("a build result is broken: {}", error.what());
  }
}

}  // namespace fib::bench
