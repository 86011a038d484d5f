#include "compile/builder.h"
#include "compile/python_tests.h"

using namespace fib;
using model::DeviceKind;
using nlohmann::json;

namespace {

std::string reason(const model::Solution& s, const std::optional<compile::PythonInterpreter>& python,
                   DeviceKind device = DeviceKind::cpu, compile::TorchWay torch = compile::TorchWay::kReal) {
  const auto obstacle = compile::unsupported_reason(s, device, python, std::nullopt, torch);
  return obstacle ? obstacle->why : "";
}

model::Solution python(const std::string& source, const std::string& language = "python") {
  return testing::solution(language, "main.py::run", {{"main.py", source}});
}

compile::PythonInterpreter without(const std::string& package) {
  auto python = testing::complete_python();
  python.packages.erase(package);
  return python;
}

const model::Solution kTorch =
    testing::solution("cpp", "a.cpp::run", {{"a.cpp", "x"}}, {{"binding", "torch"}});

}  // namespace

TEST_CASE("what Python builds needs an interpreter") {
  CHECK(reason(python("x = 1"), std::nullopt) ==
        "it needs Python, and no python3 was found (set FIB_PYTHON to one)");
  CHECK_FALSE(reason(kTorch, std::nullopt).empty());
  for (const char* language : {"python", "triton", "tilelang"})
    CHECK(reason(python("import torch, triton, tilelang", language), testing::complete_python()).empty());
  CHECK(reason(kTorch, testing::complete_python()).empty());
  CHECK(compile::needs_python(python("x = 1")));
  CHECK_FALSE(compile::needs_python(kTorch));
  CHECK(compile::is_torch_extension(kTorch, DeviceKind::cpu));
  const auto plain = testing::solution("cpp", "a.cpp::run", {{"a.cpp", "x"}});
  CHECK_FALSE(compile::is_torch_extension(plain, DeviceKind::cpu));
  CHECK_FALSE(compile::needs_python(plain));
}

TEST_CASE("extensions that may be built with fib's headers need no Python") {
  using compile::TorchWay;
  for (const auto way : {TorchWay::kAuto, TorchWay::kHeaders}) {
    CHECK(reason(kTorch, std::nullopt, DeviceKind::cpu, way).empty());
    CHECK(reason(kTorch, without("torch"), DeviceKind::cpu, way).empty());
    if (FIB_CUDA) CHECK(reason(kTorch, std::nullopt, DeviceKind::cuda, way).empty());
  }
}

TEST_CASE("a package that the interpreter lacks is named") {
  CHECK(reason(kTorch, without("torch")) ==
        "it needs torch, which /usr/bin/python3 does not have (install it, or set FIB_PYTHON)");
  CHECK_THAT(reason(kTorch, without("ninja")), Catch::StartsWith("it needs ninja,"));
  CHECK_THAT(reason(kTorch, without("setuptools")), Catch::StartsWith("it needs setuptools,"));
  CHECK_THAT(reason(python("def run(x):\n  import torch.nn\n"), without("torch")),
             Catch::StartsWith("it needs torch,"));
  CHECK_THAT(reason(python("from triton import language", "triton"), without("triton")),
             Catch::StartsWith("it needs triton,"));
  CHECK_THAT(reason(python("import tilelang"), without("tilelang")), Catch::StartsWith("it needs tilelang,"));
  CHECK(reason(python("import math"), without("torch")).empty());
  CHECK(reason(python("import torch"), without("ninja")).empty());
  const auto with_script = testing::solution(
      "cpp", "a.cpp::run", {{"a.cpp", "x"}, {"try_it.py", "import triton"}}, {{"binding", "torch"}});
  CHECK(reason(with_script, without("triton")).empty());
}

TEST_CASE("extensions need Python's headers, and on a GPU a torch with CUDA") {
  auto python3 = testing::complete_python();
  python3.has_headers = false;
  CHECK_THAT(reason(kTorch, python3), Catch::Contains("header files"));
  CHECK(reason(python("import torch"), python3).empty());
  auto cpu_only = testing::complete_python();
  cpu_only.torch_cuda.clear();
  CHECK(reason(kTorch, cpu_only).empty());
  if (!FIB_CUDA) return;
  CHECK_THAT(reason(kTorch, cpu_only, DeviceKind::cuda), Catch::StartsWith("it needs a torch with CUDA"));
  CHECK_THAT(reason(python("import torch"), cpu_only, DeviceKind::cuda),
             Catch::StartsWith("it needs a torch with CUDA"));
  // Arguments on a GPU are torch's tensors, whatever a solution imports.
  CHECK_THAT(reason(python("import math"), cpu_only, DeviceKind::cuda),
             Catch::StartsWith("it needs a torch with CUDA"));
  CHECK(reason(python("import math"), cpu_only).empty());
}

TEST_CASE("Triton runs on the CPU only in its own interpreter, when that is asked for") {
  auto python3 = testing::complete_python();
  CHECK(reason(python("import triton", "triton"), python3).empty());
  python3.interprets_triton = false;
  CHECK_THAT(reason(python("import triton", "triton"), python3), Catch::Contains("TRITON_INTERPRET=1"));
  if (FIB_CUDA) CHECK(reason(python("import triton", "triton"), python3, DeviceKind::cuda).empty());
}

TEST_CASE("unknown bindings and languages are not supported whatever Python there is") {
  const auto bound = testing::solution("cpp", "a.cpp::run", {{"a.cpp", "x"}}, {{"binding", "swig"}});
  CHECK_THAT(reason(bound, testing::complete_python()), Catch::Contains("binding \"swig\" is not supported"));
  CHECK_THAT(reason(python("x", "mojo"), testing::complete_python()),
             Catch::Contains("language \"mojo\" is not supported"));
  CHECK(reason(python("x", "HIP"), std::nullopt) ==
        "language \"HIP\" is for GPUs of AMD, which fib does not run on");
  CHECK(reason(python("x", "sycl"), std::nullopt) ==
        "language \"sycl\" is for GPUs of Intel, which fib does not run on");
}

TEST_CASE("packages of other toolkits are named with what to install") {
  const auto complete = testing::complete_python();
  CHECK(reason(python("import cutlass.cute as cute", "cute_dsl"), complete) ==
        "it needs cutlass, which /usr/bin/python3 does not have (install it: pip install nvidia-cutlass-dsl, "
        "or set "
        "FIB_PYTHON)");
  for (const char* source :
       {"import cuda.tile as ct", "from cuda import tile", "from cuda.tile import kernel"})
    CHECK_THAT(reason(python(source, "cutile"), complete), Catch::StartsWith("it needs cuda.tile,"));
  CHECK_THAT(reason(python("import cudnn", "cudnn_frontend"), complete),
             Catch::StartsWith("it needs cudnn,"));
  CHECK(reason(python("from cuda import core", "python"), complete).empty());
  const auto own =
      testing::solution("python", "main.py::run", {{"main.py", "import cudnn"}, {"cudnn.py", "x = 1"}});
  CHECK(reason(own, complete).empty());
  const auto beside =
      testing::solution("cpp", "a.cpp::run", {{"a.cpp", "x"}, {"torch.py", "x = 1"}}, {{"binding", "torch"}});
  CHECK_THAT(reason(beside, without("torch")), Catch::StartsWith("it needs torch,"));
  const auto shadow = testing::solution("python", "main.py::run",
                                        {{"main.py", "import cuda.tile"}, {"cuda/tile.py", "x = 1"}});
  CHECK(reason(shadow, complete).empty());
  auto has = complete;
  has.packages["cutlass"] = "4.0";
  CHECK(reason(python("import cutlass", "cutlass"), has).empty());
}

TEST_CASE("kernels that are launched by a plan need no Python, whatever binding is named") {
  if (!FIB_CUDA) return;
  const auto launched = testing::solution("cuda", "a.cu::run", {{"a.cu", "x"}},
                                          {{"binding", "torch"}, {"launch", {{"grid", 1}, {"block", 1}}}});
  CHECK_FALSE(compile::is_torch_extension(launched, DeviceKind::cuda));
  CHECK_FALSE(compile::needs_python(launched));
  CHECK(reason(launched, std::nullopt, DeviceKind::cuda).empty());
}
