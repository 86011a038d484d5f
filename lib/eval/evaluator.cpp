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

// Whether enough elements match, and an error is larger than any may be.
bool only_exceeds(const Comparison& result, const Tolerance& tolerance) {
  return result.unwritten == 0 && result.matched_ratio() >= tolerance.required_matched_ratio &&
         exceeds(result, tolerance);
}

// By which just those elements do not match whose error is larger than any may be.
Tolerance limit_alone(const Tolerance& tolerance) { return {*tolerance.max_error, 0}; }

std::string what_is_wrong(const Comparison& result, const Tolerance& tolerance) {
  if (result.unwritten > 0)
    return fmt::format("{} of {} elements were never written", result.unwritten, result.count);
  const std::string most =
      exceeds(result, tolerance) ? fmt::format("; the largest error is {}", result.max_absolute_error) : "";
  return fmt::format("{} of {} elements do not match{}", result.mismatched, result.count, most);
}

// `named`: the comparison whose first wrong element is told.
std::string explain(const Slot& slot, const Comparison& result, const Comparison& named,
                    const Tolerance& tolerance) {
  std::string text = fmt::format("output \"{}\": {}", slot.name, what_is_wrong(result, tolerance));
  if (named.first_bad) {
    text += fmt::format("; first at {}: expected {}, got {}", position(slot, *named.first_bad),
                        named.expected_text, named.got_text);
  }
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
      // Elements whose error is larger than any may be are not known yet: see look_closer().
      Comparison named = result;
      if (only_exceeds(result, tolerance)) named.first_bad.reset();
      judgement.explanation = explain(layout.outputs[i], result, named, tolerance);
      judgement.mismatch = mismatch_of(layout.outputs[i], named);
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
  look_closer(judgement, layout, got, expected, poison, tolerance, threads);
  return judgement;
}

void look_closer(Judgement& judgement, const Layout& layout, const std::byte* got, const std::byte* expected,
                 const std::vector<PoisonElement>& poison, const Tolerance& tolerance, unsigned threads) {
  if (!judgement.mismatch) return;
  for (std::size_t i = 0; i < layout.outputs.size(); ++i) {
    const Slot& slot = layout.outputs[i];
    if (slot.name != judgement.mismatch->output) continue;
    const auto compared = [&](const Tolerance& by) {
      return compare(slot.dtype, got + slot.offset, expected + slot.offset, slot.count(), by,
                     poison[i].data(), threads);
    };
    Tolerance broken = tolerance;
    if (const Comparison result = compared(tolerance); only_exceeds(result, tolerance)) {
      broken = limit_alone(tolerance);
      const Comparison beyond = compared(broken);
      judgement.explanation = explain(slot, result, beyond, tolerance);
      judgement.mismatch = mismatch_of(slot, beyond);
    }
    judgement.mismatch->pattern =
        mismatch_pattern(slot, got + slot.offset, expected + slot.offset, poison[i], broken, tolerance);
  }
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
