#pragma once

#include <optional>
#include <string>

#include "bench/config.h"
#include "compile/artifact.h"

namespace fib::bench {

// What the code of solutions may reach on that kind of device, references in Python too: the system's
// programs and libraries, toolkits and compilers (Python code runs them), the interpreter with its packages,
// what --sandbox-read names, and private folders in memory. On CUDA also the driver's device nodes.
[[nodiscard]] sandbox::FileAccess files_of_solutions(const RunConfig& config, model::DeviceKind device,
                                                     const std::optional<compile::PythonInterpreter>& python);

// Tries the sandbox in a process of its own (`program` is the fib binary). Throws Error with a sentence that
// says what this system does not allow.
void expect_whole_sandbox(const std::string& program);

// The process that tries it: prints what is missing, nothing when all holds. Returns the exit code.
[[nodiscard]] int try_sandbox();

}  // namespace fib::bench
