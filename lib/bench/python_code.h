#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "compile/artifact.h"
#include "compile/python_interpreter.h"
#include "model/definition.h"
#include "model/solution.h"
#include "worker/python_target.h"
#include "worker/worker_messages.h"

// What a guest is sent, to run a reference or a solution.
namespace fib::bench {

// The definition's reference: value-returning; its parameters get their arguments by name where they are
// named like the inputs.
[[nodiscard]] worker::PythonDocument reference_document(const model::Definition& definition);

// A Python solution or a torch extension, as its builder left it.
[[nodiscard]] worker::PythonDocument solution_document(const model::Solution& solution,
                                                       const model::Definition& definition,
                                                       const compile::Artifact& artifact);

// Why references cannot run in this Python on the CPU or on CUDA devices; empty: they can.
[[nodiscard]] std::string why_no_torch(const std::optional<compile::PythonInterpreter>& python, bool on_cuda);

// How a guest starts; `threads` is 0 for as many as it likes.
[[nodiscard]] worker::Start python_start(const worker::UseDevice& device, unsigned threads);

}  // namespace fib::bench
