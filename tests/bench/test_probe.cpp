#include <catch2/catch.hpp>
#include <fstream>

#include "bench/probe.h"
#include "dataset/trace_stream.h"
#include "support/fib_run.h"
#include "tensor/safetensors.h"

// Solutions under a tool that is a shell, with a real keeper, compiler and probe.
using namespace fib;

namespace {

struct Scene {
  testing::FibRun run;
  std::atomic<bool> interrupted = false;

  explicit Scene(const std::string& before) {
    run.dataset.add_definition({1000});
    run.dataset.solution("s", "me",
                         "#include <cstdio>\n" + before +
                             "extern \"C\" void run(const float* a, const float* b, float* c, long n) {\n"
                             "  act();\n  for (long i = 0; i < n; ++i) c[i] = a[i] + b[i];\n}\n");
  }

  bench::ProbeOutcome probe(sandbox::Mode mode, const bench::ProbeTool& tool) {
    bench::RunConfig config;
    config.sandbox = mode;
    config.flush = worker::Flush::kNone;
    bench::Session session(
        {{{model::DeviceKind::cpu, "cpu", {}, {}, {}}}, testing::fib_binary(), run.folder.path() / "cache"},
        interrupted);
    std::vector<std::string> problems;
    const auto loaded = dataset::load_without_results(run.dataset.root().string(), problems);
    return bench::run_probe(session, config, loaded.solutions.at("s"), loaded.definitions.at("add"),
                            loaded.workloads.at("add").front(), loaded.root, tool);
  }
};

// What a solution does that reads this file.
std::string reading(const std::filesystem::path& file) {
  return "static void act() {\n  char text[64] = {};\n  FILE* file = std::fopen(\"" + file.string() +
         "\", \"r\");\n  if (file != nullptr && std::fgets(text, sizeof text, file)) std::printf(\"solution: "
         "%s\\n\", "
         "text);\n}\n";
}

}  // namespace

TEST_CASE(
    "a tool and the solution that it looks at reach neither the user's files nor more than they are given") {
  testing::TemporaryFolder kept;
  const auto secret = kept.path() / "secret";
  std::ofstream(secret) << "the secret";
  Scene scene(reading(secret));
  bench::ProbeTool tool;
  tool.writable = {kept.path() / "report"};
  std::filesystem::create_directory(tool.writable.front());
  const std::string report = (tool.writable.front() / "file").string();
  tool.words = {"/bin/sh", "-c",
                "echo tool: $(cat " + secret.string() + " 2>/dev/null); echo written > " + report +
                    "; \"$@\"; code=$?; echo tool: code $code; exit $code",
                "sh"};
  const auto confined = scene.probe(sandbox::Mode::kAuto, tool);
  INFO(confined.reason << confined.output);
  CHECK(confined.end == bench::ProbeOutcome::End::called);
  CHECK_THAT(confined.output, Catch::Contains("tool: code 0") && !Catch::Contains("the secret"));
  CHECK(util::read_file(report) == "written\n");
  const auto open = scene.probe(sandbox::Mode::kOff, tool);
  CHECK(open.end == bench::ProbeOutcome::End::called);
  CHECK_THAT(open.output, Catch::Contains("tool: the secret") && Catch::Contains("solution: the secret"));
}

TEST_CASE("the files of a workload's inputs are read beside a tool, too") {
  Scene scene("static void act() {}\n");
  const float values[4] = {1, 2, 3, 4};
  std::filesystem::create_directory(scene.run.dataset.root() / "blob");
  tensor::write_safetensors(scene.run.dataset.root() / "blob/a.safetensors",
                            {{"a", tensor::DType::kFloat32, {4}, values}});
  std::ofstream(scene.run.dataset.root() / "workloads/test/add.jsonl")
      << R"({"definition":"add","workload":{"axes":{"n":4},"inputs":{"a":{"type":"safetensors","path":)"
         R"("blob/a.safetensors","tensor_key":"a"},"b":{"type":"random"}},"uuid":"w4"}})"
      << "\n";
  bench::ProbeTool tool;
  tool.words = {"/bin/sh", "-c", "\"$@\"", "sh"};
  const auto outcome = scene.probe(sandbox::Mode::kAuto, tool);
  INFO(outcome.reason << outcome.output);
  CHECK(outcome.end == bench::ProbeOutcome::End::called);
}

TEST_CASE("a tool that is not there is no fault of the solution") {
  Scene scene("static void act() {}\n");
  bench::ProbeTool tool;
  tool.words = {"/no/such/tool"};
  const auto outcome = scene.probe(sandbox::Mode::kAuto, tool);
  CHECK(outcome.end == bench::ProbeOutcome::End::not_done);
  CHECK_THAT(outcome.output, Catch::Contains("cannot start /no/such/tool"));
}
