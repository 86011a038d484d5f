#pragma once

#include "compile/artifact.h"
#include "worker/worker_messages.h"

// What a worker is told of a solution that was built. All functions are pure.
namespace fib::bench {

// Whether an interpreter runs it.
[[nodiscard]] bool runs_in_guest(const compile::Artifact& artifact);

// What it runs, of an artifact that needs no interpreter.
[[nodiscard]] worker::TargetKind target_kind(const compile::Artifact& artifact);

// How the solution is called.
[[nodiscard]] worker::Load load_request(const compile::Artifact& artifact);

}  // namespace fib::bench
