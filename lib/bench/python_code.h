#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "compile/artifact.h"
#include "compile/python_interpreter.h"
#include "model/definition.h"
#include "model/solution.h"
#include "sandbox/files.h"
#include "worker/messages.h"
#include "worker/python_target.h"

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

// What a solution, or a reference in Python, may allocate: half the machine's memory, within reason.
[[nodiscard]] std::uint64_t data_limit();

// What all its processes may have together, in bytes, with the files in its private folders.
[[nodiscard]] std::uint64_t memory_limit(const sandbox::FileAccess& files);

// The request beside which the document goes; `threads` is 0 for as many as it likes.
[[nodiscard]] worker::Load python_request(const worker::UseDevice& device, unsigned threads);

// The files that follow the document: on CUDA fib's own kernels, then the library of a torch extension.
// `artifact` may be null. Throws Error (sealed_file.h).
[[nodiscard]] std::vector<util::UniqueFd> python_files(const worker::UseDevice& device,
                                                       const compile::Artifact* artifact);

}  // namespace fib::bench
