#include <catch2/catch.hpp>

#include "dataset/filter.h"
#include "temporary_dataset.h"

using namespace fib;

namespace {

// Definitions d (axis M, 2 or 8) and e, a solution of each, and a trace of each workload.
class Sample {
 public:
  Sample() {
    std::string traces;
    for (const char* name : {"d", "e"}) {
      const std::string definition = name;
      auto text = testing::definition_text(definition);
      const std::string axes = R"("axes":{)";
      text.insert(text.find(axes) + axes.size(), R"("K":{"type":"const","value":128},)");
      files_.write("definitions/op/" + definition + ".json", text);
      files_.write("solutions/a/s_" + definition + ".json",
                   testing::solution_text("s_" + definition, "alice", "cpp", "cpu", definition));
      files_.write("workloads/op/" + definition + ".jsonl",
                   testing::workload_line("small_" + definition, definition, 2) + "\n" +
                       testing::workload_line("large_" + definition, definition, 8) + "\n");
      for (const auto& [uuid, size] : {std::pair("small_", 2), std::pair("large_", 8)}) {
        traces += R"({"definition":")" + definition + R"(","workload":)" +
                  testing::workload_text(uuid + definition, size) + R"(,"solution":"s_)" + definition +
                  R"(","evaluation":{"status":"TIMEOUT","environment":{"hardware":"x"},"timestamp":"t"}})" +
                  "\n";
      }
    }
    files_.write("traces/t.jsonl", traces);
  }

  // What is left: definitions, solutions, workloads, traces' workloads.
  std::string left(const dataset::Filter& filter) {
    auto data = dataset::load(files_.root());
    REQUIRE(data.error_count() == 0);
    dataset::restrict_to(data, filter);
    std::string text;
    for (const auto& [name, definition] : data.definitions) text += name + " ";
    text += "|";
    for (const auto& [name, solution] : data.solutions) text += " " + name;
    text += " |";
    for (const auto& [definition, workloads] : data.workloads) {
      for (const auto& workload : workloads) text += " " + workload.uuid;
    }
    text += " |";
    for (const auto& trace : data.traces) text += " " + trace.workload->uuid;
    return text;
  }

 private:
  testing::TemporaryDataset files_;
};

}  // namespace

TEST_CASE("a filter leaves out what is excluded, and workloads by uuid and by the sizes of their axes") {
  Sample sample;
  CHECK(sample.left({}) ==
        "d e | s_d s_e | small_d large_d small_e large_e | small_d large_d small_e large_e");
  CHECK(sample.left({.excluded_definitions = {"e*"}}) == "d | s_d | small_d large_d | small_d large_d");
  CHECK(sample.left({.excluded_solutions = {"s_d"}}) ==
        "d e | s_e | small_d large_d small_e large_e | small_e large_e");
  CHECK(sample.left({.definitions = {"d"}, .workloads = {"large*"}}) == "d | s_d | large_d | large_d");
  using dataset::AxisCondition;
  CHECK(sample.left({.conditions = {AxisCondition("M>2")}}) ==
        "d e | s_d s_e | large_d large_e | large_d large_e");
  CHECK(sample.left({.conditions = {AxisCondition("M<8"), AxisCondition("K==128")}}) ==
        "d e | s_d s_e | small_d small_e | small_d small_e");
  CHECK(sample.left({.conditions = {AxisCondition("K>128")}}) == "d e | s_d s_e | |");
}

TEST_CASE("a filter that leaves anything out is not empty") {
  CHECK(dataset::Filter{}.is_empty());
  CHECK_FALSE(dataset::Filter{.workloads = {"w"}}.is_empty());
  CHECK_FALSE(dataset::Filter{.excluded_definitions = {"w"}}.is_empty());
  CHECK_FALSE(dataset::Filter{.excluded_solutions = {"w"}}.is_empty());
  CHECK_FALSE(dataset::Filter{.run = "r"}.is_empty());
  CHECK_FALSE(dataset::Filter{.conditions = {dataset::AxisCondition("n>1")}}.is_empty());
}

TEST_CASE("a filter by run holds no other, and none that is not recorded") {
  const dataset::Filter filter{.run = "r"};
  const std::string same = "r";
  const std::string other = "run";
  CHECK_FALSE(filter.excludes_run(&same));
  CHECK(filter.excludes_run(&other));
  CHECK(filter.excludes_run(nullptr));
}

TEST_CASE("the beginning of a uuid names a workload, from four characters on") {
  CHECK(fib::dataset::matches_uuid({}, "af6e59a0-834e"));
  CHECK(fib::dataset::matches_uuid({"af6e"}, "af6e59a0-834e"));
  CHECK(fib::dataset::matches_uuid({"b", "af6e59a0-834e"}, "af6e59a0-834e"));
  CHECK_FALSE(fib::dataset::matches_uuid({"af6"}, "af6e59a0-834e"));
  CHECK_FALSE(fib::dataset::matches_uuid({"6e59"}, "af6e59a0-834e"));
}
