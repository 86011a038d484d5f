#include "eval/evaluator.h"

#include <algorithm>
#include <cmath>

#include "eval/mismatch_pattern.h"
#include "tensor/shape.h"

namespace fib::eval {
namespace {

// {3, 17} from a flat index.
std::vector<std::uint64_t> index_of(const Slot& slot, std::size_t flat) {
  std::vector<std::uint64_t> index(slot.shape.size());
  for (std::size_t d = slot.shape.size(); d-- > 0;) {
    const auto size = static_cast<std::size_t>(slot.shape[d]);
    index[d] = flat % size;
    flat /= size;
  }
  return index;
}

// "C[3, 17]"
std::string position(const Slot& slot, std::size_t flat) {
  return fmt::format("{}[{}]", slot.name, fmt::join(index_of(slot, flat), ", "));
}

Mismatch mismatch_of(const Slot& slot, const Comparison& result) {
  Mismatch mismatch{slot.name,        {},          result.got_text, result.expected_text, result.mismatched,
                    result.unwritten, result.count};
  if (result.first_bad) mismatch.index = index_of(slot, *result.first_bad);
  return mismatch;
}

bool exceeds(const Comparison& result, const Tolerance& tolerance) {
  return tolerance.max_error && !(result.max_absolute_error <= *tolerance.max_error);
}

std::string explain(const Slot& slot, const Comparison& result, const Tolerance& tolerance) {
  std::string text;
  if (result.unwritten > 0) {
    text = fmt::format("output \"{}\": {} of {} elements were never written", slot.name, result.unwritten,
                       result.count);
  } else {
    text = fmt::format("output \"{}\": {} of {} elements do not match", slot.name, result.mismatched,
                       result.count);
  }
  if (result.first_bad) {
    text += fmt::format("; first at {}: expected {}, got {}", position(slot, *result.first_bad),
                        result.expected_text, result.got_text);
  }
  if (exceeds(result, tolerance)) text += fmt::format("; the largest error is {}", result.max_absolute_error);
  const std::string most = tolerance.max_error ? fmt::format(", no error > {}", *tolerance.max_error) : "";
  return text + fmt::format(" (rule: |got - expected| <= {} or relative error <= {}, matched ratio >= {}{})",
                            tolerance.atol, tolerance.rtol, tolerance.required_matched_ratio, most);
}

}  // namespace

double worse(double a, double b) { return std::isnan(a) || std::isnan(b) ? std::nan("") : std::max(a, b); }

bool is_right(const Comparison& comparison, const Tolerance& tolerance) {
  return comparison.unwritten == 0 && comparison.matched_ratio() >= tolerance.required_matched_ratio &&
         !exceeds(comparison, tolerance);
}

Judgement judge_comparisons(const Layout& layout, const std::vector<Comparison>& comparisons,
                            const Tolerance& tolerance) {
  Judgement judgement;
  judgement.correct = true;
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    const Comparison& result = comparisons[i];
    judgement.max_absolute_error = worse(judgement.max_absolute_error, result.max_absolute_error);
    judgement.max_relative_error = worse(judgement.max_relative_error, result.max_relative_error);
    judgement.matched_ratio = std::min(judgement.matched_ratio, result.matched_ratio());
    if (is_right(result, tolerance)) continue;
    if (judgement.correct) {
      judgement.explanation = explain(layout.outputs[i], result, tolerance);
      judgement.mismatch = mismatch_of(layout.outputs[i], result);
    }
    judgement.correct = false;
  }
  return judgement;
}

void fill_poison(const Layout& layout, const std::vector<PoisonElement>& elements, std::byte* outputs) {
  for (std::size_t i = 0; i < layout.outputs.size(); ++i) {
    const auto& slot = layout.outputs[i];
    const std::size_t element = std::max<std::size_t>(1, tensor::bits_of(slot.dtype) / 8);
    fill_pattern(outputs + slot.offset, slot.bytes, elements[i].data(), element);
  }
}

Judgement judge_outputs(const Layout& layout, const std::byte* got, const std::byte* expected,
                        const std::vector<PoisonElement>& poison, const Tolerance& tolerance,
                        std::size_t outputs, unsigned threads) {
  std::vector<Comparison> comparisons;
  for (std::size_t i = 0; i < outputs; ++i) {
    const Slot& slot = layout.outputs[i];
    comparisons.push_back(compare(slot.dtype, got + slot.offset, expected + slot.offset, slot.count(),
                                  tolerance, poison[i].data(), threads));
  }
  auto judgement = judge_comparisons(layout, comparisons, tolerance);
  add_pattern(judgement, layout, got, expected, poison, tolerance);
  return judgement;
}

std::optional<ClaimProblem> check_claims(const Layout& layout, const std::vector<OutputClaim>& claims,
                                         std::optional<std::size_t> least) {
  const std::size_t most = layout.outputs.size();
  if (claims.size() > most || claims.size() < least.value_or(most)) {
    const std::string range =
        least && *least < most ? fmt::format("{} to {}", *least, most) : std::to_string(most);
    return ClaimProblem{true, fmt::format("expected {} outputs, got {}", range, claims.size())};
  }
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const Slot& slot = layout.outputs[i];
    if (claims[i].shape != slot.shape) {
      return ClaimProblem{true,
                          fmt::format("output \"{}\": expected shape {}, got {}", slot.name,
                                      tensor::to_string(slot.shape), tensor::to_string(claims[i].shape))};
    }
    if (claims[i].dtype != slot.dtype) {
      const auto got =
          claims[i].dtype ? tensor::name_of(*claims[i].dtype) : "one that the format does not have";
      return ClaimProblem{false, fmt::format("output \"{}\": expected dtype {}, got {}", slot.name,
                                             tensor::name_of(slot.dtype), got)};
    }
  }
  return std::nullopt;
}

}  // namespace fib::eval
