#include "bench/build_document.h"

#include <nlohmann/json.hpp>

namespace fib::bench {

using nlohmann::ordered_json;

namespace {

// What `parse` makes of a text; nothing of an empty one.
template <typename Value>
std::optional<Value> parsed(const nlohmann::json& text, Value (*parse)(std::string_view)) {
  const std::string written = text;
  return written.empty() ? std::nullopt : std::optional(parse(written));
}

// Throws Error when `value` is no number of the enumeration, whose last one is `last`.
template <typename Enum>
Enum enum_of(const nlohmann::json& value, Enum last) {
  const int number = value;
  if (number < 0 || number > static_cast<int>(last)) throw Error("a build request is broken");
  return static_cast<Enum>(number);
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
                      {"files", target.files ? target.files->to_json() : ""},
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
             enum_of(json.at("torch"), compile::TorchWay::kReal),
             parsed(json.at("files"), sandbox::FileAccess::parse)},
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

}  // namespace fib::bench
