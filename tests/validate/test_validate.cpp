#include "validate/support.h"

using namespace fib;
using namespace fib::testing;

namespace {

Lines ran(const validate::Report& report) {
  Lines names;
  for (const auto& check : report.definitions.at(0).checks) {
    if (check.messages) names.push_back(check.name);
  }
  for (const auto& check : report.dataset) {
    if (check.messages) names.push_back(check.name);
  }
  return names;
}

Lines selected(const Checked& files, const Lines& op_types, const Lines& definitions) {
  validate::Options options;
  options.op_types = op_types;
  options.definitions = definitions;
  Lines names;
  for (const auto& definition : files.report(options).definitions) names.push_back(definition.name);
  return names;
}

struct ThreeDefinitions : Checked {
  ThreeDefinitions() {
    Json of_other = definition_json("a");
    of_other["op_type"] = "other";
    files.write("definitions/other/a.json", of_other.dump());
    files.write("definitions/op/e.json", definition_json("e").dump());
  }
};

}  // namespace

TEST_CASE("upstream mode has the seven checks; benchmark does not run by itself, and a note says so") {
  const Checked files;
  validate::Options options;
  options.mode = kUpstream;
  const validate::Report report = files.report(options);
  CHECK(ran(report) == Lines{"layout", "definition", "workload", "solution", "trace", "baseline"});
  CHECK(report.definitions[0].checks.size() == 7);
  CHECK(report.dataset.empty());
  CHECK(report.config.disable_gpu);
  REQUIRE(report.notes.size() == 1);
  CHECK_THAT(report.notes[0], Catch::StartsWith("the benchmark check was skipped"));
  options.disable_gpu = true;
  CHECK(files.report(options).notes.empty());
}

TEST_CASE("lenient mode adds its own checks after the seven") {
  const validate::Report report = Checked().report();
  CHECK(ran(report) == Lines{"layout", "definition", "workload", "solution", "trace", "baseline",
                             "duplicates", "blobs", "constraints", "languages", "parameters", "orphans",
                             "runs"});
  CHECK(report.config.checks == ran(report));
}

TEST_CASE("only the checks that were asked for run") {
  validate::Options options;
  options.checks = {"trace", "constraints", "benchmark"};
  const validate::Report report = Checked().report(options);
  CHECK(ran(report) == Lines{"trace", "constraints"});
  CHECK(report.config.checks == Lines{"trace", "constraints"});
}

TEST_CASE("benchmark says how the baselines of the chosen definitions ran") {
  const ThreeDefinitions files;
  validate::Options options;
  options.checks = {"benchmark"};
  options.op_types = {"op"};
  Lines asked;
  options.benchmark = [&](const Lines& definitions) {
    asked = definitions;
    std::map<std::string, validate::Benchmark> benchmarks;
    benchmarks[definitions.front()] = {
        1, {{"b", {1, {}}}, {"c", {1, {"workload w: TIMEOUT: too slow"}}}}, {}, {}};
    return benchmarks;
  };
  const validate::Report report = files.report(options);
  CHECK(ran(report) == Lines{"benchmark"});
  CHECK_FALSE(report.config.disable_gpu);
  CHECK(report.notes.empty());
  REQUIRE(asked.size() == report.definitions.size());
  const auto& messages = *report.definitions[0].checks[6].messages;
  REQUIRE(messages.size() == 3);
  CHECK(messages[0].text == "b: PASS");
  CHECK(messages[1].text == "c: workload w: TIMEOUT: too slow");
  CHECK(messages[1].level == validate::Level::error);
  CHECK(messages[2].text == "reference: PASS");
}

TEST_CASE("benchmark without workloads or baselines is a warning, a reference without answer an error") {
  const auto texts = [](const validate::Benchmark& benchmark) {
    Lines lines;
    for (const auto& message : check_benchmark(benchmark, {})) lines.push_back(message.text);
    return lines;
  };
  CHECK(texts({}) == Lines{"no workloads to benchmark", "no baseline solutions for benchmark"});
  CHECK(texts({1, {}, {}, {}}) == Lines{"no baseline solutions for benchmark"});
  CHECK(texts({0, {{"b", {}}}, {}, {}}) == Lines{"no workloads to benchmark"});
  CHECK(texts({1, {}, {{"b", "it is Python"}}, {}}) == Lines{"b: not run: it is Python"});
  CHECK(texts({2, {{"b", {1, {}}}}, {}, {"workload w: no such function"}}) ==
        Lines{"b: judged on 1 of 2 workloads", "reference: workload w: no such function"});
}

TEST_CASE("filters are a union; the dataset as a whole is then not checked") {
  const ThreeDefinitions files;
  CHECK(selected(files, {}, {}) == Lines{"a", "d", "e"});
  CHECK(selected(files, {"other"}, {"e"}) == Lines{"a", "e"});
  CHECK(selected(files, {}, {"d"}) == Lines{"d"});
  validate::Options options;
  options.definitions = {"d"};
  CHECK(files.report(options).dataset.at(0).messages == std::nullopt);
}

TEST_CASE("a filter that names nothing is an error in lenient mode and selects nothing upstream") {
  const Checked files;
  CHECK_THROWS_WITH(selected(files, {}, {"x"}), Catch::StartsWith("no definition \"x\" in "));
  CHECK_THROWS_WITH(selected(files, {"x"}, {}), Catch::StartsWith("no folder definitions/x in "));
  validate::Options options;
  options.mode = kUpstream;
  options.definitions = {"x"};
  CHECK(files.report(options).definitions.empty());
}

TEST_CASE("messages know file and line") {
  const Checked files;
  files.workloads("\n" + record(workload_json("w"), "s"));
  const validate::Report report = files.report();
  for (const auto& check : report.definitions.at(0).checks) {
    if (check.name != "workload") continue;
    CHECK(check.messages->at(1).place.file == "workloads/op/d.jsonl");
    CHECK(check.messages->at(1).place.line == 2);
  }
}
