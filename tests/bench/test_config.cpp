#include <catch2/catch.hpp>

#include "bench/config.h"

using namespace fib;

TEST_CASE("the defaults are the format's, but for the number of calls") {
  const bench::RunConfig config;
  const auto tolerance = bench::tolerance_of(config, {}, 1);
  CHECK(tolerance.rtol == 1e-2);
  CHECK(tolerance.atol == 1e-2);
  CHECK_FALSE(config.required_matched_ratio);
  CHECK(config.timeout_s == 300);
  CHECK_NOTHROW(bench::check(config));
}

TEST_CASE("as many calls are made as the options say, else as many as the number needs") {
  bench::RunConfig config;
  auto plan = bench::wanted_calls(config);
  CHECK(plan.trials == 15);
  CHECK(plan.warmup == 2);
  CHECK(plan.timed == 10);
  CHECK(plan.width == 0.005);
  CHECK(plan.least_trials() == 3);
  config.noise = 0.02;
  config.warmup_runs = 7;
  plan = bench::wanted_calls(config);
  CHECK(plan.warmup == 7);
  CHECK(plan.width == 0.02);

  config = {};
  config.iterations = 20;
  plan = bench::wanted_calls(config);
  CHECK(plan.trials == 3);
  CHECK(plan.warmup == 10);
  CHECK(plan.timed == 20);
  CHECK_FALSE(plan.may_end_sooner());
  CHECK(plan.least_trials() == 3);
  config = {};
  config.num_trials = 5;
  config.warmup_runs = 0;
  plan = bench::wanted_calls(config);
  CHECK(plan.trials == 5);
  CHECK(plan.warmup == 0);
  CHECK(plan.timed == 50);
  CHECK(plan.least_trials() == 5);
}

TEST_CASE("a trace's configuration says by which rule its calls were made") {
  bench::RunConfig config;
  auto json = bench::to_json(config);
  CHECK(json.at("noise") == 0.005);
  CHECK_FALSE(json.contains("warmup_runs"));
  CHECK_FALSE(json.contains("iterations"));
  CHECK_FALSE(json.contains("num_trials"));
  config.iterations = 50;
  json = bench::to_json(config);
  CHECK_FALSE(json.contains("noise"));
  CHECK(json.at("warmup_runs") == 10);
  CHECK(json.at("iterations") == 50);
  CHECK(json.at("num_trials") == 3);
}

TEST_CASE("--resume takes what older versions made without being told for what is made without being told") {
  bench::RunConfig config;
  bench::RunConfig older;
  older.iterations = 50;
  older.num_trials = 3;
  CHECK(bench::accepted_configs(config) ==
        std::vector<nlohmann::ordered_json>{bench::to_json(config), bench::to_json(older)});
  CHECK(bench::accepted_configs(older) == std::vector<nlohmann::ordered_json>{bench::to_json(older)});
  config.noise = 0.005;
  CHECK(bench::accepted_configs(config).size() == 1);
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
  config.noise = 0;
  complains("--noise");
  config.noise = 1.5;
  complains("--noise");
  config.noise = 0.01;
  config.iterations = 50;
  complains("--noise");
  config.noise = 0.01;
  config.num_trials = 3;
  complains("--noise");
  config.rtol = 0;
  complains("--rtol");
  config.atol = -1;
  complains("--atol");
  config.required_matched_ratio = 1.1;
  complains("--required-matched-ratio");
  config.timeout_s = 0;
  complains("--timeout");
}
