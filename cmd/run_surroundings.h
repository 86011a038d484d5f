#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "compile/python_interpreter.h"
#include "devices.h"

namespace fib::cmd {

// Where and how a run was started.
struct Surroundings {
  // What a run's record says of it: "machine", "cuda" (null on the CPU), "compilers", "python" (null: none)
  // and "command", the command line with a seed starred out; what cannot be found out is null.
  nlohmann::ordered_json record = nlohmann::ordered_json::object();
  // The versions among these that decide what a result is: the driver, CUDA, the compilers and Python. As
  // text, to be compared.
  std::string tools = {};
};

// Starts the compilers for their versions. Call it before the process takes its own /proc files away from
// itself.
[[nodiscard]] Surroundings surroundings(const ChosenDevices& chosen,
                                        const std::optional<compile::PythonInterpreter>& python);

}  // namespace fib::cmd
