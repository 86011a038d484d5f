#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/report_datasets.h"

using namespace fib;
using testing::check_golden_run;
using testing::run_fib;
using Words = std::vector<std::string>;

TEST_CASE("rankings and fast_p are printed in all formats") {
  const testing::ReportDatasets datasets;
  for (const std::string report : {"rank", "fast-p"}) {
    check_golden_run(datasets, {"report", report, "--local", "sample"}, "report_" + report + ".txt");
    for (const std::string format : {"json", "csv", "md"}) {
      check_golden_run(datasets, {"report", report, "--local", "sample", "--format", format},
                       "report_" + report + "." + format);
    }
  }
  check_golden_run(datasets, {"report", "rank", "--local", "sample", "--by", "coverage", "--top", "1"},
                   "report_rank_top.txt");
  check_golden_run(datasets,
                   {"report", "fast-p", "--local", "sample", "--p", "2,1,2", "--against", "reference",
                    "--authors", "alice"},
                   "report_fast-p_reference.txt");
}

TEST_CASE("filters of export hold for reports") {
  const testing::ReportDatasets datasets;
  // The baseline stays: the others are compared with it.
  check_golden_run(datasets, {"report", "summary", "--local", "sample", "--authors", "alice", "--hardware", "AMD*"},
                   "report_summary_of_alice.txt");
  check_golden_run(datasets, {"report", "best", "--local", "sample", "--authors", "bob", "--definitions", "gemm_*"},
                   "report_best_of_bob.txt");
  const auto nobody = run_fib({"report", "best", "--local", "sample", "--authors", "nobody"}, datasets.folder());
  CHECK(nobody.exit_code == 1);
  CHECK(nobody.err == "fib: no author is called \"nobody\"; to see what there is: fib list\n");
}
