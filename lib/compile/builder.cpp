#include "compile/builder.h"

#include "compile/native_builder.h"

namespace fib::compile {

using model::Binding;
using model::Language;

std::optional<std::string> unsupported_reason(const model::Solution& solution) {
  const auto& spec = solution.spec;
  if (spec.language != Language::cpp) {
    return fmt::format("language \"{}\" is not supported by this build of fib", spec.language_text);
  }
  if (spec.binding != Binding::none) {
    const std::string text = spec.binding_text.value_or(std::nullopt).value_or("");
    return fmt::format("binding \"{}\" is not supported by this build of fib", text);
  }
  if (!spec.destination_passing_style()) {
    return "value-returning functions cannot be called by the C calling convention";
  }
  return std::nullopt;
}

BuildResult build(const model::Solution& solution, const std::filesystem::path& cache) {
  if (auto reason = unsupported_reason(solution)) {
    return {BuildResult::Outcome::kUnsupported, {}, std::move(*reason), false};
  }
  return build_native(solution, cache);
}

}  // namespace fib::compile
