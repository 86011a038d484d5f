#include <catch2/catch.hpp>

#include "bench/guest_need.h"

using namespace fib;

namespace {

model::Solution solution(const std::string& name, const std::string& language, const std::string& more = "") {
  return model::parse_solution(R"({"name": ")" + name +
                               R"(", "definition": "d", "author": "a", "spec": {"language": ")" + language +
                               R"(", "target_hardware": ["cpu"], "entry_point": "a.x::run")" + more +
                               R"(}, "sources": [{"path": "a.x", "content": "x"}]})");
}

bench::PlannedEvaluation planned(const model::Solution& solution, const model::Definition& definition,
                                 std::size_t point = 0) {
  bench::PlannedEvaluation planned;
  planned.solution = &solution;
  planned.definition = &definition;
  planned.point = point;
  return planned;
}

}  // namespace

TEST_CASE("a plan takes an interpreter for each solution in Python and point, and for each reference") {
  const model::Definition d;
  const model::Definition e;
  const auto cpp = solution("c", "cpp");
  const auto python = solution("p", "python");
  bench::Plan plan;
  plan.evaluations = {planned(cpp, d), planned(python, d), planned(python, d), planned(python, e, 1)};
  CHECK(bench::guests_of(plan, false).guests == 2);
  CHECK(bench::guests_of(plan, true).guests == 4);  // and d at the first point, e at the second
  CHECK(bench::guests_of(plan, true).packages == std::vector<std::string>{"torch"});
  CHECK(bench::guests_of({}, true).guests == 0);
}

TEST_CASE("torch extensions take an interpreter, and Triton is imported where a solution is written in it") {
  const model::Definition d;
  const auto extension = solution("x", "cuda", R"(, "binding": "torch")");
  const auto triton = solution("t", "triton");
  bench::Plan plan;
  plan.evaluations = {planned(extension, d), planned(triton, d)};
  const auto need = bench::guests_of(plan, false);
  CHECK(need.guests == 2);
  CHECK(need.packages == std::vector<std::string>{"torch", "triton"});
}
