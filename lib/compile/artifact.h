#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/solution.h"

namespace fib::compile {

// What a solution is built for.
struct BuildTarget {
  model::DeviceKind device = model::DeviceKind::cpu;
  std::string architecture = {};  // cuda: "sm_90a"
};

// What a build leaves in the cache, plus how to call it.
struct Artifact {
  enum class Kind {
    kSharedLibrary,  // a function by the C calling convention
    kKernels,        // a cubin, to be launched as spec.launch says (compile/launch_plan.h)
  } kind = Kind::kSharedLibrary;
  std::filesystem::path file;
  std::string symbol = {};      // kSharedLibrary
  bool returns_status = false;  // kSharedLibrary: the function returns an int; non-zero is a failure
  std::vector<std::string> kernels = {};  // kKernels: the kernels' names in the cubin, one a launch
};

// How a build ended. A failed build is the solution's fault; an unsupported one is something fib cannot do.
struct BuildResult {
  enum class Outcome { kBuilt, kFailed, kUnsupported } outcome = Outcome::kFailed;
  Artifact artifact;  // when built
  std::string log;    // the compiler's messages, its first error first; or why it is unsupported
  bool from_cache = false;
};

}  // namespace fib::compile
