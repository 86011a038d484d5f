#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/run_support.h"
#include "compile/torch_headers.h"
#include "support/python.h"

// Torch extensions on the CPU: with fib's own headers, without Python; and with torch itself, where it is.
using namespace fib;
using testing::few;
using Sources = std::vector<std::pair<std::string, std::string>>;

namespace {

const nlohmann::ordered_json kReturns = {{"destination_passing_style", false}};
const nlohmann::ordered_json kPasses = {{"destination_passing_style", true}};

const std::string kSame =
    R"({"name": "same", "op_type": "test", "axes": {"m": {"type": "const", "value": 4}, "n": {"type": "const", "value": 6}},
  "inputs": {"x": {"shape": ["m", "n"], "dtype": "float32"}},
  "outputs": {"y": {"shape": ["m", "n"], "dtype": "float32"}},
  "reference": "import torch\n\n\ndef run(x):\n    return x.clone()\n"})";

// y = s x + n, and the number of elements; s is a float, n an int, on a bool that is true.
const std::string kScaled =
    R"({"name": "scaled", "op_type": "test", "axes": {"n": {"type": "var"}},
  "inputs": {"x": {"shape": ["n"], "dtype": "float32"}, "s": {"shape": null, "dtype": "float32"},
             "k": {"shape": null, "dtype": "int32"}, "on": {"shape": null, "dtype": "bool"}},
  "outputs": {"y": {"shape": ["n"], "dtype": "float32"}, "count": {"shape": null, "dtype": "int64"}},
  "reference": "import torch\n\n\ndef run(x, s, k, on):\n    return x * s + k, torch.tensor(x.shape[0])\n"})";

// x + k, each a tensor with one element.
const std::string kSingle =
    R"({"name": "single", "op_type": "test", "axes": {"n": {"type": "const", "value": 1}},
  "inputs": {"x": {"shape": ["n"], "dtype": "float32"}, "k": {"shape": ["n"], "dtype": "int64"}},
  "outputs": {"y": {"shape": ["n"], "dtype": "float32"}},
  "reference": "import torch\n\n\ndef run(x, k):\n    return x + k\n"})";

std::string source_of(const std::string& name) {
  return util::read_file(testing::source_folder() / "tests/torch_headers" / name);
}

// An extension whose `run` is what the text after its headers binds.
std::string bound(const std::string& functions, const std::string& more = "") {
  return "#include <torch/extension.h>\n" + functions +
         "\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"run\", &run" + more + "); }\n";
}

const std::string kScale = R"(
torch::Tensor scale(const torch::Tensor& x, double s, int64_t k) {
  auto y = torch::empty_like(x);
  for (int64_t i = 0; i < x.numel(); ++i)
    y.data_ptr<float>()[i] = x.data_ptr<float>()[i] * static_cast<float>(s) + static_cast<float>(k);
  return y;
}
)";

struct TorchRun : testing::FibRun {
  TorchRun() {
    dataset.definition(
        "test", "same", kSame,
        {R"({"definition": "same", "solution": null, "evaluation": null, "workload": {"axes": {}, "uuid": "w", )"
         R"("inputs": {"x": {"type": "random"}}}})"});
    dataset.definition(
        "test", "scaled", kScaled,
        {R"({"definition": "scaled", "solution": null, "evaluation": null, "workload": {"axes": {"n": 50}, )"
         R"("uuid": "w50", "inputs": {"x": {"type": "random"}, "s": {"type": "scalar", "value": 1.5}, )"
         R"("k": {"type": "scalar", "value": 2}, "on": {"type": "scalar", "value": true}}}})"});
    dataset.definition(
        "test", "single", kSingle,
        {R"({"definition": "single", "solution": null, "evaluation": null, "workload": {"axes": {}, "uuid": "w1", )"
         R"("inputs": {"x": {"type": "random"}, "k": {"type": "random"}}}})"});
  }

  void single(const std::string& name, const std::string& source) {
    dataset.torch_solution(name, {{"main.cpp", source}}, kReturns, "single");
  }

  void scaled(const std::string& name, const std::string& source,
              const nlohmann::ordered_json& spec = kReturns) {
    dataset.torch_solution(name, {{"main.cpp", source}}, spec, "scaled");
  }

  // The last trace of each solution.
  std::map<std::string, testing::TraceLine> traces(const std::vector<std::string>& options,
                                                   int exit_code = 0) {
    const auto result = run(few(options));
    INFO(result.err);
    CHECK(result.exit_code == exit_code);
    return testing::traces_by_solution(dataset.root());
  }
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A Python whose torch builds extensions, where there is one.
std::optional<std::string> torch_that_builds() {
  auto python = testing::python_with_torch();
  if (!python) return python;
  const auto probe = testing::run_process(
      {"/usr/bin/env", *python, "-c",
       "import importlib.util as u; exit(not (u.find_spec('ninja') and u.find_spec('setuptools')))"});
  if (probe.exit_code == 0) return python;
  WARN("skipped: " << *python << " has no ninja or no setuptools");
  return std::nullopt;
}

std::string version_of_torch(const std::string& python) {
  return testing::run_process({"/usr/bin/env", python, "-c", "import torch; print(torch.__version__)"}).out;
}

const char* const kTranscripts[] = {"views", "data", "values", "checks", "writes", "memory"};

void add_transcripts(TorchRun& run) {
  for (const std::string name : kTranscripts)
    run.dataset.torch_solution(
        name, {{name + ".cpp", source_of(name + ".cpp")}, {"show.h", source_of("show.h")}}, kReturns, "same");
}

void check_transcripts(TorchRun& run, const std::string& way) {
  auto traces = run.traces({"--device", "cpu", "--torch", way});
  for (const std::string name : kTranscripts) {
    INFO(name);
    CHECK(traces[name].status == "PASSED");
    CHECK(fib_record(traces[name]).at("torch") == way);
    CHECK(testing::printed_by(traces[name]) == source_of(name + ".txt"));
  }
}

}  // namespace

TEST_CASE("fib's torch headers do what torch does, to the letter") {
  TorchRun run;
  add_transcripts(run);
  check_transcripts(run, "headers");
}

TEST_CASE("the transcripts of what torch does are torch's") {
  const auto python = torch_that_builds();
  if (!python) return;
  if (!contains(version_of_torch(*python), "2.11.")) {
    WARN("skipped: the transcripts are those of torch 2.11, not of " << version_of_torch(*python));
    return;
  }
  TorchRun run;
  run.python = *python;
  add_transcripts(run);
  check_transcripts(run, "real");
}

namespace {

struct Case {
  std::string source;
  std::string status = "PASSED";
  std::string log = "";
  nlohmann::ordered_json spec = kReturns;
};

const std::string kPair =
    "return std::make_tuple(scale(x, s, k), torch::full({}, x.size(0), torch::kInt64)); }";

// What both ways must agree on.
const std::map<std::string, Case>& agreed() {
  static const std::map<std::string, Case> cases = {
      {"tuple",
       {bound(kScale +
              "std::tuple<torch::Tensor, torch::Tensor> run(torch::Tensor x, double s, int64_t k, bool on) "
              "{ TORCH_CHECK(on); " +
              kPair)}},
      {"defaults",
       {bound(kScale + "std::vector<at::Tensor> run(const at::Tensor& x, float s, int k, bool on, "
                       "c10::optional<at::Tensor> none, double eps, const std::string& mode) { "
                       "TORCH_CHECK(on && !none.has_value() && eps == 0.5 && mode == \"fast\"); "
                       "return {scale(x, s, k), torch::full({}, x.size(0), torch::kInt64)}; }",
              ", \"text\", py::arg(\"x\"), py::arg(\"s\"), py::arg(\"k\"), py::arg(\"on\"), "
              "py::arg(\"none\") = py::none(), py::arg(\"eps\") = 0.5, py::arg(\"mode\") = \"fast\"")}},
      {"number",
       {bound(kScale + "std::tuple<torch::Tensor, int64_t> run(torch::Tensor x, double s, int64_t k, bool) { "
                       "return {scale(x, s, k), x.numel()}; }")}},
      {"arguments",
       {bound(kScale +
              "std::vector<torch::Tensor> run(py::args args, py::kwargs kwargs) { "
              "if (args.size() != 4 || kwargs.contains(\"x\")) throw std::invalid_argument(\"number\"); "
              "auto x = args[0].cast<torch::Tensor>(); "
              "return {scale(x, args[1].cast<double>(), args[2].cast<int64_t>()), torch::full({}, x.numel(), "
              "torch::kInt64)}; }")}},
      {"strided",
       {bound(kScale + "std::vector<torch::Tensor> run(torch::Tensor x, double s, int64_t k, bool) { "
                       "auto wide = torch::zeros({x.size(0), 2}); wide.select(1, 1).copy_(scale(x, s, k)); "
                       "return {wide.select(1, 1), torch::full({}, x.numel(), torch::kInt64)}; }")}},
      {"passes",
       {bound(kScale +
              "void run(torch::Tensor x, double s, int64_t k, bool, torch::Tensor y, torch::Tensor count) { "
              "y.copy_(scale(x, s, k)); count.fill_(x.numel()); }"),
        "PASSED", "", kPasses}},
      {"overloads",
       {"#include <torch/extension.h>\n" + kScale +
        "std::vector<torch::Tensor> one(torch::Tensor x) { return {x}; }\n"
        "std::vector<torch::Tensor> ints(torch::Tensor x, int64_t, int64_t, bool) { return {x}; }\n"
        "std::vector<torch::Tensor> floats(torch::Tensor x, double s, int64_t k, bool) { "
        "return {scale(x, s, k), torch::full({}, x.numel(), torch::kInt64)}; }\n"
        "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.doc() = \"text\"; m.def(\"run\", &one); m.def(\"run\", "
        "&ints); "
        "m.def(\"run\", [](torch::Tensor x, double s, int64_t k, bool on) { return floats(x, s, k, on); }); "
        "}\n"}},
      {"checks",
       {bound("torch::Tensor run(torch::Tensor x, double, int64_t, bool) { "
              "TORCH_CHECK(x.dim() == 2, \"x has \", x.dim(), \" axes: \", x.sizes()); return x; }"),
        "RUNTIME_ERROR", "RuntimeError: x has 1 axes: [50]"}},
      {"raises",
       {bound("torch::Tensor run(torch::Tensor x, double, int64_t, bool) { "
              "throw std::invalid_argument(\"not this\"); }"),
        "RUNTIME_ERROR", "ValueError: not this"}},
      {"index",
       {bound("torch::Tensor run(torch::Tensor x, double, int64_t, bool) { return x[50]; }"), "RUNTIME_ERROR",
        "IndexError: select(): index 50 out of range for tensor of size [50] at dimension 0"}},
      {"too_few",
       {bound("torch::Tensor run(torch::Tensor x) { return x; }"), "RUNTIME_ERROR",
        "TypeError: run(): incompatible function arguments. The following argument types are supported:"}},
      {"many_for_one",
       {bound("torch::Tensor run(double x, double s, int64_t k, bool) { return torch::zeros({1}); }"),
        "RUNTIME_ERROR", "TypeError: run(): incompatible function arguments."}},
      {"number_for_tensor",
       {bound("torch::Tensor run(torch::Tensor x, torch::Tensor s, int64_t k, bool) { return x; }"),
        "RUNTIME_ERROR", "TypeError: run(): incompatible function arguments."}},
      {"narrow",
       {bound("torch::Tensor run(torch::Tensor x, int64_t s, int64_t k, bool) { return x; }"),
        "RUNTIME_ERROR", "TypeError: run(): incompatible function arguments."}},
      {"missing",
       {"#include <torch/extension.h>\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"ran\", [] {}); }\n",
        "RUNTIME_ERROR", "the module has no run"}},
      {"one",
       {bound(kScale +
              "torch::Tensor run(torch::Tensor x, double s, int64_t k, bool) { return scale(x, s, k); }"),
        "INCORRECT_SHAPE"}},
      {"half",
       {bound(kScale +
              "std::vector<torch::Tensor> run(torch::Tensor x, double s, int64_t k, bool) { "
              "return {scale(x, s, k).to(torch::kHalf), torch::full({}, x.numel(), torch::kInt64)}; }"),
        "INCORRECT_DTYPE"}},
  };
  return cases;
}

const std::string kAdd =
    "torch::Tensor add(double x, int64_t k) { return torch::full({1}, x + static_cast<double>(k), "
    "torch::kFloat); }\n";

// Of tensors with one element numbers are made, where the parameter is one.
const std::map<std::string, Case>& singles() {
  static const std::map<std::string, Case> cases = {
      {"numbers", {bound(kAdd + "torch::Tensor run(double x, int64_t k) { return add(x, k); }")}},
      {"other_numbers",
       {bound(kAdd + "torch::Tensor run(float x, std::optional<int> k) { return add(x, *k); }")}},
      {"converted",
       {bound(kAdd + "torch::Tensor run(torch::Tensor x, double k) { "
                     "return add(x.item<double>(), static_cast<int64_t>(k)); }")}},
      {"cut_off",
       {bound("torch::Tensor run(int64_t x, torch::Tensor k) { return torch::full({1}, x, torch::kFloat); }"),
        "INCORRECT_NUMERICAL"}},
      {"not_converted",
       {"#include <torch/extension.h>\n" + kAdd +
        "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {\n"
        "  m.def(\"run\", [](int64_t x, int64_t k) { return torch::zeros({7}); }, "
        "py::arg(\"x\").noconvert(), "
        "py::arg(\"k\"));\n"
        "  m.def(\"run\", [](double x, bool k) { return torch::zeros({7}); }, py::arg(\"x\"), "
        "py::arg(\"k\").noconvert());\n"
        "  m.def(\"run\", &add);\n}\n"}},
      {"truth",
       {bound(kAdd +
              "torch::Tensor run(bool x, torch::Tensor k) { TORCH_CHECK(!x, \"x is true\"); return k; }"),
        "RUNTIME_ERROR", "RuntimeError: x is true"}},
  };
  return cases;
}

void check_agreed(TorchRun& run, const std::string& way) {
  for (const auto& [name, one] : agreed()) run.scaled(name, one.source, one.spec);
  for (const auto& [name, one] : singles()) run.single(name, one.source);
  auto traces = run.traces({"--device", "cpu", "--torch", way});
  for (const auto* cases : {&agreed(), &singles()}) {
    for (const auto& [name, one] : *cases) {
      INFO(name << ": " << traces[name].log);
      CHECK(traces[name].status == one.status);
      CHECK(contains(traces[name].log, one.log));
    }
  }
}

}  // namespace

TEST_CASE("extensions take arguments, give results and raise errors as with torch") {
  TorchRun run;
  check_agreed(run, "headers");
}

TEST_CASE("and that is what they do with torch") {
  const auto python = torch_that_builds();
  if (!python) return;
  TorchRun run;
  run.python = *python;
  check_agreed(run, "real");
}

namespace {

const std::string kSums =
    bound(kScale +
          "std::vector<torch::Tensor> run(torch::Tensor x, double s, int64_t k, bool on) { "
          "return {scale(x, s, k), torch::ones_like(x).sum().to(torch::kInt64)}; }");

}  // namespace

TEST_CASE(
    "what the headers lack is no verdict where there is no torch, and a failed build where it was wanted") {
  TorchRun run;
  run.scaled("sums", kSums);
  const auto undecided = run.run(few({"--device", "cpu"}));
  CHECK(undecided.exit_code == 1);
  CHECK(contains(undecided.err, "fib's torch headers do not build it (main.cpp:"));
  CHECK(contains(undecided.err, "'class at::Tensor' has no member named 'sum'"));
  CHECK(contains(undecided.err, "and with torch itself: it needs Python, and no python3 was found"));
  CHECK(testing::read_traces(run.dataset.root()).empty());

  auto traces = run.traces({"--device", "cpu", "--torch", "headers"});
  CHECK(traces["sums"].status == "COMPILE_ERROR");
  CHECK_THAT(traces["sums"].log, Catch::StartsWith("main.cpp:"));

  const auto real = run.run(few({"--device", "cpu", "--torch", "real"}));
  CHECK(contains(real.err, "skipped sums: it needs Python, and no python3 was found"));
}

TEST_CASE("what the headers lack is built with torch, and that is remembered") {
  const auto python = torch_that_builds();
  if (!python) return;
  TorchRun run;
  run.python = *python;
  run.scaled("sums", kSums);
  run.scaled("tuple", agreed().at("tuple").source);
  for (int i = 0; i < 2; ++i) {
    auto traces = run.traces({"--device", "cpu"});
    CHECK(traces["sums"].status == "PASSED");
    CHECK(fib_record(traces["sums"]).at("torch") == "real");
    CHECK(traces["tuple"].status == "PASSED");
    CHECK(fib_record(traces["tuple"]).at("torch") == "headers");
    const auto libs = [&](const std::string& name) {
      return nlohmann::json::parse(traces[name].text).at("evaluation").at("environment").at("libs");
    };
    CHECK(libs("sums").contains("torch"));
    CHECK_FALSE(libs("tuple").contains("torch"));
    CHECK(libs("tuple").at("fib_torch_headers") == compile::kTorchHeadersVersion);
  }
  CHECK(std::filesystem::exists(run.folder.path() / "cache/torch_headers_lack"));
}
