#include "compile/build_result_json.h"

#include <nlohmann/json.hpp>

#include "util/utf8.h"

namespace fib::compile {

using nlohmann::ordered_json;
using Outcome = BuildResult::Outcome;

namespace {

ordered_json to_document(const ChosenStyle& style) {
  return {{"style", static_cast<int>(style.style)}, {"inferred", style.inferred}, {"reason", style.reason}};
}

// Throws Error when `value` is no number of the enumeration, whose last one is `last`.
template <typename Enum>
Enum enum_of(const nlohmann::json& value, Enum last) {
  const int number = value;
  if (number < 0 || number > static_cast<int>(last)) throw Error("a build result is broken");
  return static_cast<Enum>(number);
}

ChosenStyle style_of(const nlohmann::json& json) {
  return {enum_of(json.at("style"), CallingStyle::kValueReturning), json.at("inferred"), json.at("reason")};
}

Artifact artifact_of(const nlohmann::json& json) {
  Artifact artifact;
  artifact.kind = enum_of(json.at("kind"), Artifact::Kind::kTorchHeaders);
  artifact.file = json.at("file").get<std::string>();
  artifact.sha256 = json.at("sha256");
  artifact.symbol = json.at("symbol");
  artifact.returns_status = json.at("returns_status");
  artifact.kernels = json.at("kernels").get<std::vector<std::string>>();
  artifact.module = json.at("module");
  artifact.entry_file = json.at("entry_file").get<std::string>();
  artifact.style = style_of(json.at("style"));
  artifact.runtime = json.at("runtime").get<std::string>();
  return artifact;
}

}  // namespace

std::string to_json(const BuildResult& result) {
  return ordered_json{{"outcome", static_cast<int>(result.outcome)},
                      {"kind", static_cast<int>(result.artifact.kind)},
                      {"file", result.artifact.file.string()},
                      {"sha256", result.artifact.sha256},
                      {"symbol", result.artifact.symbol},
                      {"returns_status", result.artifact.returns_status},
                      {"kernels", result.artifact.kernels},
                      {"module", result.artifact.module},
                      {"entry_file", result.artifact.entry_file.string()},
                      {"style", to_document(result.artifact.style)},
                      {"runtime", result.artifact.runtime.string()},
                      {"log", util::valid_utf8(result.log)},
                      {"from_cache", result.from_cache}}
      .dump();
}

BuildResult parse_build_result(std::string_view text) {
  try {
    const auto json = nlohmann::json::parse(text);
    BuildResult result;
    result.outcome = enum_of(json.at("outcome"), Outcome::kUnsupported);
    result.artifact = artifact_of(json);
    result.log = json.at("log");
    result.from_cache = json.at("from_cache");
    return result;
  } catch (const nlohmann::json::exception& error) {
    throw Error("a build result is broken: {}", error.what());
  }
}

}  // namespace fib::compile
