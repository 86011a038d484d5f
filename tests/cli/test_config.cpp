#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <regex>

#include "cli/run_support.h"

// Settings in a file: `--config`, and `fib config show`.
using namespace fib;
using namespace fib::testing;

namespace {

namespace fs = std::filesystem;

// c = a + b, a twentieth too large.
const std::string kNearly = R"(
extern "C" void run(const float* a, const float* b, float* c, long n) {
  for (long i = 0; i < n; ++i) c[i] = (a[i] + b[i]) * 1.05f;
})";

struct Configured {
  FibRun run;

  Configured() { run.dataset.add_definition({100}).solution("nearly", "alice", kNearly); }

  [[nodiscard]] std::string file(const std::string& text) const {
    const fs::path path = run.folder.path() / "c.yaml";
    util::write_file_atomic(path, text);
    return path.string();
  }
  // The status of the one result of a run.
  [[nodiscard]] std::string status(const std::vector<std::string>& options) const {
    fs::remove_all(run.dataset.root() / "traces");
    const auto result = run.run(few(options));
    INFO(result.err);
    CHECK(result.exit_code == 0);
    return read_traces(run.dataset.root()).at(0).status;
  }
  [[nodiscard]] nlohmann::json record() const {
    return nlohmann::json::parse(read_traces(run.dataset.root()).at(0).text).at("evaluation").at("fib");
  }
  [[nodiscard]] ProcessResult show(std::vector<std::string> words,
                                   std::vector<std::string> environment = {}) const {
    words.insert(words.begin(), {fib_binary(), "config", "show", "--local", run.dataset.root().string()});
    environment.emplace_back("HOME=" + run.folder.path().string());
    return run_process(words, environment);
  }
};

}  // namespace

TEST_CASE("a run has the tolerances of its file, and options go before them") {
  const Configured configured;
  CHECK(configured.status({}) == "INCORRECT_NUMERICAL");
  const auto misspelt = configured.run.run(
      few({"--config", configured.file("definition_config: {ad: {rtol: 0.1}}\n"), "--dry-run"}));
  CHECK_THAT(misspelt.err,
             Catch::Contains("definition_config: there is no definition ad; did you mean \"add\"?"));
  const std::string file = configured.file("definition_config: {add: {rtol: 0.1}}\n");
  CHECK(configured.status({"--config", file}) == "PASSED");
  CHECK(configured.record().at("config").at("rtol") == 0.01);
  CHECK(configured.record().at("config").at("settings").at("rtol") == 0.1);
  CHECK(configured.record().at("tolerance").at("rtol") == 0.1);
  CHECK(configured.status({"--config", file, "--rtol", "0.01"}) == "INCORRECT_NUMERICAL");
  CHECK(configured.status({"--config", configured.file("op_type_config: {other: {rtol: 0.1}}\n")}) ==
        "INCORRECT_NUMERICAL");
}

TEST_CASE("--resume tells traces of other settings apart") {
  const Configured configured;
  const auto planned = [&](const std::string& text) {
    return configured.run.run(few({"--resume", "--dry-run", "--config", configured.file(text)})).out;
  };
  const std::string loose = "definition_config: {add: {rtol: 0.1}}\n";
  REQUIRE(configured.run.run(few({"--config", configured.file(loose)})).exit_code == 0);
  CHECK_THAT(planned(loose), Catch::Contains("1 already done"));
  CHECK_THAT(planned(""), Catch::Contains("1 evaluation planned\n"));
  CHECK_THAT(planned("definition_config: {add: {rtol: 0.2}}\n"), Catch::Contains("1 evaluation planned\n"));
}

TEST_CASE("a file says what to run, and a named part of it how") {
  Configured configured;
  configured.run.dataset.solution("good", "alice", kHonest);
  const std::string file =
      configured.file("solutions: [good]\nconfigs: {loose: {rtol: 0.1, solutions: [nearly]}}\n");
  CHECK_THAT(configured.run.run(few({"--config", file, "--dry-run"})).out, Catch::Contains("  good  "));
  const auto loose = configured.run.run(few({"--config", file, "--config-name", "loose", "--strict"}));
  CHECK(loose.exit_code == 0);
  const auto unknown = configured.run.run(few({"--config", file, "--config-name", "lose"}));
  CHECK(unknown.exit_code == 1);
  CHECK_THAT(unknown.err, Catch::Contains("has no configuration \"lose\"; it has: loose"));
  const auto wrong = configured.run.run(few({"--config", configured.file("rtol: x\n")}));
  CHECK(wrong.exit_code == 1);
  CHECK_THAT(wrong.err, Catch::EndsWith("c.yaml:1: rtol must be above 0\n"));
}

TEST_CASE("fib config show says every setting and where it comes from") {
  const Configured configured;
  const auto usual = configured.show({});
  CHECK(usual.exit_code == 0);
  CHECK(usual.err.empty());
  CHECK_THAT(usual.out, Catch::StartsWith("Configuration file: none\n"));
  CHECK_THAT(usual.out, Catch::Matches("[^]*noise +0.005 +usual\n[^]*", Catch::CaseSensitive::Yes));
  fs::create_directories(configured.run.folder.path() / ".config/fib");
  util::write_file_atomic(configured.run.folder.path() / ".config/fib/config.yaml",
                          "atol: 0.5\nop_type_config: {test: {iterations: 7}}\n");
  const auto shown = configured.show({"add"});
  CHECK_THAT(shown.out, Catch::Contains(".config/fib/config.yaml\nDefinition:") &&
                            Catch::Contains("op_type_config.test"));
  CHECK_THAT(shown.out, Catch::Matches("[^]*atol +0.5 +the file\n[^]*", Catch::CaseSensitive::Yes));
  CHECK_THAT(shown.out, !Catch::Contains("noise"));
  CHECK(configured.show({"ad"}).exit_code == 1);
}

TEST_CASE("fib config show tells what the file says from what its named configuration does") {
  Configured configured;
  const std::string file = configured.file(
      "rtol: 0.25\natol: 0.5\nsolutions: [good]\nop_type_config: {test: {warmup_runs: 3}}\n"
      "configs: {loose: {rtol: 0.1, timeout_seconds: 9, op_type_config: {test: {num_trials: 2}}}}\n");
  const auto from = [&](const std::vector<std::string>& words, const std::string& setting) {
    const auto shown = configured.show(words);
    CHECK(shown.exit_code == 0);
    CHECK(shown.err.empty());
    std::smatch match;
    const std::regex row("\n" + setting + " +\\S+ +(.+)\n");
    return std::regex_search(shown.out, match, row) ? match[1].str() : "no such row in " + shown.out;
  };
  const std::vector<std::string> named = {"add", "--config", file, "--config-name", "loose"};
  CHECK(from(named, "rtol") == "configs.loose");
  CHECK(from(named, "atol") == "the file");
  CHECK(from(named, "solutions") == "the file");
  CHECK(from(named, "timeout_seconds") == "configs.loose");
  CHECK(from(named, "warmup_runs") == "op_type_config.test");
  CHECK(from(named, "num_trials") == "configs.loose.op_type_config.test");
  CHECK(from({"add", "--config", file}, "rtol") == "the file");
  CHECK(from({"add", "--config", file}, "timeout_seconds") == "usual");
}

TEST_CASE("fib config show knows what a workload has of its own") {
  Configured configured;
  const std::string file = configured.file("workload_config: {w100: {rtol: 0.25}}\n");
  const auto of_definition = configured.show({"add", "--config", file});
  CHECK(of_definition.err.empty());
  CHECK_THAT(of_definition.out, Catch::Contains("own: 1 of 1; to see those of the first: --workload w100"));
  CHECK_THAT(of_definition.out, !Catch::Contains("0.25"));
  const auto shown = configured.show({"add", "--config", file, "--workload", "w100"});
  CHECK(shown.exit_code == 0);
  CHECK_THAT(shown.out,
             Catch::Contains("\nWorkload:") &&
                 Catch::Matches("[^]*rtol +0.25 +workload_config.w100\n[^]*", Catch::CaseSensitive::Yes));
  const auto unknown = configured.show({"add", "--workload", "w9"});
  CHECK(unknown.exit_code == 1);
  CHECK_THAT(unknown.err, Catch::Contains("add has no workload \"w9\"; to see all: fib list workloads"));
  CHECK(configured.show({"--workload", "w100"}).exit_code == 2);
  configured.run.dataset.add_definition({1000, 1001, 100});
  const auto many = configured.show({"add", "--workload", "w100?"});
  CHECK(many.exit_code == 1);
  CHECK_THAT(many.err,
             Catch::Contains("\"w100?\" is the name of 2 workloads, of w1000 and w1001 among them"));
  CHECK_THAT(configured.show({"add", "--workload", "w100"}).out, Catch::Contains("w100\n"));
  configured.run.dataset.add_definition({100});
  const auto path = configured.run.dataset.root() / "workloads/test/add.jsonl";
  auto line = nlohmann::json::parse(util::read_file(path));
  line["workload"]["tolerance"] = {{"max_atol", 0.125}, {"max_error_cap", 3.0}};
  util::write_file_atomic(path, line.dump() + "\n");
  const auto own = configured.show({"add", "--config", configured.file("atol: 0.5\n"), "--workload", "w100"});
  CHECK_THAT(own.out,
             Catch::Matches("[^]*atol +0.125 +the workload's tolerance\n[^]*", Catch::CaseSensitive::Yes));
  CHECK_THAT(own.out,
             Catch::Matches("[^]*max_error +3.0 +the workload's tolerance\n[^]*", Catch::CaseSensitive::Yes));
}
