#include <catch2/catch.hpp>

#include "bench/config.h"

using namespace fib;

TEST_CASE("the defaults are the format's") {
  const bench::RunConfig config;
  CHECK(config.warmup_runs == 10);
  CHECK(config.iterations == 50);
  CHECK(config.num_trials == 3);
  CHECK(config.rtol == 1e-2);
  CHECK(config.atol == 1e-2);
  CHECK_FALSE(config.required_matched_ratio);
  CHECK(config.timeout_s == 300);
  CHECK_NOTHROW(bench::check(config));
}

TEST_CASE("a workload's own tolerance stands for the run's, member by member") {
  bench::RunConfig config;
  config.atol = 1;
  config.rtol = 2;
  config.required_matched_ratio = 0.5;
  model::Workload workload;
  CHECK(bench::tolerance_of(config, workload, 1).atol == 1);
  workload.tolerance = model::WorkloadTolerance{{}, 0.25, {}, 8, {}};
  const auto tolerance = bench::tolerance_of(config, workload, 1);
  CHECK(tolerance.atol == 1);
  CHECK(tolerance.rtol == 0.25);
  CHECK(tolerance.required_matched_ratio == 0.5);
  CHECK(tolerance.max_error == 8);
}

TEST_CASE("the share of elements is the workload's, else the run's, else what is usual") {
  bench::RunConfig config;
  model::Workload workload;
  CHECK(bench::tolerance_of(config, workload, 0.95).required_matched_ratio == 0.95);
  config.required_matched_ratio = 1;
  CHECK(bench::tolerance_of(config, workload, 0.95).required_matched_ratio == 1);
  workload.tolerance = model::WorkloadTolerance{{}, {}, 0.8, {}, {}};
  CHECK(bench::tolerance_of(config, workload, 0.95).required_matched_ratio == 0.8);
}

TEST_CASE("values out of range are errors that name the option") {
  bench::RunConfig config;
  const auto complains = [&](const char* option) {
    CHECK_THROWS_WITH(bench::check(config), Catch::StartsWith(option));
    config = {};
  };
  config.warmup_runs = -1;
  complains("--warmup-runs");
  config.iterations = 0;
  complains("--iterations");
  config.num_trials = 0;
  complains("--num-trials");
  config.rtol = 0;
  complains("--rtol");
  config.atol = -1;
  complains("--atol");
  config.required_matched_ratio = 1.1;
  complains("--required-matched-ratio");
  config.timeout_s = 0;
  complains("--timeout");
}
