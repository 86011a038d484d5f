#include <catch2/catch.hpp>

#include "python/syntax_error.h"
#include "reference/support.h"

namespace {

using namespace fib::test;  // NOLINT: all of it is used
const std::string kSuffix = " is not supported by the native reference engine";

TEST_CASE("What the engine does not have is named with its line") {
  struct Case {
    const char* statement;
    std::string what;
  };
  const std::vector<Case> cases = {
      {"return torch.poisson(x)", "torch.poisson"},
      {"return x.svd()", "Tensor.svd"},
      {"return torch.nn.functional.cross_entropy(x, x)", "torch.nn.functional.cross_entropy"},
      {"return torch.cuda.synchronize()", "torch.cuda"},
      {"return torch.softmax(x, dim=-1, out=x)", "torch.softmax with the argument \"out\""},
      {"return F.softplus(x, beta=2)", "softplus with another beta or threshold"},
      {"class A: pass", "a class definition"},
      {"try:\n        pass\n    finally:\n        pass", "\"try\""},
      {"global y", "\"global\""},
      {"nonlocal y", "\"nonlocal\""},
      {"yield x", "\"yield\""},
      {"x.a = 1", "assignment to an attribute"},
      {"with open('f') as f: pass", ""},
      {"import numpy", "importing numpy"},
      {"from os import path", "importing from os"},
      {"return {1, 2}", "a set"},
      {"return 1j", "a complex number"},
      {"return b'x'", "a bytes literal"},
      {"async def f(): pass", "\"async def\""},
      {"match x:\n        case 1:\n            pass", "\"match\""},
      {"return x[True]", "a bool as an index of a tensor"},
  };
  HostTensor x = make(DType::kFloat32, {2}, {1, 2});
  for (const Case& c : cases) {
    INFO(c.statement);
    const std::string source =
        "import torch\nimport torch.nn.functional as F\ndef run(x):\n    " + std::string(c.statement) + "\n";
    const std::string error = error_of(source, {x.argument()});
    CHECK(error == (c.what.empty() ? "line 4: name 'open' is not defined" : "line 4: " + c.what + kSuffix));
  }
}

TEST_CASE("Arithmetic on float8 is refused, its storage is not") {
  HostTensor x = make(DType::kFloat8E4M3FN, {2, 2}, {1, 2, 3, 4});
  const auto error = [&](const std::string& expression) {
    return error_of("import torch\ndef run(x):\n    return " + expression + "\n", {x.argument()});
  };
  CHECK(error("x * 2") == "line 3: mul is not defined for float8_e4m3fn");
  CHECK(error("x @ x") == "line 3: matmul is not defined for float8_e4m3fn");
  CHECK(error("x.sum()") == "line 3: reductions are not defined for float8_e4m3fn");
  CHECK(values_of("a[1].t().contiguous().reshape(2).float()", {x.argument()}) == std::vector<double>{3, 4});
}

TEST_CASE("float4 arguments are refused") {
  std::byte byte{};
  const fib::reference::TensorArgument argument{DType::kFloat4E2M1, {2}, &byte};
  CHECK(error_of("def run(x):\n    return x\n", {argument}) == "an argument of float4_e2m1" + kSuffix);
}

TEST_CASE("A source must be Python and define run") {
  CHECK(error_of("def run(:\n") == "line 1, column 8: '(' was never closed");
  CHECK(error_of("def go():\n    pass\n") == "the reference must define a top-level function named \"run\"");
  CHECK_THROWS_AS(fib::reference::Engine("x ="), fib::python::SyntaxError);
}

TEST_CASE("Endless recursion, endless loops and huge tensors end in an error") {
  CHECK(error_of("def run():\n    return run()\n") ==
        "line 2: the reference is nested or recurses too deeply");
  CHECK(error_of("def run():\n    while True:\n        pass\n", {}, {.max_steps = 1000}) ==
        "line 3: the reference executes more than 1000 statements");
  CHECK(error_of("import torch\ndef run():\n    return torch.zeros(1000, 1000)\n", {},
                 {.max_memory = 1 << 20}) ==
        "line 3: the reference needs more than its limit of 1048576 bytes of memory");
  CHECK(error_of("import torch\ndef run():\n    return torch.zeros(1 << 62, 8)\n") ==
        "line 3: (4611686018427387904, 8) is no possible shape of a tensor");
  CHECK(error_of("import torch\ndef run():\n    return torch.zeros(-1)\n") ==
        "line 3: (-1) is no possible shape of a tensor");
  CHECK(error_of("import torch\ndef run():\n    return torch.zeros(1).expand(1 << 40, 1 << 40)\n") ==
        "line 3: (1099511627776, 1099511627776) is no possible shape of a tensor");
  CHECK(error_of("def run():\n    return len(list(range(1 << 62)))\n") ==
        "line 2: a sequence of more than 16777216 items is not supported");
  CHECK(error_of("def run():\n    return len(range(-(1 << 62), 1 << 62)) > 0\n").empty());
  CHECK(error_of("import torch\ndef run():\n    return torch.zeros(3).repeat_interleave(1 << 30)\n", {},
                 {.max_memory = 1 << 20}) ==
        "line 3: the reference needs more than its limit of 1048576 bytes of memory");
  CHECK(error_of("import torch\ndef run():\n    return torch.zeros(3).repeat_interleave(1 << 62)\n") ==
        "line 3: repeat_interleave cannot repeat 4611686018427387904 times");
  CHECK(error_of("import torch\ndef run():\n    return [x for x in torch.zeros(1).expand(1 << 40)]\n") ==
        "line 3: a sequence of more than 16777216 items is not supported");
  std::string deep = "def run():\n    return ";
  for (int i = 0; i < 900; ++i) deep += "1 + ";
  CHECK(error_of(deep + "1\n").empty());
}

}  // namespace
