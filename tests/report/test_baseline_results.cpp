#include <catch2/catch.hpp>

#include "report/baseline_results.h"
#include "report/sample_dataset.h"

using namespace fib;

TEST_CASE("a baseline of which no result passed and counts is named where others have results") {
  const testing::TemporaryDataset files;
  testing::write_sample(files);
  const auto dataset = dataset::load(files.root());
  const auto text = [&](const std::string& author, const std::vector<dataset::TraceRow>& of_baseline) {
    const auto results = report::baseline_results(dataset, of_baseline, author);
    return report::missing_baseline_text(dataset, dataset.traces, results, author);
  };
  // Of the norm it has one for CPUs, and none that could run on the H200.
  CHECK(text("baseline", dataset.traces).empty());
  // As after a change of its sources.
  CHECK(
      text("baseline", {}) ==
      "Nothing is compared with the baseline base_gemm of gemm_n128 on AMD EPYC 9555 64-Core Processor, "
      "base_gemm_gpu of gemm_n128 on NVIDIA H200, base_norm of "
      "rmsnorm_with_a_name_that_is_longer_than_a_terminal_likes_h4096 on AMD EPYC 9555 64-Core Processor, of "
      "which no result passed and counts: make one, or choose another baseline.");
  // One that failed.
  CHECK_THAT(text("carol", dataset.traces), Catch::Contains("the baseline carol_norm of rmsnorm"));
  CHECK(text("alice", dataset.traces).empty());
  CHECK(text("nobody", dataset.traces).empty());
}
