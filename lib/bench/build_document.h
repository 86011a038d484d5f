#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "compile/artifact.h"
#include "model/definition.h"
#include "model/solution.h"

// What a build process is asked, as JSON documents; it answers with compile/build_result_json.h.
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

}  // namespace fib::bench
