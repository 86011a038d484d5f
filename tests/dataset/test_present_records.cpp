#include <catch2/catch.hpp>

#include "dataset/present_records.h"
#include "dataset/temporary_dataset.h"
#include "model/definition.h"
#include "model/solution.h"

using namespace fib;

namespace {

std::string trace(const std::string& solution, const std::string& record) {
  return R"({"definition":"d","workload":)" + testing::workload_text("w") + R"(,"solution":")" + solution +
         R"(","evaluation":{"environment":{"hardware":"cpu"},"timestamp":"2026-01-01T00:00:00+00:00",)" +
         R"("status":"TIMEOUT")" + record + "}}\n";
}

}  // namespace

TEST_CASE("results say by hashes whether they were made of what a dataset holds now") {
  testing::TemporaryDataset files;
  files.write("definitions/d.json", testing::definition_text("d"));
  files.write("solutions/s.json", testing::solution_text("s", "me", "python"));
  files.write("workloads/d.jsonl", testing::workload_line("w") + "\n");
  const auto empty = dataset::load(files.root());
  const std::string source = model::content_sha256(empty.solutions.at("s"));
  const std::string definition = model::content_sha256(empty.definitions.at("d"));
  const auto record = [](const std::string& of_solution, const std::string& of_definition) {
    return R"(,"fib":{"solution_sha256":")" + of_solution + R"(","definition_sha256":")" + of_definition +
           R"("})";
  };
  files.write("traces/t.jsonl", trace("s", record(source, definition)) + trace("s", record("0", definition)) +
                                    trace("s", record(source, "0")) + trace("s", "") +
                                    trace("gone", record("0", definition)));
  const auto dataset = dataset::load(files.root());
  REQUIRE(dataset.traces.size() == 5);
  dataset::PresentRecords records(dataset);
  std::string told;
  for (const auto& row : dataset.traces) {
    told += records.has_solution(row) ? 'h' : '-';
    told += records.is_of_other_source(row) ? 's' : '-';
    told += records.is_of_other_definition(row) ? "d " : "- ";
  }
  CHECK(told == "h-- hs- h-d h-- --- ");
}
