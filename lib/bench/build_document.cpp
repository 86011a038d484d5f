#include "bench/build_document.h"

#include <nlohmann/json.hpp>

#include "util/utf8.h"

namespace fib::bench {

using nlohmann::ordered_json;
using Outcome = compile::BuildResult::Outcome;

std::string BuildRequest::to_json() const {
  return ordered_json{{"solution", model::to_json(solution)},
                      {"definition", model::to_json(definition)},
                      {"device", static_cast<int>(target.device)},
                      {"architecture", target.architecture},
                      {"cache", cache.string()}}
      .dump();
}

BuildRequest BuildRequest::parse(std::string_view text) {
  try {
    const auto json = nlohmann::json::parse(text);
    return {model::parse_solution(json.at("solution").get<std::string>()),
            model::parse_definition(json.at("definition").get<std::string>()),
            {json.at("device").get<int>() == 0 ? model::DeviceKind::cpu : model::DeviceKind::cuda,
             json.at("architecture").get<std::string>()},
            json.at("cache").get<std::string>()};
  } catch (const nlohmann::json::exception& error) {
    throw Error("a build request is broken: {}", error.what());
  }
}

std::string KernelsRequest::to_json() const {
  return ordered_json{{"kernels_for", architecture}, {"cache", cache.string()}}.dump();
}

std::optional<KernelsRequest> KernelsRequest::parse(std::string_view text) {
  try {
    const auto json = nlohmann::json::parse(text);
    if (!json.contains("kernels_for")) return std::nullopt;
    return KernelsRequest{json.at("kernels_for"), json.at("cache").get<std::string>()};
  } catch (const nlohmann::json::exception& error) {
    throw Error("a build request is broken: {}", error.what());
  }
}

std::string to_json(const compile::BuildResult& result) {
  return ordered_json{{"outcome", static_cast<int>(result.outcome)},
                      {"kind", static_cast<int>(result.artifact.kind)},
                      {"file", result.artifact.file.string()},
                      {"symbol", result.artifact.symbol},
                      {"returns_status", result.artifact.returns_status},
                      {"kernels", result.artifact.kernels},
                      {"log", util::valid_utf8(result.log)},
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
    using Kind = compile::Artifact::Kind;
    result.artifact = {json.at("kind").get<int>() == 0 ? Kind::kSharedLibrary : Kind::kKernels,
                       json.at("file").get<std::string>(), json.at("symbol"), json.at("returns_status"),
                       json.at("kernels").get<std::vector<std::string>>()};
    result.log = json.at("log");
    result.from_cache = json.at("from_cache");
    return result;
  } catch (const nlohmann::json::exception& error) {
    throw Error("a build result is broken: {}", error.what());
  }
}

}  // namespace fib::bench
