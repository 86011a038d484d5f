#include "validate/support.h"

using namespace fib::testing;

TEST_CASE("duplicates: one uuid on two lines") {
  const Checked files;
  files.workloads(record(workload_json("w")) + record(workload_json("v")) + "\n" +
                  record(workload_json("w")));
  CHECK(files.said("duplicates") ==
        Lines{"error: workload w: the uuid of line 1 again on line 4; give each workload its own"});
}

TEST_CASE("duplicates: the name of a solution twice, whoever wrote them") {
  const Checked files;
  files.files.write("definitions/op/e.json", definition_json("e").dump());
  files.solution("bob", "s");
  files.write_solution("solutions/eve/op/e/s.json", "eve", "s", "python", "main.py", "e");
  const std::string rest = "; names are unique in a dataset: rename one";
  CHECK(files.said("duplicates") ==
        Lines{"error: solution 's' is also the name in solutions/eve/op/e/s.json" + rest});
  CHECK(files.said("duplicates", kLenient, "e") ==
        Lines{"error: solution 's' is also the name in solutions/bob/op/d/s.json" + rest});
}

TEST_CASE("duplicates: the name of a definition twice") {
  const Checked files;
  files.files.write("definitions/op/e.json", definition_json("d").dump());
  CHECK(files.said("duplicates") == Lines{"error: definition 'd' is also the name in definitions/op/e.json; "
                                          "names are unique in a dataset: rename one"});
}

TEST_CASE("duplicates: of many files with one name each names some, in one sentence") {
  const Checked files;
  for (const char* file : {"e", "f", "g", "h", "i"})
    files.files.write("definitions/op/" + std::string(file) + ".json", definition_json("d").dump());
  CHECK(files.said("duplicates", kLenient, "f") ==
        Lines{"error: definition 'd' is also the name in definitions/op/d.json, definitions/op/e.json, "
              "definitions/op/g.json and 2 more; names are unique in a dataset: rename one"});
}

TEST_CASE("duplicates: files that hide others") {
  const Checked files;
  files.workloads(record(workload_json("w")));
  files.files.write("workloads/other/d.jsonl", record(workload_json("w")));
  files.files.write("traces/bob/a/d.jsonl", "");
  files.traces("bob", "");
  CHECK(files.said("duplicates") == Lines{"error: workloads/op/d.jsonl was not checked, for "
                                          "workloads/other/d.jsonl is there too; join them in "
                                          "one file",
                                          "error: traces/bob/a/d.jsonl was not checked, for "
                                          "traces/bob/op/d.jsonl is there too; join them in one "
                                          "file"});
}
