#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "compile/artifact.h"
#include "model/definition.h"
#include "model/solution.h"

// What travels between the coordinator and a build process: JSON documents.
namespace fib::bench {

struct BuildRequest {
  model::Solution solution;
  model::Definition definition;
  compile::BuildTarget target;
  std::filesystem::path cache;
  [[nodiscard]] std::string to_json() const;
  [[nodiscard]] static BuildRequest parse(std::string_view text);  // throws Error
};

// fib's own kernels for one architecture; answered by their path.
struct KernelsRequest {
  std::string architecture;
  std::filesystem::path cache;
  [[nodiscard]] std::string to_json() const;
  // Nothing when the text is a BuildRequest. Throws Error.
  [[nodiscard]] static std::optional<KernelsRequest> parse(std::string_view text);
};

[[nodiscard]] std::string to_json(const compile::BuildResult& result);
[[nodiscard]] compile::BuildResult parse_build_result(std::string_view text);  // throws Error

}  // namespace fib::bench
