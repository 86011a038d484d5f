#include <fib.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "apply/results.h"
#include "c_api/text.h"

using namespace fib;
using nlohmann::json;
using testing::Text;

namespace {

struct Opened {
  explicit Opened(const std::string& path) { REQUIRE(fib_dataset_open(path.c_str(), &dataset) == FIB_OK); }
  ~Opened() { fib_dataset_close(dataset); }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  [[nodiscard]] json records(fib_record kind, const char* definition = nullptr) const {
    Text text;
    REQUIRE(fib_dataset_records(dataset, kind, definition, text.out()) == FIB_OK);
    return json::parse(text.str());
  }
  fib_dataset* dataset = nullptr;
};

struct DatasetTest {
  util::TemporaryFolder folder{std::filesystem::temp_directory_path(), "fib-c-"};
  testing::AppliedDataset data{folder.path() / "dataset"};
  DatasetTest() {
    data.adder("ten", "10").adder("twenty", "20").result({"ten", 8, 3}).result({"twenty", 8, 2});
  }
  [[nodiscard]] std::string path() const { return data.root().string(); }
};

}  // namespace

TEST_CASE_METHOD(DatasetTest, "a dataset gives its records") {
  const Opened opened(path());
  CHECK(opened.records(FIB_DEFINITION).size() == 1);
  CHECK(opened.records(FIB_SOLUTION).at(1).at("name") == "twenty");
  CHECK(opened.records(FIB_WORKLOAD, "add").size() == 2);
  CHECK(opened.records(FIB_WORKLOAD, "add").at(0).at("solution").is_null());
  CHECK(opened.records(FIB_WORKLOAD, "other").empty());
  const auto traces = opened.records(FIB_TRACE);
  REQUIRE(traces.size() == 2);
  CHECK(traces.at(0).at("evaluation").at("performance").at("speedup_factor") == 3.0);
}

TEST_CASE_METHOD(DatasetTest, "the best trace is asked for by axes, limits and hardware") {
  const Opened opened(path());
  const auto best = [&](const char* options) {
    Text text;
    REQUIRE(fib_dataset_best(opened.dataset, "add", options, text.out()) == FIB_OK);
    const auto trace = json::parse(text.str());
    return trace.is_null() ? "" : trace.at("solution").get<std::string>();
  };
  CHECK(best(nullptr) == "ten");
  CHECK(best(R"({"axes":{"n":8}})") == "ten");
  CHECK(best(R"({"axes":{"n":9}})").empty());
  CHECK(best(R"({"hardware":"NVIDIA H200"})").empty());
  CHECK(best(R"({"max_absolute_error":1e-3})") == "ten");
  Text text;
  CHECK(fib_dataset_best(opened.dataset, "add", R"({"speed":1})", text.out()) == FIB_INVALID);
  CHECK(std::string(fib_last_error()) == "there is no option \"speed\"");
  CHECK(fib_dataset_best(opened.dataset, "add", R"({"axes":{"n":"x"}})", text.out()) == FIB_INVALID);
  CHECK(fib_dataset_best(opened.dataset, "none", nullptr, text.out()) == FIB_NOT_FOUND);
}

TEST_CASE_METHOD(DatasetTest, "authors are ranked against the baseline") {
  data.builder().solution("base", "baseline", "extern \"C\" void run() {}\n");
  data.result({"base", 8, 1});
  const Opened opened(path());
  Text text;
  REQUIRE(fib_dataset_ranking(opened.dataset, R"({"definition":"add"})", text.out()) == FIB_OK);
  const auto ranking = json::parse(text.str());
  REQUIRE(ranking.size() == 1);
  CHECK(ranking.at(0).at("author") == "me");
  CHECK(ranking.at(0).at("best_solutions").at("add") == "ten");
  CHECK(ranking.at(0).at("avg_speedup").get<double>() == Approx(3.0));
  CHECK(fib_dataset_ranking(opened.dataset, R"({"baseline_author":"nobody"})", text.out()) == FIB_INVALID);
  CHECK_THAT(fib_last_error(), Catch::Contains("No baseline solution"));
}

TEST_CASE_METHOD(DatasetTest, "records are added to the folder") {
  const Opened opened(path());
  const auto trace = opened.records(FIB_TRACE).at(0).dump();
  CHECK(fib_dataset_add(opened.dataset, FIB_TRACE, trace.c_str()) == FIB_OK);
  auto solution = opened.records(FIB_SOLUTION).at(0);
  CHECK(fib_dataset_add(opened.dataset, FIB_SOLUTION, solution.dump().c_str()) == FIB_OK);  // it is there
  solution["name"] = "eleven";
  CHECK(fib_dataset_add(opened.dataset, FIB_SOLUTION, solution.dump().c_str()) == FIB_OK);
  solution["definition"] = "none";
  CHECK(fib_dataset_add(opened.dataset, FIB_SOLUTION, solution.dump().c_str()) == FIB_NOT_FOUND);
  auto workload = opened.records(FIB_WORKLOAD).at(0);
  workload["workload"]["uuid"] = "another";
  CHECK(fib_dataset_add(opened.dataset, FIB_WORKLOAD, workload.dump().c_str()) == FIB_OK);
  CHECK(opened.records(FIB_SOLUTION).size() == 2);  // as it was read
  const Opened again(path());
  CHECK(again.records(FIB_TRACE).size() == 3);
  CHECK(again.records(FIB_SOLUTION).size() == 3);
  CHECK(again.records(FIB_WORKLOAD).size() == 3);
}

TEST_CASE_METHOD(DatasetTest, "a dataset may come from memory") {
  const Opened opened(path());
  json document = {{"definitions", opened.records(FIB_DEFINITION)},
                   {"solutions", opened.records(FIB_SOLUTION)},
                   {"traces", opened.records(FIB_TRACE)}};
  document["traces"].push_back(opened.records(FIB_WORKLOAD).at(0));
  document["more"] = std::vector<int>(1'100'000);  // more values than a record may have
  fib_dataset* made = nullptr;
  REQUIRE(fib_dataset_from_json(document.dump().c_str(), &made) == FIB_OK);
  Text text;
  REQUIRE(fib_dataset_records(made, FIB_TRACE, nullptr, text.out()) == FIB_OK);
  CHECK(json::parse(text.str()) == opened.records(FIB_TRACE));
  REQUIRE(fib_dataset_records(made, FIB_WORKLOAD, nullptr, text.out()) == FIB_OK);
  CHECK(json::parse(text.str()).size() == 1);
  REQUIRE(fib_dataset_best(made, "add", nullptr, text.out()) == FIB_OK);
  CHECK(json::parse(text.str()).at("solution") == "ten");
  CHECK(fib_dataset_add(made, FIB_SOLUTION, "{}") == FIB_INVALID);
  fib_dataset_close(made);

  CHECK(fib_dataset_from_json("[]", &made) == FIB_INVALID);
  document["solutions"].push_back(document["solutions"][0]);
  CHECK(fib_dataset_from_json(document.dump().c_str(), &made) == FIB_INVALID);
  CHECK(std::string(fib_last_error()) == "solutions[2]: a solution \"ten\" is there already");
}

TEST_CASE_METHOD(DatasetTest, "what cannot be read is told, and the rest is there") {
  util::write_file_atomic(data.root() / "traces" / "torn.jsonl", "{\"definition\":\n");
  const Opened opened(path());
  Text text;
  REQUIRE(fib_dataset_problems(opened.dataset, text.out()) == FIB_OK);
  const auto problems = json::parse(text.str());
  REQUIRE(problems.size() == 1);
  CHECK(problems.at(0).at("file") == "traces/torn.jsonl");
  CHECK(problems.at(0).at("line") == 1);
  CHECK(problems.at(0).at("severity") == "error");
  CHECK(opened.records(FIB_TRACE).size() == 2);
  fib_dataset* none = nullptr;
  CHECK(fib_dataset_open("/nowhere", &none) == FIB_NOT_FOUND);
  CHECK(std::string(fib_last_error()) == "there is no folder /nowhere");
}
