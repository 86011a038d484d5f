#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/run_fib.h"
#include "dataset/temporary_dataset.h"
#include "model/solution.h"

// Speedups against a reference whose times are not known well: reports write them from–to and rank nobody by
// them.
using namespace fib;
using testing::run_fib;
using Words = std::vector<std::string>;

namespace {

// Three authors with a solution each; the reference took 80 ms, half of its calls between `q25` and `q75`.
class Fixture {
 public:
  Fixture(double q25, double q75) {
    files_.write("d/definitions/op/d.json", testing::definition_text("d"));
    files_.write("d/workloads/op/d.jsonl", testing::workload_line("w") + "\n");
    std::string lines;
    for (const auto& [author, ms] : {std::pair("alice", "2.0"), {"bob", "2.2"}, {"carol", "20.0"}}) {
      const std::string name = std::string(author) + "_s";
      const std::string text = testing::solution_text(name, author, "python");
      files_.write("d/solutions/" + name + ".json", text);
      lines +=
          R"({"definition":"d","workload":)" + testing::workload_text("w") + R"(,"solution":")" + name +
          R"(","evaluation":{"status":"PASSED","environment":{"hardware":"H200"},"timestamp":)" +
          R"("2026-03-01T00:00:00+00:00","correctness":{},"performance":{"latency_ms":)" + ms +
          R"(,"reference_latency_ms":80.0,"speedup_factor":1.0},"fib":{"run_id":"r","solution_sha256":")" +
          model::content_sha256(model::parse_solution(text)) +
          R"(","device":{"kind":"cuda","uuid":"GPU-1"},"reference":{"latency_ms":80.0,"q25_ms":)" +
          std::to_string(q25) + R"(,"q75_ms":)" + std::to_string(q75) + R"(,"sets":"own"}}}})" + "\n";
    }
    files_.write("d/traces/t.jsonl", lines);
  }

  [[nodiscard]] std::string report(Words words) const {
    words.insert(words.begin(), "report");
    words.insert(words.end(), {"--local", "d"});
    const auto output = run_fib(words, files_.root(), {{"COLUMNS", "140"}});
    CHECK(output.err == "");
    CHECK(output.exit_code == 0);
    return output.out;
  }
  [[nodiscard]] nlohmann::json hardware(Words words) const {
    words.insert(words.end(), {"--format", "json"});
    return nlohmann::json::parse(report(words))["datasets"][0]["hardware"][0];
  }

 private:
  testing::TemporaryDataset files_;
};

std::vector<int> ranks_of(const nlohmann::json& authors) {
  std::vector<int> ranks;
  for (const auto& author : authors) ranks.push_back(author["rank"]);
  return ranks;
}

}  // namespace

TEST_CASE("speedups against a reference that is not known well are ranges, and authors share ranks") {
  const Fixture fixture(70, 100);
  for (const char* report : {"summary", "best"}) {
    CAPTURE(report);
    CHECK_THAT(fixture.report({report}), Catch::Contains("35.0–50.0"));
  }
  CHECK_THAT(fixture.report({"best"}), Catch::Contains("35.0–50.0x"));  // as a single one has it
  CHECK_THAT(fixture.report({"rank"}), Catch::Contains("31.8–45.5"));
  CHECK_THAT(fixture.report({"show", "solution", "carol_s"}), Catch::Contains("3.50–5.00"));
  CHECK_THAT(fixture.report({"summary"}), Catch::Contains("written as ranges"));
  CHECK(ranks_of(fixture.hardware({"rank"})["authors"]) == std::vector{1, 1, 3});
  CHECK(ranks_of(fixture.hardware({"summary"})["authors"]) == std::vector{1, 1, 3});
  // Latencies decide between solutions, whatever the reference did.
  CHECK(ranks_of(fixture.hardware({"summary"})["solutions"]) == std::vector{1, 2, 3});
  const auto best = fixture.hardware({"best"})["best"][0];
  CHECK(best["speedup_factor"] == 40.0);
  CHECK(best["speedup_low"].get<double>() == Approx(35));
  CHECK(best["speedup_high"].get<double>() == Approx(50));
}

TEST_CASE("speedups against a reference that is known well are numbers, and every author has a rank") {
  const Fixture fixture(79, 81);
  CHECK_THAT(fixture.report({"summary"}), !Catch::Contains("–"));
  CHECK_THAT(fixture.report({"best"}), Catch::Contains("40.00x"));
  CHECK(ranks_of(fixture.hardware({"rank"})["authors"]) == std::vector{1, 2, 3});
}
