#include <cmath>
#include <cstdlib>

#include "model/constraint.h"
#include "python/parser.h"
#include "synthesis/known.h"
#include "synthesis/proposals.h"
#include "synthesis/support.h"

// The published dataset: every integer input of every definition.
using namespace fib;
using namespace fib::testing;

TEST_CASE("every integer input of the published definitions has a rule") {
  for (const auto& definition : real_definitions()) {
    for (const auto& input : definition.inputs) {
      INFO(definition.name << ": " << input.name);
      CHECK(synthesis::rule_of(definition, input).has_value() == synthesis::is_integer(input));
    }
  }
}

TEST_CASE("all constraints of the published definitions hold for what is made, at three sizes") {
  for (const auto& definition : real_definitions()) {
    const auto workloads = synthesis::propose_workloads(definition, 3, {std::uint64_t{1} << 40U});
    INFO(definition.name);
    CHECK(workloads.size() == 3);
    for (const auto& workload : workloads) {
      const auto axes = model::axis_values(definition, workload.axes);
      const auto made = make_all(definition, axes, workload.uuid);
      const synthesis::Known known(definition, axes, made);
      for (const auto& text : definition.constraints.value_or(std::vector<std::string>{})) {
        INFO(text);
        const auto judgement = model::judge_constraint(*python::parse_expression(text), known);
        INFO(judgement.comparison);
        CHECK(judgement.verdict == model::ConstraintVerdict::holds);
      }
      for (const auto& input : definition.inputs) {
        if (!synthesis::is_integer(input)) continue;
        const auto shape = model::shape_of(input, axes).value_or(std::vector<std::int64_t>{});
        std::size_t count = 1;
        for (const auto size : shape) count *= static_cast<std::size_t>(size);
        CHECK(made.at(input.name).size() == count);
        CHECK(synthesis::to_bytes(made.at(input.name), input.dtype).size() >= count);
      }
    }
  }
}
