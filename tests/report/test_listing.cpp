#include <catch2/catch.hpp>

#include "report/listing.h"
#include "report/sample_dataset.h"

using namespace fib;
using dataset::Filter;
using report::ListKind;
using testing::TemporaryDataset;

namespace {

dataset::Dataset sample() {
  const TemporaryDataset files;
  testing::write_sample(files);
  return dataset::load(files.root());
}

std::string first_csv(const dataset::Dataset& loaded, ListKind kind, const Filter& filters = {}) {
  return present::to_csv(report::list(loaded, kind, filters).tables.front().second);
}

Filter filter(std::vector<std::string> definitions, std::vector<std::string> authors,
              std::vector<std::string> op_types) {
  Filter filter;
  filter.definitions = std::move(definitions);
  filter.authors = std::move(authors);
  filter.op_types = std::move(op_types);
  return filter;
}

}  // namespace

TEST_CASE("the overview counts by op type and by author") {
  const auto loaded = sample();
  CHECK(loaded.problems.empty());
  const auto listing = report::list(loaded, ListKind::overview, {});
  CHECK(listing.totals == "3 definitions, 8 solutions, 6 workloads, 14 traces, 14 results (12 passed)");
  REQUIRE(listing.tables.size() == 2);
  CHECK(
      present::to_csv(listing.tables[0].second) ==
      "op_type,definitions,solutions,workloads,traces,results,passed\ngemm,2,4,4,8,8,7\nnorm,1,4,2,6,6,5\n");
  CHECK(present::to_csv(listing.tables[1].second) ==
        "author,definitions,solutions,traces,results,passed\n"
        "alice,2,2,6,6,6\nbaseline,2,3,4,4,4\nbob,2,2,3,3,2\ncarol,1,1,1,1,0\n");
}

TEST_CASE("filters are globs over definitions, op types and authors") {
  const auto loaded = sample();
  CHECK(report::list(loaded, ListKind::overview, filter({}, {"alice"}, {"norm"})).totals ==
        "1 definition, 1 solution, 2 workloads, 3 traces, 3 results (3 passed)");
  CHECK(
      report::list(loaded, ListKind::definitions, filter({"gemm_*"}, {}, {})).tables[0].second.rows.size() ==
      2);
  CHECK(report::list(loaded, ListKind::solutions, filter({}, {"[bc]*"}, {})).tables[0].second.rows.size() ==
        6);
  CHECK(report::list(loaded, ListKind::workloads, filter({}, {}, {"gem?"})).tables[0].second.rows.size() ==
        4);
  CHECK(report::list(loaded, ListKind::traces, filter({"*untried"}, {}, {})).tables[0].second.rows.empty());
}

TEST_CASE("records of unknown definitions are counted apart") {
  const TemporaryDataset files;
  files.write("traces/t.jsonl", testing::SampleTrace{"x", "s"}.line());
  const auto loaded = dataset::load(files.root());
  CHECK(first_csv(loaded, ListKind::overview) ==
        "op_type,definitions,solutions,workloads,traces,results,passed\n,0,0,0,1,0,0\n");
  CHECK(first_csv(loaded, ListKind::traces).find("x,s,w1,PASSED,1.0,1.0,false,AMD EPYC") !=
        std::string::npos);
}

TEST_CASE("lists tell of the results that stand, and name the traces that do") {
  const TemporaryDataset files;
  testing::write_sample(files);
  const auto was = report::list(dataset::load(files.root()), ListKind::overview, {}).totals;
  CHECK_THAT(was, Catch::Contains("14 traces, 14 results "));
  files.write("definitions/x.json", testing::definition_text("x"));
  files.write("solutions/x.json", testing::solution_text("x_new", "dave", "cuda", "cuda", "x"));
  const auto line = [](const char* status, const char* day) {
    return R"({"definition":"x","workload":)" + testing::workload_text("w1") +
           R"(,"solution":"x_new","evaluation":{"environment":{"hardware":"H"},"status":")" + status +
           R"(","timestamp":"2026-01-)" + day + R"(T00:00:00+00:00")" +
           (std::string(status) == "PASSED" ? R"(,"correctness":{},"performance":{"latency_ms":1})" : "") +
           "}}\n";
  };
  files.write("traces/x.jsonl", line("TIMEOUT", "01") + line("PASSED", "02"));  // it was mended
  const auto loaded = dataset::load(files.root());
  CHECK_THAT(first_csv(loaded, ListKind::solutions),
             Catch::Contains("x_new,dave,cuda,\"[\"\"cuda\"\"]\",1,1,2\n"));
  const auto traces = first_csv(loaded, ListKind::traces);
  CHECK_THAT(traces, Catch::Contains("x,x_new,w1,TIMEOUT,,,false,"));
  CHECK_THAT(traces, Catch::Contains("x,x_new,w1,PASSED,1.0,,true,"));
}
