#include "apply/solutions.h"

#include "apply/build.h"
#include "apply/call_device.h"
#include "tvm_ffi/abi.h"
#include "util/error.h"
#include "util/files.h"
#include "util/hash.h"

namespace fib::apply {
namespace {

using compile::Artifact;
using compile::BuildResult;

bool is_torch_extension(const model::Solution& solution) {
  return solution.spec.binding == model::Binding::torch && !solution.spec.launch;
}

// What the build left; an Error with the first line of the log where there is nothing.
Artifact artifact_of(const BuildResult& result, const model::Solution& solution) {
  if (result.outcome == BuildResult::Outcome::kBuilt) return result.artifact;
  const std::string first = result.log.substr(0, result.log.find('\n'));
  if (result.outcome == BuildResult::Outcome::kFailed && is_torch_extension(solution))
    throw OtherLanguage("fib's torch headers do not build it, and torch itself is called by Python alone: {}",
                        first);
  throw Error(
      "{}: {}",
      result.outcome == BuildResult::Outcome::kFailed ? "it does not compile" : "it cannot be built here",
      first);
}

std::unique_ptr<LoadedSolution> load(const LoadRequest& request, [[maybe_unused]] Devices& devices,
                                     std::int32_t device_type, [[maybe_unused]] std::int32_t device_id) {
  switch (request.artifact.kind) {
    case Artifact::Kind::kSharedLibrary:
      return load_library(request, device_type == tvm_ffi::kCuda);
    case Artifact::Kind::kTvmFfi:
    case Artifact::Kind::kTorchHeaders:
#if FIB_CUDA
      if (device_type == tvm_ffi::kCuda)
        return load_tvm_ffi(request, cuda_device(devices.driver(), device_id));
#endif
      return load_tvm_ffi(request, host_device());
    case Artifact::Kind::kKernels:
#if FIB_CUDA
      return load_kernels(request, devices.driver(), device_id);
#else
      break;
#endif
    case Artifact::Kind::kTorchExtension:
    case Artifact::Kind::kPythonModule:
      break;
  }
  throw OtherLanguage("solutions of its kind are not called in other programs");
}

}  // namespace

AppliedSolution::AppliedSolution(model::Solution solution, std::string trust_key)
    : solution_(std::move(solution)), trust_key_(std::move(trust_key)) {}

bool AppliedSolution::is_interpreted() const {
  const auto language = solution_.spec.language;
  return language != model::Language::cpp && language != model::Language::cuda;
}

LoadedSolution& AppliedSolution::loaded(const arguments::Signature& signature,
                                        const model::Definition& definition,
                                        const std::filesystem::path& program, Devices& devices,
                                        std::int32_t device_type, std::int32_t device_id) {
  const std::lock_guard lock(loading_);
  auto& entry = devices_[{device_type, device_id}];
  if (entry.loaded) return *entry.loaded;
  if (entry.problem.empty()) {
    try {
      if (definition.name != solution_.definition) throw Error("it is a solution of another definition");
      const auto kind = device_type == tvm_ffi::kCuda ? model::DeviceKind::cuda : model::DeviceKind::cpu;
      if (!model::may_run_on(solution_, kind)) throw Error("it does not run on that kind of device");
      const BuildOrder order{solution_, definition, kind, devices.architecture(device_type, device_id)};
      const LoadRequest request{signature, definition, solution_,
                                artifact_of(build(program, order), solution_)};
      if (util::sha256_hex(util::read_file(request.artifact.file)) != request.artifact.sha256)
        throw Error("{} is not what was built", request.artifact.file.string());
      entry.loaded = load(request, devices, device_type, device_id);
      return *entry.loaded;
    } catch (const OtherLanguage& error) {
      entry.problem = error.what();
      entry.is_other_language = true;
    } catch (const std::exception& error) {
      entry.problem = error.what();
    }
  }
  if (entry.is_other_language) throw OtherLanguage("{}", entry.problem);
  throw Error("{}", entry.problem);
}

void AppliedSolution::drop(const std::string& reason) {
  const std::lock_guard lock(reason_mutex_);
  if (!dropped_.exchange(true)) reason_ = reason;
}

std::string AppliedSolution::drop_reason() const {
  const std::lock_guard lock(reason_mutex_);
  return reason_;
}

}  // namespace fib::apply
