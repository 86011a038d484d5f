#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/report_datasets.h"

using namespace fib;
using testing::run_fib;
using Words = std::vector<std::string>;

TEST_CASE("rankings and fast_p are printed in all formats") {
  const testing::ReportDatasets datasets;
  for (const std::string report : {"rank", "fast-p"}) {
    datasets.check_run({"report", report, "--local", "sample"}, "report_" + report + ".txt");
    for (const std::string format : {"json", "csv", "md"}) {
      datasets.check_run({"report", report, "--local", "sample", "--format", format},
                         "report_" + report + "." + format);
    }
  }
  datasets.check_run({"report", "rank", "--local", "sample", "--by", "coverage", "--top", "1"},
                     "report_rank_top.txt");
  datasets.check_run({"report", "fast-p", "--local", "sample", "--p", "2,1,2", "--against", "reference",
                      "--authors", "alice"},
                     "report_fast-p_reference.txt");
}

TEST_CASE("filters of export hold for reports") {
  const testing::ReportDatasets datasets;
  // The baseline stays: the others are compared with it.
  datasets.check_run({"report", "summary", "--local", "sample", "--authors", "alice", "--hardware", "AMD*"},
                     "report_summary_of_alice.txt");
  datasets.check_run({"report", "best", "--local", "sample", "--authors", "bob", "--definitions", "gemm_*"},
                     "report_best_of_bob.txt");
  const auto nobody =
      run_fib({"report", "best", "--local", "sample", "--authors", "nobody"}, datasets.folder());
  CHECK(nobody.exit_code == 1);
  CHECK(nobody.err ==
        "fib: no author is called \"nobody\"; to see what there is: fib list solutions --local sample\n");
}

TEST_CASE("best says that no trace matches, not that there are none") {
  const testing::ReportDatasets datasets;
  const auto best = run_fib({"report", "best", "--local", "runs", "--where", "M>=1000"}, datasets.folder());
  CHECK(best.exit_code == 0);
  CHECK(best.out.starts_with("No results in runs that count and match the filters.\n"));
}
