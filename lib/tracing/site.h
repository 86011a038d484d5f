#pragma once

#include <fib.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "arguments/signature.h"
#include "model/definition.h"
#include "tracing/filter.h"
#include "tracing/rule.h"

namespace fib::tracing {

// What a call came to.
enum class Outcome {
  kept,             // it will be a workload
  passed_over,      // by the filter policy
  not_traced,       // no rule for this definition, or it cannot be traced
  wrong_arguments,  // their number, a dtype, a rank or a size is not the definition's
  captured,         // values on a device are wanted, and the stream is being captured
  strided,          // values of a tensor on a device are wanted, and it is not contiguous
  no_room,          // the memory for kept calls is full
  failed,           // values could not be copied, or an axis is not what its expression says
};
constexpr std::size_t kOutcomes = 8;
[[nodiscard]] const char* name_of(Outcome outcome);  // "kept", "passed_over", ...

// A definition of the dataset with its rule, ready for calls. Counters and first_problem() may be used by any
// thread; `filter` under `mutex` alone.
class Site {
 public:
  // `root` is the dataset's folder, of which names alone are looked at. What keeps the definition from being
  // traced is kept in problem(), but Error of a rule that does not fit it is thrown.
  Site(const std::filesystem::path& root, const model::Definition& definition, const Config& config);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& op_type() const { return op_type_; }
  // Why it is not traced though there is a rule; "" where that is not so.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] bool is_traced() const { return filter.has_value(); }

  // The rest is there when it is traced.
  [[nodiscard]] const arguments::Signature& signature() const { return *signature_; }
  // Whether the rule wants the values of the input at this place; never of scalars.
  [[nodiscard]] bool is_dumped(std::size_t place) const { return (dumped_ >> place & 1U) != 0; }
  // Whether arguments fit the definition and show all of its variable axes. Allocates nothing.
  [[nodiscard]] bool fits(const fib_value* values, std::size_t count, arguments::Case& found) const noexcept;

  Outcome count(Outcome outcome) {
    counts_[static_cast<std::size_t>(outcome)].fetch_add(1, std::memory_order_relaxed);
    return outcome;
  }
  [[nodiscard]] std::uint64_t count_of(Outcome outcome) const {
    return counts_[static_cast<std::size_t>(outcome)];
  }
  // Keeps the first sentence that it is given.
  void remember_problem(const std::string& sentence) noexcept;
  // The same of arguments that do not fit; makes no sentence when there is one.
  void remember_problem_of(const fib_value* values, std::size_t count) noexcept;
  [[nodiscard]] std::string first_problem() const;

  std::optional<Filter> filter;
  std::mutex mutex;
  std::atomic<std::uint64_t> written = 0;  // records
  std::atomic<std::uint64_t> lost = 0;     // kept calls that could not be written

 private:
  void prepare(const std::filesystem::path& root, const model::Definition& definition, const Rule& rule);

  std::string name_;
  std::string op_type_;
  std::string problem_;
  std::optional<arguments::Signature> signature_;
  std::uint64_t dumped_ = 0;          // a bit an input
  std::uint32_t axes_of_inputs_ = 0;  // a bit an axis, by its place in Signature::axes()
  std::array<std::atomic<std::uint64_t>, kOutcomes> counts_{};
  mutable std::mutex problem_mutex_;
  std::string first_problem_;
  std::atomic<bool> has_first_problem_ = false;
};
static_assert(arguments::kMostArguments <= 64 && arguments::kMostAxes <= 32);

}  // namespace fib::tracing
