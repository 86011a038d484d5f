#include <catch2/catch.hpp>

#include "dataset/known_names.h"
#include "temporary_dataset.h"

using namespace fib;
using dataset::KnownNames;

namespace {

dataset::Dataset dataset_with(const std::string& definition, const std::string& solution) {
  const testing::TemporaryDataset files;
  files.write("definitions/op/d.json", testing::definition_text(definition, "op_" + definition));
  files.write("solutions/a/s.json", testing::solution_text(solution, "alice", "cpp", "cpu", definition));
  files.write("workloads/op/d.jsonl", testing::workload_line("uuid-1", definition) + "\n");
  return dataset::load(files.root());
}

}  // namespace

TEST_CASE("a name that no dataset has is refused, with the names that are like it") {
  const std::vector<dataset::Dataset> both{dataset_with("gemm_n128", "fast"), dataset_with("rope", "slow")};
  const KnownNames known(both);
  known.check({});
  known.check_baseline_author("baseline");
  known.check_baseline_author("alice");
  CHECK_THROWS_WITH(known.check_baseline_author("ali*"), Catch::Contains("no author is called"));
  CHECK_THROWS_WITH(known.check_baseline_author("alic"),
                    "no author is called \"alic\"; did you mean \"alice\"?");
  known.check({.definitions = {"gemm*", "rope"}, .solutions = {"slow", "fast"}, .authors = {"ali*"}});
  known.check({.op_types = {"op_rope"}, .statuses = {"PASSED"}, .hardware = {"none"}});
  known.check({.workloads = {"uuid-1", "*"}, .excluded_definitions = {"rope"}, .excluded_solutions = {"f*"}});
  known.check({.conditions = {dataset::AxisCondition("M>1")}});
  CHECK_THROWS_WITH(known.check({.definitions = {"rope", "gem_n128"}}),
                    "no definition is called \"gem_n128\"; did you mean \"gemm_n128\"?");
  CHECK_THROWS_WITH(known.check({.solutions = {"fsat"}}),
                    "no solution is called \"fsat\"; did you mean \"fast\"?");
  CHECK_THROWS_WITH(known.check({.authors = {"nobody"}}),
                    "no author is called \"nobody\"; to see what there is: fib list solutions --local " +
                        both[0].root.string() + " --local " + both[1].root.string());
  CHECK_THROWS_WITH(known.check({.op_types = {"op_rop"}}), Catch::Contains("no op type is called"));
  CHECK_THROWS_WITH(known.check({.excluded_solutions = {"fsat"}}), Catch::Contains("no solution is called"));
  CHECK_THROWS_WITH(known.check({.excluded_definitions = {"x"}}), Catch::Contains("no definition is called"));
  CHECK_THROWS_WITH(known.check({.conditions = {dataset::AxisCondition("N>1")}}),
                    "no axis is called \"N\"; did you mean \"M\"?");
  CHECK_THROWS_WITH(known.check({.workloads = {"uuid-2"}}),
                    "no workload is called \"uuid-2\"; did you mean \"uuid-1\"?");
}

TEST_CASE("traces of what is no more in the dataset name it too") {
  auto data = dataset_with("rope", "slow");
  dataset::TraceRow row;
  row.definition = data.pool->name("old_rope");
  row.solution = data.pool->name("old_solution");
  row.workload = data.pool->workload(data.workloads.at("rope").front());
  data.traces.push_back(row);
  KnownNames(data).check({.definitions = {"old_rope"}, .solutions = {"old_solution"}});
}
