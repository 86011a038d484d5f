#pragma once

#include <filesystem>
#include <string>

#include "compile/artifact.h"
#include "model/definition.h"
#include "model/solution.h"

// Builds for programs that load libfib: in a process of the fib program, so that compilers are confined, and
// nothing of them is in the program.
namespace fib::apply {

// The fib program: what FIB_PROGRAM names, else bin/fib beside the folder of this library, else fib on PATH.
// Empty: there is none.
[[nodiscard]] std::filesystem::path find_program();

// What is to be built, and for which device.
struct BuildOrder {
  model::Solution solution;
  model::Definition definition;
  model::DeviceKind device = model::DeviceKind::cpu;
  std::string architecture = {};  // CUDA: "sm_90a"

  [[nodiscard]] std::string to_json() const;
  [[nodiscard]] static BuildOrder parse(std::string_view json);  // throws Error
};

// Has `program` build it, or find it in the cache (FIB_CACHE_PATH); takes as long as that does, ten minutes
// at most. Throws Error when the program is not there or could not do its work.
[[nodiscard]] compile::BuildResult build(const std::filesystem::path& program, const BuildOrder& order);

}  // namespace fib::apply
