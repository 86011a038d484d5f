#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/run_fib.h"
#include "dataset/temporary_dataset.h"
#include "model/solution.h"

// --status chooses what is counted and listed. It ranks nobody who failed elsewhere.
using namespace fib;
using testing::run_fib;
using Words = std::vector<std::string>;

namespace {

// "half" is the fastest on "w" and fails on "v", where "whole" passes, and "lost" fails on both.
struct Dataset {
  testing::TemporaryDataset files;
  Dataset() {
    files.write("d/definitions/op/d.json", testing::definition_text("d"));
    files.write("d/workloads/op/d.jsonl",
                testing::workload_line("w") + "\n" + testing::workload_line("v") + "\n");
    std::string lines;
    for (const auto& [name, w, v] : {std::tuple("half", 1, 0), {"whole", 2, 2}, {"lost", 0, 0}}) {
      const std::string text = testing::solution_text(name, name, "python");
      files.write("d/solutions/" + std::string(name) + ".json", text);
      const std::string hash = model::content_sha256(model::parse_solution(text));
      lines += line(name, "w", w, hash) + line(name, "v", v, hash);
    }
    files.write("d/traces/t.jsonl", lines);
  }

  // 0 ms: a failure.
  static std::string line(const std::string& solution, const std::string& workload, int ms,
                          const std::string& hash) {
    const std::string result = ms > 0 ? R"("status":"PASSED","correctness":{},"performance":{"latency_ms":)" +
                                            std::to_string(ms) +
                                            R"(.0,"reference_latency_ms":8.0,"speedup_factor":1.0})"
                                      : R"("status":"RUNTIME_ERROR")";
    return R"({"definition":"d","workload":)" + testing::workload_text(workload) + R"(,"solution":")" +
           solution + R"(","evaluation":{)" + result +
           R"(,"environment":{"hardware":"H200"},"timestamp":"2026-03-01T00:00:00+00:00","fib":{"run_id":"r",)" +
           R"("solution_sha256":")" + hash + "\"}}}\n";
  }

  [[nodiscard]] nlohmann::json ask(Words words) const {
    words.insert(words.end(), {"--local", "d", "--format", "json"});
    const auto output = run_fib(words, files.root());
    INFO(output.err);
    CHECK(output.exit_code == 0);
    return nlohmann::json::parse(output.out);
  }
};

}  // namespace

TEST_CASE("a status chooses what a summary counts, and its ranks take all results") {
  const Dataset dataset;
  for (const std::string status : {"PASSED", "RUNTIME_ERROR"}) {
    const auto summary = dataset.ask({"report", "summary", "--status", status}).at("datasets").at(0);
    CHECK(summary.at("traces").at("total") == 3);
    CHECK(summary.at("traces").at("passed") == (status == "PASSED" ? 3 : 0));
    CHECK(summary.at("hardware").at(0).at("solutions").size() == 3);
    for (const auto& standing : summary.at("hardware").at(0).at("solutions")) {
      INFO(standing.dump());
      CHECK(standing.at("rank").is_null() == (standing.at("solution") != "whole"));
      CHECK(standing.at("workloads") == 2);
    }
  }
}

TEST_CASE("of a definition those are shown that have such results, with the ranks that all results give") {
  const Dataset dataset;
  const auto names = [](const nlohmann::json& view) {
    std::vector<std::string> found;
    for (const auto& tally : view.at("datasets").at(0).at("solutions"))
      found.push_back(tally.at("solution").get<std::string>() +
                      (tally.at("rank").is_null() ? "" : " ranked"));
    return found;
  };
  CHECK(names(dataset.ask({"report", "show", "definition", "d", "--status", "PASSED"})) ==
        std::vector<std::string>{"whole ranked", "half"});
  CHECK(names(dataset.ask({"report", "show", "definition", "d", "--status", "*_ERROR"})) ==
        std::vector<std::string>{"half", "lost"});
}

TEST_CASE("what only ranks does not take a status") {
  const Dataset dataset;
  for (const Words& command : std::vector<Words>{{"report", "best"},
                                                 {"report", "rank"},
                                                 {"report", "fast-p"},
                                                 {"visualize"},
                                                 {"export", "--format", "job-summary"},
                                                 {"export", "--format", "trace-apply", "--output", "out"}}) {
    auto words = command;
    words.insert(words.end(), {"--local", "d", "--status", "PASSED"});
    const auto output = run_fib(words, dataset.files.root());
    INFO(command.at(0) << " " << command.back());
    CHECK(output.exit_code == 2);
    CHECK_THAT(output.err, Catch::Contains("--status"));
  }
}
