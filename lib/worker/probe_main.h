#pragma once

#include <filesystem>

#include "worker/guest.h"
#include "worker/python_target.h"

namespace fib::worker {

// The names of a probe's files in its folder.
inline constexpr const char* kProbeWorkload = "workload.json";  // a JudgeDocument
inline constexpr const char* kProbeConfine = "confine";         // Confine, encoded
inline constexpr const char* kProbeStart = "start";             // Start, encoded
inline constexpr const char* kProbeLoad = "load";               // Load, encoded
inline constexpr const char* kProbeOpen = "open";               // Open, encoded: layout and launch plan
inline constexpr const char* kProbeSolution = "solution";       // the library, or the cubin
inline constexpr const char* kProbePython =
    "python.json";  // of Python code: a PythonDocument, in place of Load

inline constexpr const char* kProbeToken = "token";  // one line that the solution cannot guess

// And the folder for files of the solution's own.
inline constexpr const char* kProbeOwn = "own";

// What a probe prints on a line of its own on stdout before the first call of the solution and when the last
// one has returned, both followed by the token, and before the sentence of why there was none.
inline constexpr const char* kProbeCalls = "fib probe: calls begin ";
inline constexpr const char* kProbeDone = "fib probe: calls done ";
inline constexpr const char* kProbeError = "fib probe: ";

// One process for tools that look at a process from outside (sanitizers, profilers): makes the inputs of one
// workload, each input and output in an allocation of exactly its size, and calls the solution twice, the
// second time in a profiler's range. Outputs are not written before, and not judged. With a sandbox in
// `start` the solution's code runs in it. Returns the exit code: 0, or 1 when the solution could not be
// called.
[[nodiscard]] int run_probe(const std::filesystem::path& folder);

// The same in an interpreter, of Python code on a CUDA device, without a sandbox: sanitizers of the CPU look
// at code that they have built. `callbacks` and `claims` as for make_python_target().
[[nodiscard]] int run_guest_probe(const std::filesystem::path& folder, const FibGuestCallbacks& callbacks,
                                  GuestClaims& claims);

}  // namespace fib::worker
