#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "util/command.h"

// The programs that fib gives to a Python interpreter, by `-c`: none of them runs code of a solution.
namespace fib::compile {

// Prints "fib: " and one JSON object that describes the interpreter (python_interpreter.cpp reads it).
[[nodiscard]] const char* probe_script();

// Arguments: paths of sources, relative to the current folder. Compiles each in memory; the first that is not
// Python is shown as "<path>:<line>: <error>" with its line, and the exit code is 1.
[[nodiscard]] const char* syntax_script();

// Argument: a JSON file with the parameters of torch.utils.cpp_extension.load. Builds the library and does
// not import it. Prints the compilers' output; exit code 1: they failed, 2: they could not be started,
// kBrokenTorch: torch cannot be imported, for the reason printed.
[[nodiscard]] const char* torch_script();
constexpr int kBrokenTorch = 3;

// Runs a script, isolated (-I): packages come from the interpreter's own folders, not from the current
// folder, PYTHONPATH or the user's folder. Throws Error when it cannot be started.
[[nodiscard]] util::CommandResult run_script(const std::filesystem::path& python, const char* script,
                                             const std::vector<std::string>& arguments,
                                             const std::filesystem::path& folder,
                                             const std::vector<std::string>& variables = {},
                                             const util::CommandLimits& limits = {});

}  // namespace fib::compile
