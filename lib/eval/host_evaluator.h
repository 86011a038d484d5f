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
};

// What is said of all calls of an evaluation together.
struct Conclusion {
  Judgement judgement;
  std::string extra;  // a JSON object for correctness.extra, or empty
};

// A rule that needs more than a comparison of outputs with expected ones: it looks at the inputs, or at all
// calls together. Holds the state of one evaluation. One thread.
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

// Nothing for rules that compare element by element (evaluator.h). `seed` is any text, which decides the
// random numbers of the rule itself. Throws Error when the definition is not one that the rule fits.
[[nodiscard]] std::unique_ptr<HostEvaluator> make_host_evaluator(Rule rule,
                                                                 const model::Definition& definition,
                                                                 const Layout& layout,
                                                                 const Tolerance& tolerance,
                                                                 std::string_view seed, unsigned threads);

}  // namespace fib::eval
