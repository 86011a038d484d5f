#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "compile/python_interpreter.h"
#include "devices.h"

namespace fib::cmd {

// What a run's record says of where and how it was started: "machine", "cuda" (null on the CPU), "compilers",
// "python" (null: none) and "command", the command line with a seed starred out. Starts the compilers for
// their versions; what cannot be found out is null. Call it before the process takes its own /proc files away
// from itself.
[[nodiscard]] nlohmann::ordered_json surroundings(const ChosenDevices& chosen,
                                                  const std::optional<compile::PythonInterpreter>& python);

// The versions among these that decide what a result is: the driver, CUDA, the compilers and Python. As text,
// to be compared. Starts the compilers, as above.
[[nodiscard]] std::string tools_text(const ChosenDevices& chosen,
                                     const std::optional<compile::PythonInterpreter>& python);

}  // namespace fib::cmd
