#include <algorithm>
#include <array>
#include <string>

#include "eval/difference.h"

namespace fib::eval {
namespace {

// Of torch and torch.Tensor.
constexpr std::array<std::string_view, 17> kRandom = {
    "multinomial", "bernoulli", "bernoulli_",   "rand",     "rand_like", "randn",
    "randn_like",  "randint",   "randint_like", "randperm", "normal",    "normal_",
    "uniform_",    "random_",   "exponential_", "poisson",  "dropout"};

// Whether ".name(" stands in the line; `code` has no comment.
bool calls(std::string_view code, std::string_view name) {
  const std::string call = "." + std::string(name);
  for (auto at = code.find(call); at != std::string_view::npos; at = code.find(call, at + 1)) {
    const auto after = at + call.size();
    if (after < code.size() && code[after] == '(') return true;
  }
  return false;
}

bool line_draws(std::string_view line) {
  const auto code = line.substr(0, line.find('#'));
  return std::any_of(kRandom.begin(), kRandom.end(),
                     [&](std::string_view name) { return calls(code, name); });
}

}  // namespace

bool draws_randomly(std::string_view source) {
  while (!source.empty()) {
    const auto end = std::min(source.find('\n'), source.size());
    if (line_draws(source.substr(0, end))) return true;
    source.remove_prefix(std::min(end + 1, source.size()));
  }
  return false;
}

Agreement agreement_of(const model::Definition& definition, std::string_view output) {
  if (draws_randomly(definition.reference)) return Agreement::kDraws;
  const auto spec = std::find_if(definition.outputs.begin(), definition.outputs.end(),
                                 [&](const auto& one) { return one.name == output; });
  const bool floating = spec != definition.outputs.end() && spec->dtype.find("float") != std::string::npos;
  if (!floating) return output == "topk_indices" ? Agreement::kRanks : Agreement::kExact;
  return definition.op_type == "rmsnorm" || definition.op_type == "rope" ? Agreement::kExact
                                                                         : Agreement::kClose;
}

}  // namespace fib::eval
