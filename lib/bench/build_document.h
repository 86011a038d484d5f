#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "compile/artifact.h"
#include "model/solution.h"

// What travels between the coordinator and a build process: JSON documents.
namespace fib::bench {

struct BuildRequest {
  model::Solution solution;
  std::filesystem::path cache;
  [[nodiscard]] std::string to_json() const;
  [[nodiscard]] static BuildRequest parse(std::string_view text);  // throws Error
};

[[nodiscard]] std::string to_json(const compile::BuildResult& result);
[[nodiscard]] compile::BuildResult parse_build_result(std::string_view text);  // throws Error

}  // namespace fib::bench
