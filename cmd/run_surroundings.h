#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "compile/python_interpreter.h"
#include "devices.h"
#include "util/machine.h"

namespace fib::cmd {

// What a run's record says of where and how it was started: "machine", "cuda" (null on the CPU), "compilers",
// "python" (null: none) and "command", the command line with a seed starred out. Starts the compilers for
// their versions; what cannot be found out is null. Call it before the process takes its own /proc files away
// from itself.
[[nodiscard]] nlohmann::ordered_json surroundings(const ChosenDevices& chosen,
                                                  const std::optional<compile::PythonInterpreter>& python);

// That other programs disturb what is to be measured, in a sentence; empty where the load is not above the
// cores.
[[nodiscard]] std::string warning_of_load(const std::optional<util::MachineLoad>& load);

}  // namespace fib::cmd
