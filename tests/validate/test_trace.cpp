#include "validate/support.h"

using namespace fib::testing;

TEST_CASE("trace: nothing to say about traces of all workloads") {
  const Checked files;
  CHECK(files.said("trace") == Lines{"info: no trace files"});
  files.workloads(record(workload_json("w")));
  files.solution("bob", "s");
  files.traces("bob", record(workload_json("w"), "s", passed()));
  CHECK(files.said("trace") == Lines{});
}

TEST_CASE("trace: unknown solutions, records without result, workloads without trace") {
  const Checked files;
  files.workloads(record(workload_json("w")) + record(workload_json("v")));
  files.traces("bob", record(workload_json("w"), "s", passed()) + record(workload_json("w")));
  CHECK(files.said("trace") == Lines{"error: bob: trace references unknown solution 's'",
                                     "error: bob: trace entry w missing solution or evaluation",
                                     "warning: bob missing 1/2 workloads"});
}

TEST_CASE("trace: a record of another definition ends its file") {
  const Checked files;
  files.traces("bob", record(workload_json("w"), "s", passed(), "e") + record(workload_json("w")));
  CHECK(files.said("trace") == Lines{"error: bob: trace definition 'e' != 'd'"});
}

TEST_CASE("trace: each author's file is checked") {
  const Checked files;
  files.traces("eve", "{}\n");
  files.traces("bob", "{}\n");
  const std::string text = ": parse error: definition: Field required; workload: Field required (line 1)";
  CHECK(files.said("trace") == Lines{"error: bob" + text, "error: eve" + text});
}
