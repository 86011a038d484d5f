#include "synthesis/scalars.h"

#include <cmath>
#include <regex>
#include <string>

#include "synthesis/meaning.h"

namespace fib::synthesis {
namespace {

bool has(const std::string& text, const char* word) { return text.find(word) != std::string::npos; }

// The sum under the first root of numbers in the description; 0 when there is none.
double described_size(const model::TensorSpec& input) {
  static const std::regex root("1 ?/ ?sqrt\\( ?([0-9]{1,6})(?: ?\\+ ?([0-9]{1,6}))? ?\\)");
  const std::string description = input.description.value_or(std::nullopt).value_or("");
  std::smatch match;
  if (!std::regex_search(description, match, root)) return 0;
  return std::stod(match[1]) + (match[2].matched ? std::stod(match[2]) : 0);
}

double head_size(const model::TensorSpec& input, const model::AxisValues& axes) {
  if (const double size = described_size(input); size > 0) return size;
  for (const char* name : {"qk_dim", "head_dim_qk", "head_dim", "head_size"}) {
    const auto found = axes.find(name);
    if (found != axes.end() && found->second > 0) return static_cast<double>(found->second);
  }
  return 0;
}

std::optional<double> value_of(const model::TensorSpec& input, const model::AxisValues& axes) {
  const std::string& name = input.name;
  if (has(name, "eps")) return 1e-6;
  if (name == "routed_scaling_factor") return 2.5;
  if (name == "sm_scale" || name == "softmax_scale" || name == "scale" || name == "attn_scale") {
    const double size = head_size(input, axes);
    return size > 0 ? 1 / std::sqrt(size) : 1;
  }
  if (name == "top_p") return 0.9;
  if (has(name, "scale") || has(name, "scaling") || name == "temperature") return 1;
  return std::nullopt;
}

}  // namespace

std::optional<model::Scalar> sensible_scalar(const model::TensorSpec& input, const model::AxisValues& axes) {
  if (!input.is_scalar() || is_integer(input)) return std::nullopt;
  const auto value = value_of(input, axes);
  return value ? std::optional(model::Scalar{*value, {}}) : std::nullopt;
}

}  // namespace fib::synthesis
