#include <catch2/catch.hpp>

#include "compile/python_source.h"

using namespace fib;
using compile::see_entry;
using Names = std::vector<std::string>;

TEST_CASE("an entry function is seen with its parameters") {
  const auto sight = see_entry(
      "import torch\n\n@torch.no_grad()\ndef run(a, b, /, c, d=1, *, e=2, **f):\n  return a\n", "run");
  CHECK_FALSE(sight.missing);
  REQUIRE(sight.function);
  CHECK(sight.function->line == 4);
  CHECK(sight.function->parameters == Names{"a", "b", "c", "d"});
  CHECK(sight.function->required == 3);
  CHECK_FALSE(sight.function->decorated);
  CHECK(sight.function->returns_value);
  CHECK_FALSE(sight.function->takes(2));
  CHECK(sight.function->takes(3));
  CHECK(sight.function->takes(4));
  CHECK_FALSE(sight.function->takes(5));
}

TEST_CASE("what a call can give") {
  const auto takes = [](const std::string& parameters, std::size_t count) {
    return see_entry("def run(" + parameters + "): pass\n", "run").function->takes(count);
  };
  CHECK(takes("*args", 7));
  CHECK_FALSE(takes("a, b, *args", 1));
  CHECK_FALSE(takes("a, *, b", 1));
  CHECK(takes("a, *, b=1", 1));
}

TEST_CASE("values that functions in a function return are not its own") {
  const auto returns = [](const std::string& body) {
    return see_entry("def run(a):\n" + body, "run").function->returns_value;
  };
  CHECK(returns("  if a:\n    for b in a:\n      return b\n"));
  CHECK(returns("  with a:\n    try:\n      pass\n    finally:\n      return 0\n"));
  CHECK_FALSE(returns("  return\n"));
  CHECK_FALSE(returns("  return None\n"));
  CHECK_FALSE(returns("  def inner():\n    return a\n  inner()\n"));
  CHECK_FALSE(returns("  f = lambda: a\n  class C:\n    def g(self):\n      return a\n"));
}

TEST_CASE("another name of a function is followed") {
  const auto sight = see_entry("def kernel(a): return a\nother = kernel\nrun = other\n", "run");
  REQUIRE(sight.function);
  CHECK(sight.function->name == "kernel");
  CHECK_FALSE(see_entry("run = run\n", "run").function);
  CHECK_FALSE(
      see_entry("import torch\ndef kernel(a): return a\nrun = torch.compile(kernel)\n", "run").function);
}

TEST_CASE("functions that the symbol may not be are not seen") {
  for (const char* source : {"def run(a): return a\nrun = wrap(run)\n", "async def run(a): return a\n",
                             "try:\n  from x import run\nexcept ImportError:\n  def run(a): return a\n",
                             "class run:\n  pass\n", "from .kernel import run\n", "def run(:\n"}) {
    INFO(source);
    const auto sight = see_entry(source, "run");
    CHECK_FALSE(sight.function);
    CHECK_FALSE(sight.missing);
  }
  CHECK(see_entry("@triton.jit\ndef run(a): return a\n", "run").function->decorated);
  CHECK(see_entry("@cache\ndef run(a): return a\n", "run").function->decorated);
}

TEST_CASE("a missing symbol is told from one that may be made at run time") {
  for (const char* source : {"def other(a): return a\n", "class C:\n  def run(self): pass\n",
                             "def f():\n  run = 1\n", "x.run = 1\n", "run: int\n", ""}) {
    INFO(source);
    CHECK(see_entry(source, "run").missing);
  }
  for (const char* source :
       {"run, other = 1, 2\n", "[a, *run] = x\n", "for run in x: pass\n", "with x as run: pass\n",
        "import a.run as run\n", "import run.sub\n", "from x import *\n", "from x import y as run\n",
        "globals()['run'] = 1\n", "exec('def run(): pass')\n", "def f():\n  global run\n  run = 1\n",
        "print(run := 3)\n", "run: int = 3\n", "if a:\n  def run(): pass\n",
        "import sys\nsetattr(sys.modules[__name__], 'run', 1)\n", "def __getattr__(name): return 1\n"}) {
    INFO(source);
    CHECK_FALSE(see_entry(source, "run").missing);
  }
}

TEST_CASE("packages that a source cannot do without") {
  const auto packages = compile::imported_packages(
      "import torch.nn.functional as F, os\nfrom triton import language as tl\nfrom . import kernel\n"
      "from .numpy import x\n"
      "try:\n  import tilelang\nexcept ImportError:\n  import fallback\n"
      "try:\n  import needed\nfinally:\n  pass\n"
      "def run():\n  class C:\n    import numpy\n");
  CHECK(packages == std::set<std::string>{"torch", "os", "triton", "fallback", "needed", "numpy"});
  CHECK(compile::imported_packages("import (\n").empty());
}

TEST_CASE("a method is seen without self, where its class and it are defined once") {
  const auto see = [](const std::string& body, const std::string& symbol = "Model.forward") {
    return compile::see_entry("class Model(Base):\n" + body, symbol);
  };
  const auto plain = see("    def forward(self, a, b=1):\n        return a\n");
  REQUIRE(plain.function);
  CHECK(plain.function->parameters == std::vector<std::string>{"a", "b"});
  CHECK(plain.function->required == 1);
  CHECK(plain.function->returns_value);
  CHECK_FALSE(see("    @staticmethod\n    def forward(a):\n        return a\n").function);
  CHECK_FALSE(see("    x = 1\n").function);
  CHECK_FALSE(see("    x = 1\n").missing);  // its base may have it
  CHECK(see("    x = 1\n", "Other.forward").missing);
  CHECK_FALSE(see("    def forward(self, a):\n        return a\n    forward = other\n").function);
  CHECK_FALSE(
      compile::see_entry("@replaced\nclass M:\n    def f(self, a):\n        return a\n", "M.f").function);
}
