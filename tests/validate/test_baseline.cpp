#include "validate/support.h"

using namespace fib::testing;

TEST_CASE("baseline: none, or one without traces") {
  const Checked files;
  files.solution("bob", "s");
  CHECK(files.said("baseline") == Lines{"warning: no baseline solution"});
  files.solution("baseline", "b");
  files.solution("baseline", "c");
  CHECK(files.said("baseline") == Lines{"info: solution: b, c", "warning: trace missing"});
}

TEST_CASE("baseline: all passed") {
  const Checked files;
  files.workloads(record(workload_json("w")));
  files.solution("baseline", "b");
  files.traces("baseline", record(workload_json("w"), "b", passed()));
  CHECK(files.said("baseline") ==
        Lines{"info: solution: b", "info: trace: all passed", "info: trace: 1/1 workloads"});
}

TEST_CASE("baseline: traces of others, failures and gaps") {
  const Checked files;
  files.workloads(record(workload_json("w")) + record(workload_json("v")));
  files.solution("baseline", "b");
  files.traces("baseline",
               record(workload_json("w"), "b", timed_out()) + record(workload_json("w"), "s", passed()));
  CHECK(files.said("baseline") ==
        Lines{"info: solution: b", "error: trace references non-baseline solution 's'",
              "warning: trace has 1 non-passing entries", "warning: trace covers 1/2 workloads"});
}

TEST_CASE("baseline: traces that do not parse") {
  const Checked files;
  files.traces("baseline", "1\n");
  CHECK(files.said("baseline") == Lines{"warning: no baseline solution",
                                        "error: trace parse error: Input should be an object (line 1)"});
}
