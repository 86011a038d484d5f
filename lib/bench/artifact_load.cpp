#include "bench/artifact_load.h"

namespace fib::bench {

using Kind = compile::Artifact::Kind;

bool runs_in_guest(const compile::Artifact& artifact) {
  return artifact.kind == Kind::kPythonModule || artifact.kind == Kind::kTorchExtension;
}

worker::TargetKind target_kind(const compile::Artifact& artifact) {
  if (artifact.kind == Kind::kKernels) return worker::TargetKind::kKernels;
  if (artifact.kind == Kind::kTorchHeaders) return worker::TargetKind::kTorchHeaders;
  return artifact.kind == Kind::kTvmFfi ? worker::TargetKind::kTvmFfi : worker::TargetKind::kSharedLibrary;
}

worker::Load load_request(const compile::Artifact& artifact) {
  worker::Load request;
  request.symbol = artifact.symbol;
  request.extension = artifact.kind == Kind::kTorchHeaders ? artifact.module : "";
  request.returns_status = artifact.returns_status;
  request.returns_values = artifact.style.style == compile::CallingStyle::kValueReturning;
  return request;
}

}  // namespace fib::bench
