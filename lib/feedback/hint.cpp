#include "feedback/hint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/error_code.h"
#include "present/text.h"

namespace fib::feedback {
namespace {

using model::RecordedKernel;

constexpr double kMuch = 0.1;        // of the time: of what takes less nothing is to gain
constexpr double kFewWarps = 0.25;   // of those that a multiprocessor holds
constexpr double kLittle = 0.5;      // of the bound
constexpr double kNearlyAll = 0.85;  // of the bound: what is left is within what devices reach in practice

std::string named(const RecordedKernel& kernel) {
  return present::printable(kernel.name.value_or("a kernel"));
}

// The solution's own kernel that takes the most time of those of which this holds; null: none.
template <typename Holds>
const RecordedKernel* longest(const model::MeasurementRecord& record, Holds holds) {
  const RecordedKernel* found = nullptr;
  if (!record.resources) return found;
  for (const RecordedKernel& kernel : *record.resources) {
    if (!kernel.own.value_or(false) || kernel.share.value_or(1) < kMuch || !holds(kernel)) continue;
    if (found == nullptr || kernel.share.value_or(0) > found->share.value_or(0)) found = &kernel;
  }
  return found;
}

// Where CUPTI does not show the launch, CUDA says no more of one with too many threads, or too much shared
// memory.
constexpr std::string_view kRefusedArgument =
    "CUDA refused an argument: of a launch look at its threads a block (1,024 at most) and its shared memory "
    "(more than 48 KiB has to be allowed before, by cudaFuncSetAttribute).";

bool refused_an_argument(const model::RecordedFailure& failure) {
  const std::string error = failure.error.value_or("");
  const std::string code = failure.code.value_or("");
  if (code != "bad_launch" && code != "cuda_error") return false;  // others say more themselves
  return error == "cudaErrorInvalidValue" || error == "cudaErrorInvalidConfiguration" ||
         error == "CUDA_ERROR_INVALID_VALUE";
}

std::string about_few_warps(const RecordedKernel& kernel) {
  std::string limits;
  if (kernel.occupancy_limits && !kernel.occupancy_limits->empty())
    limits = fmt::format(", limited by {}", fmt::join(*kernel.occupancy_limits, " and "));
  return present::printable(fmt::format("{} keeps a multiprocessor at {:.0f} % of its warps{}", named(kernel),
                                        100 * kernel.occupancy.value_or(0), limits)) +
         ".";
}

std::string about_bound(double share, roofline::Binds binds) {
  const std::string_view what = binds == roofline::Binds::memory ? "memory" : "arithmetic";
  if (share >= kNearlyAll)
    return fmt::format("It is at {:.0f} % of what the device's {} allows: little is left to gain.",
                       100 * share, what);
  return fmt::format(
      "It is at {:.0f} % of what the device's {} allows: `fib profile` says what keeps its kernels from "
      "more.",
      100 * share, what);
}

}  // namespace

std::optional<std::string> hint_of(const model::MeasurementRecord& record,
                                   const std::optional<roofline::Reached>& reached) {
  if (record.failure) {
    if (refused_an_argument(*record.failure)) return std::string(kRefusedArgument);
    const auto* facts = record.failure->code ? model::find_error_facts(*record.failure->code) : nullptr;
    return facts != nullptr ? std::optional(std::string(facts->advice)) : std::nullopt;
  }
  const bool is_known = reached && reached->share && reached->bound;
  const bool is_slow = !is_known || *reached->share < kLittle;
  const auto* spills = longest(record, [](const auto& kernel) { return kernel.local_bytes.value_or(0) > 0; });
  if (spills != nullptr && is_slow)
    return fmt::format(
        "Each thread of {} keeps {} bytes in local memory, which are spilled registers or arrays: fewer "
        "values "
        "at once, or smaller blocks.",
        named(*spills), *spills->local_bytes);
  const auto* few =
      longest(record, [](const auto& kernel) { return kernel.occupancy.value_or(1) < kFewWarps; });
  if (few != nullptr && is_slow) return about_few_warps(*few);
  if (!is_known || (!is_slow && *reached->share < kNearlyAll)) return std::nullopt;
  if (*reached->share > 1) return std::nullopt;  // from caches, or by clocks above those of the bound
  return about_bound(*reached->share, reached->bound->binds);
}

}  // namespace fib::feedback
