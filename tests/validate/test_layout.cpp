#include "validate/support.h"

using namespace fib::testing;

TEST_CASE("layout: a dataset whose paths and fields agree has no messages") {
  const Checked files;
  files.workloads(record(workload_json("w")));
  files.solution("bob", "s");
  files.traces("bob", record(workload_json("w"), "s", passed()));
  CHECK(files.said("layout") == Lines{});
}

TEST_CASE("layout: fields of a definition that its path contradicts") {
  Json definition = definition_json("e");
  definition["op_type"] = "gemm";
  const Checked files(definition);
  CHECK(files.said("layout") ==
        Lines{"error: definition name mismatch: path says 'd', JSON says 'e'",
              "error: definition op_type mismatch: path says 'op', JSON says 'gemm'"});
}

TEST_CASE("layout: files of a definition below another op type, and records of another definition") {
  const Checked files;
  files.files.write("workloads/other/d.jsonl", record(workload_json("w"), nullptr, nullptr, "e"));
  files.files.write("traces/bob/other/d.jsonl", record(workload_json("w"), "s", passed(), "e"));
  CHECK(files.said("layout") ==
        Lines{"error: workload op_type mismatch: expected 'op', got 'other'",
              "error: workload trace definition mismatch: expected 'd', got 'e'",
              "error: trace file op_type mismatch for author 'bob': expected 'op', got 'other'",
              "error: trace definition mismatch for author 'bob': expected 'd', got 'e'"});
}

TEST_CASE("layout: fields of a solution that its path contradicts") {
  const Checked files;
  files.write_solution("solutions/bob/other/d/s.json", "eve", "t", "python", "main.py", "e");
  CHECK(files.said("layout") == Lines{"error: solution 's' author mismatch: path 'bob', JSON 'eve'",
                                      "error: solution 's' definition mismatch: path 'd', JSON 'e'",
                                      "error: solution name mismatch: path 's', JSON 't'",
                                      "error: solution 's' op_type mismatch: expected 'op', got 'other'"});
}

TEST_CASE("layout: a blob that is nowhere") {
  const Checked files;
  files.workloads(record(workload_json("w", blob_input("blob/a.safetensors"))));
  CHECK(files.said("layout") == Lines{"error: workload w: blob missing at blob/a.safetensors"});
}

TEST_CASE("layout: two definitions with one name, as the only message") {
  Json second = definition_json("x");
  const Checked files;
  files.files.write("definitions/other/d.json", second.dump());
  const std::string root = files.files.root().string();
  const std::string text = "duplicate definition name: " + root + "/definitions/op/d.json and " + root +
                           "/definitions/other/d.json";
  CHECK(files.said("layout") == Lines{"error: " + text});
  CHECK(files.said("definition") == Lines{"error: parse error: " + text});
}
