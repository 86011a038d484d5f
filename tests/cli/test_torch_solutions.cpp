#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/run_support.h"
#include "support/python.h"

// Python solutions and references with torch, on the CPU.
using namespace fib;
using testing::few;

namespace {

const std::string kScale = R"({"name": "scale", "op_type": "test",
  "axes": {"n": {"type": "var"}, "h": {"type": "const", "value": 64}},
  "inputs": {"x": {"shape": ["n", "h"], "dtype": "bfloat16"}, "factor": {"shape": null, "dtype": "float32"},
             "times": {"shape": null, "dtype": "int32"}, "on": {"shape": ["n"], "dtype": "bool"}},
  "outputs": {"y": {"shape": ["n", "h"], "dtype": "bfloat16"}, "sum": {"shape": ["n"], "dtype": "float32"}},
  "reference": "import torch\n\n\n@torch.no_grad()\ndef run(on, x, factor, times):\n    assert isinstance(times, int) and isinstance(factor, float)\n    y = torch.where(on[:, None], x.float() * factor * times, x.float()).to(torch.bfloat16)\n    return y, y.float().sum(-1)\n"})";

const std::string kRight =
    "import torch\ndef run(x, factor, times, on):\n"
    "    y = torch.where(on[:, None], x.float() * factor * times, x.float()).to(torch.bfloat16)\n";

struct TorchRun : testing::FibRun {
  explicit TorchRun(const std::string& interpreter) {
    python = interpreter;
    dataset.definition(
        "test", "scale", kScale,
        {R"({"definition": "scale", "solution": null, "evaluation": null, "workload": {"axes": {"n": 5}, )"
         R"("uuid": "w5", "inputs": {"x": {"type": "random"}, "factor": {"type": "scalar", "value": 1.5}, )"
         R"("times": {"type": "scalar", "value": 2}, "on": {"type": "random"}}}})"});
  }
  void add(const std::string& name, const std::string& source,
           const nlohmann::ordered_json& spec = nlohmann::ordered_json::object()) {
    dataset.python_solution(name, source, spec, "scale");
  }
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("torch solutions over fib's buffers: both calling styles, views, cheats and broken outputs") {
  const auto python = testing::python_with_torch();
  if (!python) return;
  TorchRun run(*python);
  const std::map<std::string, std::pair<std::string, std::string>> cases = {
      {"returns", {kRight + "    return y, y.float().sum(-1)\n", "PASSED"}},
      {"returns_dict", {kRight + "    return {'sum': y.float().sum(-1), 'y': y}\n", "PASSED"}},
      {"returns_transposed", {kRight + "    return y.t().contiguous().t(), y.float().sum(-1)\n", "PASSED"}},
      {"writes",
       {"import torch\ndef run(x, factor, times, on, y, sum):\n"
        "    y.copy_(torch.where(on[:, None], x.float() * factor * times, x.float()))\n"
        "    torch.sum(y.float(), -1, out=sum)\n",
        "PASSED"}},
      {"returns_one", {kRight + "    return y\n", "INCORRECT_SHAPE"}},
      {"returns_swapped", {kRight + "    return y.float().sum(-1), y\n", "INCORRECT_SHAPE"}},
      {"returns_float", {kRight + "    return y.float(), y.float().sum(-1)\n", "INCORRECT_DTYPE"}},
      {"returns_complex",
       {kRight + "    return y.to(torch.complex64), y.float().sum(-1)\n", "INCORRECT_DTYPE"}},
      {"returns_input",
       {"import torch\ndef run(x, factor, times, on):\n    return x, x.float().sum(-1)\n",
        "INCORRECT_NUMERICAL"}},
      {"resizes",
       {"import torch\ndef run(x, factor, times, on, y, sum):\n    y.resize_(1000000)\n", "RUNTIME_ERROR"}},
      {"patches",
       {"import torch\ntorch.Tensor.data_ptr = lambda self: 0\ntorch.Tensor.view = None\ntorch.empty = None\n"
        "torch.Tensor.is_contiguous = lambda *a: True\ntorch.equal = lambda *a: True\n" +
            kRight.substr(13) + "    return y * 0, y.float().sum(-1)\n",
        "INCORRECT_NUMERICAL"}},
      {"lazy",
       {"import torch\nclass Lazy(torch.Tensor):\n    pass\n" + kRight.substr(13) +
            "    return y.as_subclass(Lazy), y.float().sum(-1)\n",
        "PASSED"}},
  };
  for (const auto& [name, what] : cases) run.add(name, what.first);
  const auto result = run.run(few());
  INFO(result.err);
  CHECK(result.exit_code == 0);
  auto traces = testing::traces_by_solution(run.dataset.root());
  REQUIRE(traces.size() == cases.size());
  for (const auto& [name, what] : cases) {
    INFO(name << ": " << traces.at(name).log);
    CHECK(traces.at(name).status == what.second);
  }
  const auto trace = nlohmann::json::parse(traces.at("returns").text);
  const auto& evaluation = trace.at("evaluation");
  CHECK(evaluation.at("environment").at("libs").contains("torch"));
  CHECK(evaluation.at("performance").at("reference_latency_ms").get<double>() > 0);
  const auto engine = evaluation.at("fib").at("reference").at("engine").get<std::string>();
  CHECK(contains(engine, "Python "));
  CHECK(contains(engine, "torch "));
}

TEST_CASE("both engines serve a run: the same solution passes with either") {
  const auto python = testing::python_with_torch();
  if (!python) return;
  TorchRun run(*python);
  run.add("returns", kRight + "    return y, y.float().sum(-1)\n");
  for (const std::string engine : {"native", "python"}) {
    REQUIRE(run.run(few({"--reference", engine})).exit_code == 0);
  }
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == 2);
  for (const auto& trace : traces) CHECK(trace.status == "PASSED");
  CHECK(contains(traces[0].text, "\"engine\":\"native ("));
  CHECK(contains(traces[1].text, "\"engine\":\"Python "));
}

TEST_CASE(
    "a reference that raises in Python is told with its own lines, and nothing is held against a solution") {
  const auto python = testing::python_with_torch();
  if (!python) return;
  TorchRun run(*python);
  auto json = nlohmann::json::parse(kScale);
  json["reference"] =
      "import torch\n\n\ndef run(x, factor, times, on):\n    raise RuntimeError('broken reference')\n";
  util::write_file_atomic(run.dataset.root() / "definitions/test/scale.json", json.dump());
  run.add("returns", kRight + "    return y, y.float().sum(-1)\n");
  const auto result = run.run(few({"--reference", "python"}));
  CHECK(result.exit_code == 1);
  CHECK(contains(result.err, "the reference failed: RuntimeError: broken reference"));
  CHECK(contains(result.err, "main.py\", line 5, in run"));
  CHECK(testing::read_traces(run.dataset.root()).empty());
}
