#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "run_support.h"

// What keeps evaluations from being made: what programs are told of each, without a look at its reason.
using namespace fib;
using namespace fib::testing;

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// A definition y = f(x) over float32[n], with one workload.
void add(FibRun& run, const std::string& name, const std::string& reference, const std::string& n,
         const std::string& input) {
  const ordered_json tensor = {{"shape", {"n"}}, {"dtype", "float32"}};
  const ordered_json definition = {{"name", name},
                                   {"op_type", "test"},
                                   {"axes", {{"n", {{"type", "var"}}}}},
                                   {"inputs", {{"x", tensor}}},
                                   {"outputs", {{"y", tensor}}},
                                   {"reference", reference}};
  const std::string workload = fmt::format(
      R"({{"definition": "{}", "solution": null, "evaluation": null, "workload": {{"axes": {{"n": {}}}, )"
      R"("inputs": {{"x": {}}}, "uuid": "w"}}}})",
      name, n, input);
  run.dataset.definition("test", name, definition.dump(), {workload});
  run.dataset.solution(
      "solves_" + name, "alice",
      "extern \"C\" void run(const float* x, float* y, long n) { for (long i = 0; i < n; ++i) "
      "y[i] = x[i]; }",
      name);
}

// Of each solution that was not done or was skipped what is said beside the reason.
std::map<std::string, std::string> obstacles_of(const ProcessResult& result) {
  std::map<std::string, std::string> found;
  std::istringstream lines(result.out);
  const auto note = [&](const json& one) {
    found[one.at("solution")] =
        fmt::format("{} {} {} {}", one.at("code").get<std::string>(), one.at("stage").get<std::string>(),
                    one.at("fault").get<std::string>(), one.at("retryable").get<bool>());
    CHECK_FALSE(one.at("reason").get<std::string>().empty());
  };
  for (std::string line; std::getline(lines, line);) {
    const json event = json::parse(line);
    for (const char* list : {"skipped", "incomplete", "not_done"}) {
      if (event.contains(list)) std::for_each(event.at(list).begin(), event.at(list).end(), note);
    }
  }
  return found;
}

const std::string kCopy = "def run(x):\n    return x * 1\n";
const std::string kRandom = R"({"type": "random"})";

}  // namespace

TEST_CASE("whatever keeps an evaluation from being made has its code") {
  FibRun run;
  add(run, "fails", "def run(x):\n    raise ValueError(\"no\")\n", "10", kRandom);
  add(run, "bessel", "import torch\n\n\ndef run(x):\n    return torch.special.bessel_j0(x)\n", "10", kRandom);
  add(run, "huge", kCopy, "1000000000000", kRandom);
  add(run, "custom", kCopy, "10", R"({"type": "custom"})");
  add(run, "blob", kCopy, "10",
      R"({"type": "safetensors", "path": "nowhere.safetensors", "tensor_key": "x"})");
  add(run, "copies", kCopy, "10", kRandom);
  run.dataset.solution("lonely", "alice", "void run() {}", "nowhere");
  const ordered_json hip = {
      {"language", "hip"}, {"target_hardware", {"cpu"}}, {"entry_point", "main.cpp::run"}};
  run.dataset.any_solution("amd", "copies", hip, {{"main.cpp", "void run() {}"}});
  const ordered_json cuda = {
      {"language", "cuda"}, {"target_hardware", {"cuda"}}, {"entry_point", "main.cu::run"}};
  run.dataset.any_solution("gpu", "copies", cuda, {{"main.cu", "void run() {}"}});
  const ordered_json python = {
      {"language", "python"}, {"target_hardware", {"cpu"}}, {"entry_point", "main.py::run"}};
  run.dataset.any_solution("snake", "copies", python, {{"main.py", "def run(x, y): pass"}});
  const auto result = run.run(few({"--format", "jsonl"}));
  INFO(result.err);
  CHECK(obstacles_of(result) ==
        std::map<std::string, std::string>{{"solves_fails", "reference_failed run dataset false"},
                                           {"solves_bessel", "unsupported_reference run machine false"},
                                           {"solves_huge", "too_large load machine false"},
                                           {"solves_custom", "unsupported_workload load harness false"},
                                           {"solves_blob", "bad_workload load dataset false"},
                                           {"lonely", "no_workloads plan dataset false"},
                                           {"amd", "unsupported_solution plan harness false"},
                                           {"gpu", "other_device plan machine false"},
                                           {"snake", "missing_tool plan machine false"}});
  CHECK_THAT(result.out, Catch::Contains("torch may run it: no Python was found"));
  // What was tried in vain is in the run's record, with the reason, and reports can say it.
  const auto records = util::read_file(run.dataset.root() / "runs/runs.jsonl");
  std::map<std::string, std::string> recorded;
  const json record = json::parse(records.substr(0, records.find('\n')));
  for (const auto& one : record.at("not_done_reasons")) {
    CHECK(one.at("evaluations") == 1);
    recorded[one.at("solution")] = one.at("code");
  }
  CHECK(recorded == std::map<std::string, std::string>{{"solves_fails", "reference_failed"},
                                                       {"solves_bessel", "unsupported_reference"},
                                                       {"solves_huge", "too_large"},
                                                       {"solves_custom", "unsupported_workload"},
                                                       {"solves_blob", "bad_workload"}});
  CHECK_THAT(run_process({fib_binary(), "report", "show", "solution", "solves_fails", "--local",
                          run.dataset.root().string()})
                 .out,
             Catch::Contains(" has no result of it: ") && Catch::Contains("the reference failed"));
  CHECK_THAT(run_process({fib_binary(), "export", "--format", "junit", "--run", "last", "--local",
                          run.dataset.root().string()})
                 .out,
             Catch::Contains("5 evaluations of run ") && Catch::Contains("1 of solves_blob: "));
}

TEST_CASE("tools that are not there are the machine's, and no reason to try again") {
  FibRun run;
  add(run, "copies", kCopy, "10", kRandom);
  CHECK(obstacles_of(run.run(few({"--format", "jsonl", "--reference", "python"}))) ==
        std::map<std::string, std::string>{{"solves_copies", "missing_tool plan machine false"}});
  auto environment = run.environment();
  environment.push_back("CXX=/nonexistent/c++");
  const auto built = run_process(
      {fib_binary(), "run", "--local", run.dataset.root().string(), "--format", "jsonl"}, environment);
  CHECK(obstacles_of(built) ==
        std::map<std::string, std::string>{{"solves_copies", "missing_tool plan machine false"}});
  CHECK_THAT(built.out, Catch::Contains("\"code\":\"missing_tool\""));  // of the event "built", too
}
