#include <catch2/catch.hpp>

#include "bench/sweep.h"
#include "util/error.h"

using namespace fib;
using bench::make_sweep;
using nlohmann::ordered_json;

namespace {

const std::set<std::string> kAxes = {"n", "iterations"};

std::string error_of(const std::vector<std::string>& texts) {
  try {
    (void)make_sweep(texts, {}, kAxes);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("without a sweep there is one point, the configuration itself") {
  bench::RunConfig config;
  config.iterations = 7;
  const auto sweep = make_sweep({}, config, kAxes);
  REQUIRE(sweep.points.size() == 1);
  CHECK(sweep.points[0].config.iterations == 7);
  CHECK(sweep.points[0].values.is_null());
  CHECK(sweep.record.is_null());
  CHECK(sweep.axes.empty());
  CHECK(bench::common_config(sweep) == bench::to_json(config));
}

TEST_CASE("a sweep is the product of its options, the first changing slowest, with axes apart") {
  bench::RunConfig base;
  base.warmup_runs = 3;
  const auto sweep = make_sweep({"iterations=10,20", "n=1,64", "rtol=0.5,1e-3"}, base, kAxes);
  REQUIRE(sweep.points.size() == 4);
  std::vector<std::pair<int, double>> values;
  for (const auto& point : sweep.points) {
    values.emplace_back(point.config.iterations.value(), point.config.rtol.value());
    CHECK(point.config.warmup_runs == 3);
    CHECK(point.values ==
          ordered_json{{"iterations", point.config.iterations.value()}, {"rtol", point.config.rtol.value()}});
  }
  CHECK(values == std::vector<std::pair<int, double>>{{10, 0.5}, {10, 1e-3}, {20, 0.5}, {20, 1e-3}});
  REQUIRE(sweep.axes.size() == 1);
  CHECK(sweep.axes[0] == std::pair(std::string("n"), std::vector<std::int64_t>{1, 64}));
  CHECK(sweep.record.dump() == R"({"iterations":[10,20],"n":[1,64],"rtol":[0.5,0.001]})");
}

TEST_CASE("what all points share is the run's configuration") {
  const auto common = bench::common_config(make_sweep({"iterations=10,20", "atol=0.25"}, {}, {}));
  CHECK_FALSE(common.contains("iterations"));
  CHECK(common.at("atol") == 0.25);
  CHECK(common.at("num_trials") == 3);
}

TEST_CASE("every option that decides a result can be swept by its name, and changes it") {
  const std::map<std::string, std::string> options = {{"iterations", "2"},
                                                      {"warmup-runs", "0"},
                                                      {"num-trials", "2"},
                                                      {"noise", "0.01"},
                                                      {"call-budget", "0.5"},
                                                      {"timeout", "12"},
                                                      {"rtol", "0.5"},
                                                      {"atol", "0.5"},
                                                      {"required-matched-ratio", "0.5"},
                                                      {"clock", "cupti-concurrent"},
                                                      {"flush", "dirty"},
                                                      {"use-isolated-runner", "true"},
                                                      {"strict-inputs", "true"}};
  bench::RunConfig asked;  // for a number of calls
  asked.iterations = 50;
  for (const auto& [name, value] : options) {
    INFO(name);
    const auto sweep = make_sweep({name + "=" + value}, {}, {});
    REQUIRE(sweep.points.size() == 1);
    std::size_t changed = 0;
    const auto config = bench::to_json(sweep.points[0].config);
    const auto usual = bench::to_json(config.contains("iterations") ? asked : bench::RunConfig());
    for (const auto& [key, now] : config.items())
      changed += !usual.contains(key) || usual.at(key) != now ? 1U : 0U;
    CHECK(changed == 1);
    CHECK(sweep.record.at(name).size() == 1);
  }
}

TEST_CASE("wrong keys and values are sentences that say what there is") {
  CHECK(error_of({"speed=1"}) ==
        "speed cannot be swept; what can: options: iterations, warmup-runs, num-trials, noise, call-budget, "
        "timeout, rtol, atol, required-matched-ratio, clock, flush, use-isolated-runner, strict-inputs; axes "
        "of the "
        "selected definitions: iterations, n");
  CHECK(error_of({"iterations"}) == "iterations: expected KEY=VALUE,VALUE,..., for example iterations=10,50");
  CHECK(error_of({"iterations="}).find("expected KEY=") != std::string::npos);
  CHECK(error_of({"=1"}).find("expected KEY=") != std::string::npos);
  CHECK(error_of({"iterations=0"}) == "--iterations must be positive");
  CHECK(error_of({"required-matched-ratio=0.5,2"}) ==
        "--required-matched-ratio must be above 0 and at most 1");
  CHECK(error_of({"iterations=1,2x"}) == "iterations: \"2x\" is not a whole number");
  CHECK(error_of({"iterations=1,,2"}) == "iterations: \"\" is not a whole number");
  CHECK(error_of({"rtol=nan"}) == "rtol: \"nan\" is not a number");
  CHECK(error_of({"rtol=inf"}) == "rtol: \"inf\" is not a number");
  CHECK(error_of({"flush=wet"}) == "flush: \"wet\" is not clean, dirty or none");
  CHECK(error_of({"strict-inputs=1"}) == "strict-inputs: \"1\" is not true or false");
  CHECK(error_of({"n=0"}) == "n: \"0\" is not a whole number above 0");
  CHECK(error_of({"n=5,5"}) == "n: 5 is there twice");
  CHECK(error_of({"rtol=0.5,0.50"}) == "rtol: 0.50 is there twice");
  CHECK(error_of({"n=5", "n=6"}) == "n is swept twice");
  CHECK(make_sweep({"iterations=5"}, {}, kAxes).axes.empty());  // the option, not the axis
}
