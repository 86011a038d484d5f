#pragma once

#include <string>
#include <string_view>

#include "compile/artifact.h"

// How a build ended, between processes: a JSON document.
namespace fib::compile {

[[nodiscard]] std::string to_json(const BuildResult& result);
[[nodiscard]] BuildResult parse_build_result(std::string_view text);  // throws Error

}  // namespace fib::compile
