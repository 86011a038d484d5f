#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "bench/config_file.h"

using namespace fib;

namespace {

bench::ConfigFile parsed(const std::string& text, const std::string& name = "") {
  return bench::parse_config_file(text, "c.yaml", name);
}

model::Definition definition(const std::string& name, const std::string& op_type) {
  return model::parse_definition(
      R"({"name": ")" + name + R"(", "op_type": ")" + op_type +
      R"(", "axes": {}, "inputs": {}, "outputs": {"y": {"shape": null, "dtype": "bfloat16"}},
      "reference": "def run(): pass"})");
}

// What an evaluation of the definition has, of a run with these options and this file.
bench::RunConfig config_of(const std::string& text, const model::Definition& definition,
                           bench::RunConfig options = {}, const std::string& uuid = "w") {
  bench::take_settings(options, parsed(text));
  model::Workload workload;
  workload.uuid = uuid;
  return bench::config_for(options, definition, workload);
}

eval::Tolerance tolerance(const bench::RunConfig& config) { return bench::tolerance_of(config, {}, 1); }

constexpr const char* kLayers = R"(
timeout_seconds: 600
unknown: [1, {a: b}]
op_type_config:
  moe: {required_matched_ratio: 0.95, rtol: 0.1}
definition_config:
  my_def: {atol: 0.5, rtol: 0.1}
)";

}  // namespace

TEST_CASE("nothing in a file leaves everything as it is") {
  for (const char* text : {"", "# nothing\n", "rtol:\n", "op_type_config:\n  moe:\n"}) {
    const auto config = config_of(text, definition("d", "moe"));
    CHECK(config.settings.is_empty());
    CHECK(tolerance(config).rtol == 0.01);
    CHECK(bench::to_json(config) == bench::to_json(bench::RunConfig()));
  }
}

TEST_CASE("the run goes before definitions, these before op types, field by field") {
  const std::string with_rtol = std::string(kLayers) + "rtol: 0.01\n";
  const auto moe = tolerance(config_of(with_rtol, definition("other", "moe")));
  CHECK(moe.rtol == 0.01);
  CHECK(moe.required_matched_ratio == 0.95);
  CHECK(tolerance(config_of(kLayers, definition("other", "moe"))).rtol == 0.1);
  const auto mine = tolerance(config_of(kLayers, definition("my_def", "moe")));
  CHECK(mine.atol == 0.5);
  CHECK(mine.required_matched_ratio == 0.95);
  CHECK(tolerance(config_of(kLayers, definition("other", "norm"))).atol == 0.01);
  CHECK(parsed(kLayers).timeout_s == 600.0);
}

TEST_CASE("dtypes come before op types, and workloads after definitions") {
  const std::string text =
      "dtype_config: {bfloat16: {atol: 0.1, rtol: 0.1}}\nop_type_config: {op: {rtol: 0.2}}\n"
      "definition_config: {d: {noise: 0.1}}\nworkload_config: {w: {noise: 0.2}}\n";
  const auto config = config_of(text, definition("d", "op"));
  CHECK(config.settings.atol == 0.1);
  CHECK(config.settings.rtol == 0.2);
  CHECK(config.settings.noise == 0.2);
  CHECK(config_of(text, definition("d", "op"), {}, "v").settings.noise == 0.1);
}

TEST_CASE("options go before the file, and a number of calls does not mix with a width") {
  bench::RunConfig options;
  options.rtol = 0.3;
  options.noise = 0.02;
  const auto config =
      config_of("rtol: 0.1\niterations: 7\nop_type_config: {op: {iterations: 9, rtol: 0.2}}\n",
                definition("d", "op"), options);
  CHECK(config.rtol == 0.3);
  CHECK(config.settings.is_empty());
  CHECK(bench::wanted_calls(config).may_end_sooner());
  const auto fixed = config_of("op_type_config: {op: {iterations: 9, noise: 0.5}}\n", definition("d", "op"));
  CHECK(bench::wanted_calls(fixed).timed == 9);
  CHECK(bench::wanted_calls(fixed).trials == 3);
  CHECK_FALSE(bench::wanted_calls(fixed).may_end_sooner());
}

TEST_CASE("what layers say stands in the recorded configuration, beside what the run says") {
  const auto config =
      config_of("op_type_config: {op: {rtol: 0.2, profile_baseline: false}}\n", definition("d", "op"));
  const auto json = bench::to_json(config);
  CHECK(json.at("rtol") == 0.01);
  CHECK(json.at("settings").dump() == R"({"rtol":0.2,"profile_baseline":false})");
  CHECK_FALSE(bench::times_reference(config));
}

TEST_CASE("a named configuration is taken over the file, key by key") {
  const std::string text =
      "rtol: 0.1\natol: 0.1\ndefinitions: [a, b]\nop_type_config: {op: {rtol: 0.2, noise: 0.1}}\n"
      "configs:\n  fast:\n    atol: 0.4\n    definitions: [c]\n    op_type_config: {op: {rtol: 0.3}}\n";
  const auto file = parsed(text, "fast");
  CHECK(file.run.rtol == 0.1);
  CHECK(file.run.atol == 0.4);
  CHECK(file.definitions == std::vector<std::string>{"c"});
  CHECK(file.layers.by_op_type.at("op").rtol == 0.3);
  CHECK(file.layers.by_op_type.at("op").noise == 0.1);
  CHECK_THROWS_WITH(parsed(text, "quick"), "c.yaml has no configuration \"quick\"; it has: fast");
  CHECK_THROWS_WITH(parsed("rtol: 1\n", "quick"), "c.yaml has no configuration \"quick\"");
}

TEST_CASE("values out of range and of other types are one sentence with the line") {
  const auto says = [](const std::string& text, const std::string& sentence) {
    CHECK_THROWS_WITH(parsed("\n" + text), "c.yaml:2: " + sentence);
  };
  says("warmup_runs: -1", "warmup_runs must be a whole number of at least 0");
  says("iterations: 0", "iterations must be a whole number above 0");
  says("num_trials: 0", "num_trials must be a whole number above 0");
  says("num_trials: many", "num_trials must be a whole number above 0");
  says("rtol: 0", "rtol must be above 0");
  says("atol: .nan", "atol must be above 0");
  says("required_matched_ratio: 1.1", "required_matched_ratio must be above 0 and at most 1");
  says("timeout_seconds: 0", "timeout_seconds must be above 0");
  says("op_type_config: 3", "op_type_config is a map of names and values");
  says("definition_config: {d: [1]}", "definition_config.d is a map of names and values");
  says("definitions: d", "definitions is a list of names");
  says("- a", "a configuration is a map of names and values");
  CHECK_THROWS_WITH(parsed("a: [1\nb: }"), Catch::StartsWith("c.yaml:2: "));
}

TEST_CASE("what a file says and would not be read is an error with its line") {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"rtol: 0.1\natol: 0.1\nrtol: 0.2\n", "c.yaml:3: rtol is given twice"},
      {"op_type_config:\n  moe: {rtol: 0.1}\n  moe: {atol: 1}\n", "c.yaml:3: moe is given twice"},
      {"configs:\n  fast:\n    op_type_config:\n      moe: {rtol: 0.1, rtol: 0.2}\n",
       "c.yaml:4: rtol is given twice"},
      {"a: &a {rtol: 0.1}\nconfigs:\n  fast:\n    <<: *a\n",
       "c.yaml:4: keys are not merged (<<); write them out"},
      {"rtol: 0.1\n---\nrtol: 0.2\n", "c.yaml:3: it has 2 documents; one is read"},
  };
  for (const auto& [text, message] : wrong) {
    INFO(text);
    CHECK_THROWS_WITH(parsed(text), message);
  }
  // An anchor may stand for a map, also for one around it.
  CHECK(parsed("configs:\n  a: &a {rtol: 0.1}\n  b: *a\n", "b").run.rtol == 0.1);
  CHECK(parsed("x: &x\n  y: *x\nrtol: 0.1\n").run.rtol == 0.1);
  // A map that contains itself so often stands for 300 to the fifth entries.
  std::string self = "x: &x\n";
  for (int i = 0; i < 300; ++i) self += fmt::format("  k{}: *x\n", i);
  CHECK_THROWS_WITH(parsed(self),
                    Catch::EndsWith("it has more than 1000000 entries, aliases (*) written out"));
}

TEST_CASE("keys that change nothing here are named") {
  CHECK(parsed("extra: {sampling_tvd_threshold: 0.2}\nlog_dir: /x\n").remarks ==
        std::vector<std::string>{"extra changes nothing: see docs/configuration.md",
                                 "log_dir changes nothing: see docs/configuration.md"});
  CHECK(parsed("op_type_config: {sampling: {extra: {sampling_validation_trials: 5}}}\n").remarks ==
        std::vector<std::string>{"op_type_config.sampling.extra changes nothing: see docs/configuration.md"});
  CHECK_THROWS_WITH(parsed("extra: {sampling_validation_trials: 0}\n"),
                    Catch::EndsWith("sampling_validation_trials must be a whole number above 0"));
  CHECK_THROWS_WITH(parsed("definition_config: {d: {sampling_tvd_threshold: 7}}\n"),
                    Catch::EndsWith("sampling_tvd_threshold must be from 0 to 1"));
  CHECK(parsed("op_type_confg: {}\nsomething: 1\ndefinition_config: {d: {atl: 1}}\n").remarks ==
        std::vector<std::string>{
            "atl is no key; did you mean \"atol\" or \"rtol\"?",
            "op_type_confg is no key; did you mean \"op_type_config\" or \"dtype_config\"?"});
  CHECK(parsed("iterations: 3\nnoise: 0.1\n").remarks.size() == 1);
}

TEST_CASE("names in a file that no dataset has are told, with those that are like them") {
  dataset::Dataset dataset;
  dataset.definitions.emplace("gemm", definition("gemm", "matmul"));
  dataset.workloads["gemm"].emplace_back().uuid = "w1";
  const auto unmatched = [&](const std::string& text) {
    return bench::unmatched_names(parsed(text), {dataset});
  };
  CHECK(unmatched("definition_config: {gemm: {rtol: 1}}\nop_type_config: {matmul: {rtol: 1}}\n"
                  "workload_config: {w1: {rtol: 1}}\n")
            .empty());
  CHECK(unmatched("definition_config: {gem: {rtol: 1}}\n") ==
        std::vector<std::string>{"definition_config: there is no definition gem; did you mean \"gemm\"?"});
  CHECK(unmatched("op_type_config: {norm: {rtol: 1}}\nworkload_config: {w2: {rtol: 1}}\n").size() == 2);
}
