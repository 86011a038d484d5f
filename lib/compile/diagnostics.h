#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/solution.h"

namespace fib::compile {

// A message of a compiler or an interpreter about a place in a source.
struct Diagnostic {
  std::string severity;      // "error", "warning"
  std::string file;          // as the message has it; may be empty
  std::uint64_t line = 0;    // from 1; 0: not said
  std::uint64_t column = 0;  // from 1; 0: not said
  std::string message;
  std::string source;  // that line, as the message quotes it; may be empty
};

// The messages that a log holds, errors first, each once, in the order in which they stand, `most` at most.
// Known are those of gcc, clang and their linkers, nvcc and NVRTC, ptxas, Python (syntax errors, and
// tracebacks, whose place is the last frame in a file of the solution), and Triton's compiler, which quotes
// the line of a kernel that it refuses: `sources` tell where that is. Of errors that led to each other those
// without a place in the solution are left out, where others have one. Pure.
[[nodiscard]] std::vector<Diagnostic> diagnostics_of(std::string_view log,
                                                     const std::vector<model::SourceFile>& sources = {},
                                                     std::size_t most = 10);

}  // namespace fib::compile
