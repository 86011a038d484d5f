#include "bench/build_document.h"

#include <nlohmann/json.hpp>

#include "util/utf8.h"

namespace fib::bench {

using nlohmann::ordered_json;
using Outcome = compile::BuildResult::Outcome;

namespace {

// What `parse` makes of a text; nothing of an empty one.
template <typename Value>
std::optional<Value> parsed(const nlohmann::json& text, Value (*parse)(std::string_view)) {
  const std::string written = text;
  return written.empty() ? std::nullopt : std::optional(parse(written));
}

ordered_json to_document(const compile::ChosenStyle& style) {
  return {{"style", static_cast<int>(style.style)}, {"inferred", style.inferred}, {"reason", style.reason}};
}

// Throws Error when `value` is no number of the enumeration, whose last one is `last`.
template <typename Enum>
Enum enum_of(const nlohmann::json& value, Enum last) {
  const int number = value;
  if (number < 0 || number > static_cast<int>(last)) throw Error("a build result is broken");
  return static_cast<Enum>(number);
}

compile::ChosenStyle style_of(const nlohmann::json& json) {
  return {enum_of(json.at("style"), compile::CallingStyle::kValueReturning), json.at("inferred"),
          json.at("reason")};
}

compile::Artifact artifact_of(const nlohmann::json& json) {
  compile::Artifact artifact;
  artifact.kind = enum_of(json.at("kind"), compile::Artifact::Kind::kTorchHeaders);
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

std::string BuildRequest::to_json() const {
  std::vector<std::string> readable;
  for (const auto& path : target.readable) readable.push_back(path.string());
  return ordered_json{{"solution", model::to_json(solution)},
                      {"definition", model::to_json(definition)},
                      {"device", static_cast<int>(target.device)},
                      {"architecture", target.architecture},
                      {"python", target.python ? compile::to_json(*target.python) : ""},
                      {"sandbox", static_cast<int>(target.sandbox)},
                      {"readable", readable},
                      {"compilers", target.compilers},
                      {"tvm_ffi", target.tvm_ffi ? compile::to_json(*target.tvm_ffi) : ""},
                      {"torch", static_cast<int>(target.torch)},
                      {"cache", cache.string()}}
      .dump();
}

BuildRequest BuildRequest::parse(std::string_view text) {
  try {
    const auto json = nlohmann::json::parse(text);
    const auto readable = json.at("readable").get<std::vector<std::string>>();
    return {model::parse_solution(json.at("solution").get<std::string>()),
            model::parse_definition(json.at("definition").get<std::string>()),
            {json.at("device").get<int>() == 0 ? model::DeviceKind::cpu : model::DeviceKind::cuda,
             json.at("architecture").get<std::string>(),
             parsed(json.at("python"), compile::parse_python),
             enum_of(json.at("sandbox"), sandbox::Mode::kOff),
             {readable.begin(), readable.end()},
             json.at("compilers").get<unsigned>(),
             parsed(json.at("tvm_ffi"), compile::parse_tvm_ffi),
             enum_of(json.at("torch"), compile::TorchWay::kReal)},
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

compile::BuildResult parse_build_result(std::string_view text) {
  try {
    const auto json = nlohmann::json::parse(text);
    compile::BuildResult result;
    result.outcome = enum_of(json.at("outcome"), Outcome::kUnsupported);
    result.artifact = artifact_of(json);
    result.log = json.at("log");
    result.from_cache = json.at("from_cache");
    return result;
  } catch (const nlohmann::json::exception& error) {
    throw Error("a build result is broken: {}", error.what());
  }
}

}  // namespace fib::bench
