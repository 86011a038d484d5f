#pragma once

#include <filesystem>
#include <string>

namespace fib::compile {

// What a build leaves in the cache, plus how to call it. A shared library by the C calling convention.
struct Artifact {
  std::filesystem::path library;
  std::string symbol;
  bool returns_status = false;  // the function returns an int; non-zero is a failure
};

// How a build ended. A failed build is the solution's fault; an unsupported one is something fib cannot do.
struct BuildResult {
  enum class Outcome { kBuilt, kFailed, kUnsupported } outcome = Outcome::kFailed;
  Artifact artifact;  // when built
  std::string log;    // the compiler's messages, its first error first; or why it is unsupported
  bool from_cache = false;
};

}  // namespace fib::compile
