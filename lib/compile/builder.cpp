#include "compile/builder.h"

#include "compile/native_builder.h"
#if FIB_CUDA
#include "compile/nvrtc_builder.h"
#endif

namespace fib::compile {

using model::Binding;
using model::DeviceKind;
using model::Language;

std::optional<std::string> unsupported_reason(const model::Solution& solution, DeviceKind device,
                                              [[maybe_unused]] const std::optional<PythonInterpreter>& python) {
  const auto& spec = solution.spec;
  if (device == DeviceKind::cuda && !FIB_CUDA) return "this fib was built without CUDA support";
  if (spec.language != Language::cpp && spec.language != Language::cuda) {
    return fmt::format("language \"{}\" is not supported by this version of fib", spec.language_text);
  }
  if (spec.launch && device == DeviceKind::cuda) return std::nullopt;
  if (spec.binding != Binding::none) {
    const std::string text = spec.binding_text.value_or(std::nullopt).value_or("");
    return fmt::format("binding \"{}\" is not supported by this version of fib", text);
  }
  if (!spec.destination_passing_style()) {
    return "value-returning functions cannot be called by the C calling convention";
  }
  return std::nullopt;
}

BuildResult build(const model::Solution& solution, [[maybe_unused]] const model::Definition& definition,
                  const BuildTarget& target, const std::filesystem::path& cache) {
  if (auto reason = unsupported_reason(solution, target.device, target.python)) {
    return {BuildResult::Outcome::kUnsupported, {}, std::move(*reason), false};
  }
#if FIB_CUDA
  if (target.device == DeviceKind::cuda && solution.spec.launch) {
    return build_kernels(solution, definition, target.architecture, cache);
  }
#endif
  return build_native(solution, target, cache);
}

}  // namespace fib::compile
