#include <catch2/catch.hpp>

#include "reference/support.h"

namespace {

using namespace fib::test;  // NOLINT: all of it is used
using fib::reference::Engine;
using Values = std::vector<double>;

// All returned numbers of a body without arguments.
Values numbers(const std::string& body) {
  Values result;
  for (const HostTensor& output : run_body(body, {})) result.push_back(output.values().at(0));
  return result;
}

Values run_source(const std::string& source, const std::vector<fib::reference::Argument>& arguments = {}) {
  Engine engine(source);
  Values result;
  for (const auto& output : engine.run(arguments)) {
    for (const double value : to_host(output).values()) result.push_back(value);
  }
  return result;
}

TEST_CASE("Numbers compute as in Python") {
  CHECK(numbers("return 7 // 2, -7 // 2, 7 % -3, -7 % 3, 7 / 2, 2 ** 10, 2 ** -1") ==
        Values{3, -4, -2, 2, 3.5, 1024, 0.5});
  CHECK(numbers("return -7.5 // 2, -7.5 % 2, 1 << 4, 255 >> 3, 6 & 3, 6 | 3, 6 ^ 3, ~5") ==
        Values{-4, 0.5, 16, 31, 2, 7, 5, -6});
  CHECK(numbers("return True + 1, 1 == 1.0, not 3, 3 and 0, 0 or 5, 1 < 2 < 3, 1 < 3 < 2") ==
        Values{2, 1, 0, 0, 5, 1, 0});
  CHECK(numbers("return int(3.9), int(-3.9), int('12'), float(3), round(2.5), round(3.7), abs(-4)") ==
        Values{3, -3, 12, 3, 2, 4, 4});
  CHECK(numbers("return min(3, 1.5), max([1, 4, 2]), sum([1, 2], 3), len('abc')") == Values{1.5, 4, 6, 3});
  CHECK(numbers("return math.sqrt(16), math.log(8, 2), math.ceil(2.1), math.floor(-2.1)") ==
        Values{4, 3, 3, -3});
  CHECK(numbers("return float('-inf') < -1e308, math.inf > 0, 3 if 0 else 4") == Values{1, 1, 4});
}

TEST_CASE("Lists, tuples, dicts and comprehensions") {
  CHECK(numbers("z = [1, 2, 3]\nz[1] = 9\nz.append(5)\nz += [7]\nreturn z[1], len(z), z[-1], z[1:3][0], "
                "z[::-1][0]") == Values{9, 5, 7, 9, 7});
  CHECK(numbers("t = (1, 2) + (3,)\nx, *y = t\nreturn t[2], x, y[0], y[1], (0,) * 2 == (0, 0)") ==
        Values{3, 1, 2, 3, 1});
  CHECK(numbers("d = {'x': 1, 'y': 2}\nd['z'] = 3\nreturn d['z'], len(d), d.get('w', 7), 'x' in d, "
                "sum(d.values())") == Values{3, 3, 7, 1, 6});
  CHECK(numbers("l = [i * j for i in range(3) for j in range(3) if i != j]\nreturn len(l), sum(l), sum(i for "
                "i in range(4))") == Values{6, 4, 6});
  CHECK(numbers("q = {k: v for k, v in zip('ab', [5, 6])}\nreturn q['b'], any([0, 1]), all([1, 0]), "
                "sorted([2, 1])[0]") == Values{6, 1, 0, 1});
  CHECK(numbers("a = [1]\nb = a\nb.append(2)\nreturn len(a), a is b, a == [1, 2], a is not None") ==
        Values{2, 1, 1, 1});
}

TEST_CASE("Loops and branches") {
  CHECK(numbers("s = 0\nfor i in range(10):\n    if i == 3:\n        continue\n    if i == 7:\n        "
                "break\n    s += i\nelse:\n    s = -1\nreturn s") == Values{18});
  CHECK(numbers("n = 0\nwhile n < 5:\n    n += 1\nelse:\n    n = 100\nreturn n") == Values{100});
  CHECK(numbers("s = 0\nfor i, v in enumerate([5, 6], 1):\n    s += i * v\nfor i in range(5, 0, -2):\n    s "
                "= s * 10 + i\nreturn s") == Values{17531});
  CHECK(numbers("x = 2\nif x == 1:\n    y = 1\nelif x == 2:\n    y = 20\nelse:\n    y = 3\nreturn y") ==
        Values{20});
}

TEST_CASE("Functions with defaults, keywords, closures and recursion") {
  CHECK(run_source("SCALE = 2.0\n"
                   "def helper(x, k=3, *args, m=1, **kw):\n"
                   "    return x * k + m + len(args) + len(kw)\n"
                   "def fact(n):\n"
                   "    return 1 if n <= 1 else n * fact(n - 1)\n"
                   "def run():\n"
                   "    b = 10\n"
                   "    def inner(z):\n"
                   "        return z * SCALE + b\n"
                   "    g = lambda q, r=2: q ** r\n"
                   "    return inner(1), helper(1), helper(1, 2, 3, 4, m=5, z=1), helper(*[1, 2], **{'m': "
                   "7}), fact(5), g(r=3, q=2)\n") == Values{12, 4, 10, 9, 120, 8});
}

TEST_CASE("A function that is returned keeps the names around it") {
  CHECK(run_source("def make(n):\n    def add(x):\n        return x + n\n    return add\n"
                   "def run():\n    a = make(1)\n    b = make(10)\n    return a(1), b(1)\n") ==
        Values{2, 11});
}

TEST_CASE("Imports, annotations and decorators") {
  HostTensor a = make(DType::kFloat32, {1}, {4});
  CHECK(run_source("from __future__ import annotations\nimport torch\nimport torch.nn.functional as F\nfrom "
                   "torch import nn\n"
                   "from math import sqrt as root, pi\nfrom typing import Optional\n"
                   "@torch.no_grad()\n"
                   "def run(x: torch.Tensor, y: Optional[int] = None) -> torch.Tensor:\n"
                   "    \"\"\"Doc.\"\"\"\n"
                   "    z: float = root(16)\n"
                   "    with torch.no_grad():\n"
                   "        return nn.functional.relu(F.relu(x)) + z + (0 if y is None else 1)\n",
                   {a.argument()}) == Values{8});
}

TEST_CASE("Switches of torch's backends and the main guard do nothing") {
  CHECK(run_source("import torch\n"
                   "torch.backends.cuda.matmul.allow_tf32 = False\n"
                   "torch.set_float32_matmul_precision('highest')\n"
                   "def run():\n    return 1\n"
                   "if __name__ == '__main__':\n    print(run())\n") == Values{1});
}

TEST_CASE("Properties of tensors") {
  HostTensor a = make(DType::kBFloat16, {2, 3}, {1, 2, 3, 4, 5, 6});
  const auto outputs = run_body(
      "rows, columns = a.shape\n"
      "return rows, columns, a.ndim, a.dim(), a.size(-1), a.numel(), len(a), a.dtype == torch.bfloat16, "
      "a.element_size(),\\\n"
      "    a[0, 1].item(), int(a[1, 0]), float(a.sum()), a.is_contiguous(), a.T.stride()[0], isinstance(a, "
      "torch.Tensor),\\\n"
      "    a.shape == (2, 3), a.device == torch.device('cpu'), torch.finfo(torch.float32).max, "
      "torch.iinfo(torch.int8).min",
      {a.argument()});
  Values values;
  for (const auto& output : outputs) values.push_back(output.values().at(0));
  CHECK(values == Values{2, 3, 2, 2, 3, 6, 2, 1, 2, 2, 4, 21, 1, 1, 1, 1, 1, 3.4028234663852886e38, -128});
  CHECK(outputs[0].dtype == DType::kInt64);
  CHECK(outputs[9].dtype == DType::kFloat64);
  CHECK(outputs[7].dtype == DType::kBool);
}

TEST_CASE("Integer tensors serve as Python integers") {
  HostTensor n = make(DType::kInt32, {2}, {2, 3});
  CHECK(values_of("torch.arange(10)[a[0]:a[1] + 1]", {n.argument()}) == Values{2, 3});
  CHECK(values_of("[10, 20, 30][a[0]]", {n.argument()}) == Values{30});
  CHECK(values_of("sum(range(a[1]))", {n.argument()}) == Values{3});
  CHECK(values_of("1 if a[0] == 2 else 0", {n.argument()}) == Values{1});
}

TEST_CASE("Failing asserts and raised exceptions carry line and message") {
  const std::string assertion =
      "def run(x):\n    assert x == 1, f\"x is {x}, not {1 + 0}\"\n    assert x != 1\n    return x\n";
  CHECK(error_of(assertion, {std::int64_t{2}}) == "line 2: assertion failed: x is 2, not 1");
  CHECK(error_of(assertion, {std::int64_t{1}}) == "line 3: assertion failed");
  CHECK(error_of("def run():\n    raise ValueError('no')\n") ==
        "line 2: the reference raised an exception: no");
}

TEST_CASE("Mistakes in the reference are errors with their line") {
  CHECK(error_of("def run():\n    return y\n") == "line 2: name 'y' is not defined");
  CHECK(error_of("def run():\n    return (1 +\n            nothing)\n") ==
        "line 3: name 'nothing' is not defined");
  CHECK(error_of("def run():\n    return 1 // 0\n") == "line 2: integer division by zero");
  CHECK(error_of("def run():\n    return 2 ** 64\n") == "line 2: an integer does not fit 64 bits");
  CHECK(error_of("def run():\n    a, b = 1, 2, 3\n") == "line 2: 3 values cannot be unpacked into 2 names");
  CHECK(error_of("def run(a):\n    return a\n") == "run() needs an argument \"a\"");
  CHECK(error_of("def run():\n    return 'x'\n") ==
        "run returned a value of type str where a tensor is needed");
  CHECK(error_of("import torch\ndef run():\n    return torch.zeros(2) + torch.zeros(3)\n") ==
        "line 3: shapes (2) and (3) do not broadcast");
  CHECK(error_of("import torch\ndef run():\n    return torch.zeros(3) if torch.zeros(3) else 0\n") ==
        "line 3: a tensor of shape (3) is neither true nor false; use any() or all()");
}

}  // namespace
