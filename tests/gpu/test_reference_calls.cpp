#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "gpu/gpu.h"
#include "support/fib_run.h"
#include "support/places.h"
#include "support/python.h"
#include "util/files.h"

// Calls of torch's references, most of which nobody times.
using namespace fib;
using nlohmann::ordered_json;

namespace {

// One that adds by this body. Each call is right where each of its steps is waited for; the device has work
// for a while before it reads the inputs.
ordered_json definition(const std::string& body) {
  const ordered_json tensor = {{"shape", {"n"}}, {"dtype", "float32"}};
  return {{"name", "add"},
          {"op_type", "test"},
          {"axes", {{"n", {{"type", "var"}}}}},
          {"inputs", {{"a", tensor}, {"b", tensor}}},
          {"outputs", {{"c", tensor}}},
          {"reference", "import torch\n\ndef run(a, b):\n" + body}};
}

const std::map<std::string, std::string> kBodies = {
    {"on the current stream",
     R"(    torch.cuda._sleep(100000)
    return a + b
)"},
    {"on a stream that is joined",
     R"(    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        torch.cuda._sleep(100000)
        c = a + b
    torch.cuda.current_stream().wait_stream(side)
    return c
)"},
    {"on a stream that waits for nobody, and for which nobody waits",
     R"(    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        torch.cuda._sleep(100000)
        return a + b
)"},
    // The gradient of half the square of a, and of a times b.
    {"on the thread of torch.autograd",
     R"(    with torch.enable_grad():
        x = a.detach().clone().requires_grad_()
        torch.cuda._sleep(100000)
        (0.5 * x * x + x * b).sum().backward()
    return x.grad
)"}};

}  // namespace

TEST_CASE("outputs of calls that nobody times are right on all streams, small and large ones", "[gpu]") {
  if (testing::gpu() == nullptr) return;
  const auto python = testing::python_with_torch();
  if (!python) return;
  int few = 0;
  for (const auto& [name, body] : kBodies) {
    INFO(name);
    testing::FibRun run;
    run.python = *python;
    std::vector<std::string> workloads;
    for (const int n : {1000, 4'000'000}) {
      workloads.push_back(ordered_json{
          {"definition", "add"},
          {"workload",
           {{"axes", {{"n", n}}},
            {"inputs", {{"a", {{"type", "random"}}}, {"b", {{"type", "random"}}}}},
            {"uuid", fmt::format("w{}", n)}}},
          {"solution", nullptr},
          {"evaluation",
           nullptr}}.dump());
    }
    run.dataset.definition("test", "add", definition(body).dump(), workloads);
    run.dataset.cuda_solution("honest", "test",
                              util::read_file(testing::source_folder() / "tests/hostile/cuda/honest.cu"),
                              {{"launch", {{"grid", "ceil_div(n, 256)"}, {"block", 256}}}});
    const auto result = run.run({"--device", "cuda:0", "--reference", "python"});
    INFO(result.out << result.err);
    CHECK(result.exit_code == 0);
    const auto traces = testing::read_traces(run.dataset.root());
    REQUIRE(traces.size() == 2);
    for (const auto& trace : traces) {
      CHECK(trace.status == "PASSED");
      const auto fib = ordered_json::parse(trace.text).at("evaluation").at("fib");
      CHECK(fib.at("reference").at("device") == "cuda");
      // All are timed where their times differ much.
      few += fib.at("reference").at("n").get<int>() + 10 < fib.at("sets").get<int>() ? 1 : 0;
    }
  }
  CHECK(few >= static_cast<int>(kBodies.size()));
}
