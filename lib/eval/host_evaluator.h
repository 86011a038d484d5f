#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eval/compare.h"
#include "eval/evaluator.h"
#include "eval/layout.h"
#include "eval/rule.h"

namespace fib::eval {

// One call as a host evaluator sees it: whole buffers in host memory that no worker can reach.
struct HostCall {
  const std::byte* inputs = nullptr;
  const std::byte* outputs = nullptr;
  const std::byte* expected = nullptr;  // the reference's outputs; none where the rule needs none
  const std::vector<PoisonElement>& poison;
  bool repeated = false;  // the inputs are those of the call before
};

// What is said of all calls of an evaluation together.
struct Conclusion {
  Judgement judgement;
  std::string extra;  // a JSON object for correctness.extra, or empty
};

// A rule that is anything but a comparison element by element: it looks at rows, at the inputs, or at all
// calls together. eval::make_host_evaluator (rule.h) makes it. Holds the state of one evaluation. One thread.
class HostEvaluator {
 public:
  virtual ~HostEvaluator() = default;

  // Judges one call, with threads of its own.
  [[nodiscard]] virtual Judgement judge(const HostCall& call) = 0;

  // Judges the calls so far.
  [[nodiscard]] virtual Conclusion conclude() const = 0;

  // How many calls conclude() wants to have seen; it works with fewer.
  [[nodiscard]] virtual std::uint64_t calls_wanted() const { return 0; }

  // How many more calls it wants to see that repeat the inputs of the last one. Only for rules that need
  // no expected outputs.
  [[nodiscard]] virtual std::uint64_t repeats_wanted() const { return 0; }
};

}  // namespace fib::eval
