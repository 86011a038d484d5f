#include <catch2/catch.hpp>

#include "cli/report_datasets.h"

using namespace fib;
using testing::ReportDatasets;

namespace {

using Words = std::vector<std::string>;

// A gemm and a decoding on a GPU that is known, one time below the bound, and one definition without a bound.
void write_limits(const ReportDatasets& datasets) {
  const auto write = [&](const std::string& name, const std::string& text) {
    datasets.write("limits/" + name, text);
  };
  write("definitions/gemm.json",
        R"({"name":"gemm_n4_k8","op_type":"gemm","axes":{"M":{"type":"var"},"N":{"type":"const","value":4},)"
        R"("K":{"type":"const","value":8}},"inputs":{"A":{"shape":["M","K"],"dtype":"float16"},)"
        R"("B":{"shape":["N","K"],"dtype":"float16"}},"outputs":{"C":{"shape":["M","N"],"dtype":"float16"}},)"
        R"("reference":"def run(A, B):\n    return A @ B.T\n"})");
  write(
      "definitions/norm.json",
      R"({"name":"lookup","op_type":"rope","axes":{"M":{"type":"var"},"max":{"type":"const","value":100}},)"
      R"("inputs":{"cos_cache":{"shape":["max"],"dtype":"float32"},"positions":{"shape":["M"],"dtype":"int64"}},)"
      R"("outputs":{"out":{"shape":["M"],"dtype":"float32"}},)"
      R"("reference":"def run(cos_cache, positions):\n    return cos_cache[positions]\n"})");
  write("solutions/b.json", testing::solution_text("base", "baseline", "cuda", "NVIDIA", "gemm_n4_k8"));
  write("solutions/a.json", testing::solution_text("fast", "amy", "cuda", "NVIDIA", "gemm_n4_k8"));
  std::string traces;
  const auto add = [&](const testing::SampleTrace& trace) { traces += trace.line(); };
  add({"gemm_n4_k8", "base", "w1", 1000000, 0.02, 0, testing::kGpu});
  add({"gemm_n4_k8", "fast", "w1", 1000000, 0.01, 0, testing::kGpu});
  add({"gemm_n4_k8", "fast", "w2", 2000000, 0.005, 2, testing::kGpu});
  add({"lookup", "stranger", "w3", 4000000, 0.05, 2, testing::kGpu});
  add({"vanished", "stranger", "w3", 4, 0.05, 2, testing::kGpu});
  write("traces/t.jsonl", traces);
}

}  // namespace

TEST_CASE("the SOL report is printed in all formats", "[sol]") {
  const ReportDatasets datasets;
  datasets.check({"sol", "--local", "sample"}, "report_sol.txt");
  datasets.check({"sol", "--local", "sample", "--format", "md"}, "report_sol.md");
  datasets.check({"sol", "--local", "sample", "--format", "json"}, "report_sol.json");
  datasets.check({"sol", "--local", "sample", "--format", "csv"}, "report_sol.csv");
  datasets.check({"sol", "--local", "sample", "--format", "csv", "--show", "solutions"},
                 "report_sol_solutions.csv");
  datasets.check(
      {"sol", "--local", "sample", "--local", "empty", "--show", "solutions", "--hardware", "NVIDIA*"},
      "report_sol_two.txt");
}

TEST_CASE("a peak can be given for hardware that is not known", "[sol]") {
  const ReportDatasets datasets;
  datasets.check({"sol", "--local", "sample", "--hardware", "AMD*", "--definitions", "gemm*", "--bandwidth",
                  "0.000002", "--peak", "3"},
                 "report_sol_given.txt");
}

TEST_CASE("times below the bound and definitions without one are told", "[sol]") {
  const ReportDatasets datasets;
  write_limits(datasets);
  const auto output =
      testing::run_fib({"report", "sol", "--local", "limits", "--traces", "all"}, datasets.folder());
  CHECK(output.exit_code == 0);
  testing::check_golden("report_sol_limits.txt", output.out);
}

TEST_CASE("the SOL report of nothing says how to get something; filters that name nothing are errors",
          "[sol]") {
  const ReportDatasets datasets;
  datasets.check({"sol", "--local", "empty"}, "report_sol_empty.txt");
  const auto none =
      testing::run_fib({"report", "sol", "--local", "sample", "--hardware", "TPU"}, datasets.folder());
  CHECK(none.exit_code == 0);
  CHECK_THAT(none.err, Catch::StartsWith("warning: no results of hardware \"TPU\"; there are: "));
  testing::check_golden("report_sol_no_match.txt", none.out);
  CHECK(datasets.failure({"sol", "--local", "sample", "--definitions", "x"})
            .starts_with("1: fib: no definition"));
  CHECK(datasets.failure({"sol", "--local", "sample", "--bandwidth", "0"}).starts_with("2: "));
  CHECK(datasets.failure({"sol", "--local", "sample", "--show", "x"}).starts_with("2: "));
}
