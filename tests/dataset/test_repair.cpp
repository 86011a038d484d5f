#include "dataset/merge_support.h"

using namespace fib;
using namespace fib::testing;  // NOLINT: all of it is used
using dataset::MergeOptions;

TEST_CASE("a repair fills in names that paths say, and writes paths of blobs as the files lie") {
  const auto without = [](std::string text, const std::string& member) {
    const auto at = text.find(member);
    REQUIRE(at != std::string::npos);
    return text.erase(at, member.size());
  };
  const TemporaryDataset a;
  a.write("definitions/op/d.json",
          without(without(definition_text("d"), R"("name":"d",)"), R"("op_type":"op",)"));
  std::string solution = solution_text("s", "alice", "cpp");
  for (const std::string member : {R"("name":"s",)", R"("definition":"d",)", R"("author":"alice",)"})
    solution = without(solution, member);
  a.write("solutions/alice/op/d/s.json", solution);
  a.write(
      "workloads/op/d.jsonl",
      R"({"workload":{"axes":{"M":2},"inputs":{"A":{"type":"safetensors","path":"/old/place/blob/x/f.safetensors",)"
      R"("tensor_key":"A"}},"uuid":"w1"}})"
      "\n");
  a.write("blob/x/f.safetensors", "content");
  a.write("traces/alice/op/d.jsonl", without(trace_line("s", "w1", 1), R"("definition":"d",)") + "\n");
  check_refused({a.root()}, "name: Field required");
  MergeOptions repair;
  repair.repair = true;
  const Merged merged({a.root()}, repair);
  CHECK(merged.report.repairs ==
        std::vector<std::string>{
            "definitions/op/d.json: missing names taken from its path",
            "solutions/alice/op/d/s.json: missing names taken from its path",
            "workloads/op/d.jsonl: definition taken from the path in 1 of its records",
            "traces/alice/op/d.jsonl: definition taken from the path in 1 of its records"});
  const auto loaded = dataset::load(merged.output, {});
  CHECK(loaded.problems.empty());
  CHECK(loaded.definitions.at("d").op_type == "op");
  CHECK(loaded.solutions.at("s").author == "alice");
  REQUIRE(loaded.workloads.at("d").size() == 1);
  CHECK(loaded.workloads.at("d")[0].inputs[0].second.path == "./blob/x/f.safetensors");
  REQUIRE(loaded.traces.size() == 1);
  CHECK(*loaded.traces[0].definition == "d");
  const Merged again({merged.output}, repair);
  CHECK(again.report.repairs.empty());
}

TEST_CASE("a repair leaves the numbers of broken lines as they are") {
  const TemporaryDataset a;
  a.write("definitions/op/d.json", definition_text("d"));
  a.write("workloads/op/d.jsonl", "\n\n{\"workload\":" + testing::workload_text("w1") + "}\n\n{\"broken\n");
  MergeOptions repair;
  repair.repair = true;
  repair.skip_unreadable = true;
  const Merged merged({a.root()}, repair);
  REQUIRE(merged.report.unreadable.size() == 1);
  CHECK_THAT(merged.report.unreadable[0], Catch::Contains("d.jsonl:5: "));
}

TEST_CASE("a repair says what it moves, and where a document and its path differ the document stands") {
  const TemporaryDataset a;
  a.write("definitions/other/e.json", definition_text("d"));
  a.write("solutions/s.json", solution_text("s", "alice", "cpp"));
  MergeOptions repair;
  repair.repair = true;
  const Merged merged({a.root()}, repair);
  CHECK(merged.report.repairs ==
        std::vector<std::string>{"definitions/other/e.json: moved to definitions/op/d.json",
                                 "solutions/s.json: moved to solutions/alice/op/d/s.json"});
}
