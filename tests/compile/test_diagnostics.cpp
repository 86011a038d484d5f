#include <catch2/catch.hpp>

#include "compile/diagnostics.h"

using fib::compile::Diagnostic;
using fib::compile::diagnostics_of;

namespace {

void check(const Diagnostic& one, const std::string& place, const std::string& message,
           const std::string& source = "") {
  CHECK(one.file + ":" + std::to_string(one.line) + ":" + std::to_string(one.column) == place);
  CHECK(one.message == message);
  CHECK(one.source == source);
}

}  // namespace

TEST_CASE("messages of gcc and clang have file, line, column and the quoted source; errors come first") {
  const auto found = diagnostics_of(
      "a.cpp: In function 'void run()':\n"
      "a.cpp:3:5: warning: unused variable 'y' [-Wunused-variable]\n"
      "    3 |     int y;\n"
      "      |         ^\n"
      "a.cpp:7:10: fatal error: nope.h: No such file or directory\n"
      "    7 | #include \"nope.h\"\n"
      "      |          ^~~~~~~~\n"
      "\nThe complete output:\n"
      "a.cpp:7:10: fatal error: nope.h: No such file or directory\n");
  REQUIRE(found.size() == 2);
  check(found[0], "a.cpp:7:10", "nope.h: No such file or directory", "#include \"nope.h\"");
  CHECK(found[0].severity == "error");
  CHECK(found[1].severity == "warning");
}

TEST_CASE("messages of nvcc, NVRTC and ptxas") {
  const auto found = diagnostics_of(
      "kernel.cu(12): error: identifier \"foo\" is undefined\n"
      "    foo[i] = 1;\n"
      "    ^\n\n"
      "kernel.cu(14): error #20: expected a \";\"\n"
      "ptxas error   : Entry function 'k' uses too much shared data (0x20000 bytes, 0xc000 max)\n"
      "nvcc fatal   : Unsupported gpu architecture 'compute_10'\n");
  REQUIRE(found.size() == 4);
  check(found[0], "kernel.cu:12:0", "identifier \"foo\" is undefined", "foo[i] = 1;");
  check(found[1], "kernel.cu:14:0", "expected a \";\"");
  check(found[2], ":0:0", "Entry function 'k' uses too much shared data (0x20000 bytes, 0xc000 max)");
  check(found[3], ":0:0", "Unsupported gpu architecture 'compute_10'");
}

TEST_CASE("messages of linkers") {
  const auto found = diagnostics_of(
      "/usr/bin/ld: /tmp/cc1.o: in function `run':\n"
      "a.cpp:(.text+0x1f): undefined reference to `helper(long)'\n"
      "/usr/bin/ld: cannot find -lnope: No such file or directory\n");
  REQUIRE(found.size() == 2);
  check(found[0], "a.cpp:0:0", "undefined reference to `helper(long)'");
}

TEST_CASE("a traceback's place is the last frame in a source of the solution") {
  const auto found = diagnostics_of(
      "Traceback (most recent call last):\n"
      "  File \"<fib>\", line 10, in call\n"
      "  File \"main.py\", line 4, in run\n"
      "    return helper(x)\n"
      "  File \"/usr/lib/python3/site-packages/torch/x.py\", line 99, in helper\n"
      "    raise ValueError\n"
      "ValueError: bad size\n");
  REQUIRE(found.size() == 1);
  check(found[0], "main.py:4:0", "ValueError: bad size", "return helper(x)");
  const auto syntax = diagnostics_of(
      "  File \"main.py\", line 2\n    def run(:\n            ^\nSyntaxError: invalid syntax\n");
  REQUIRE(syntax.size() == 1);
  check(syntax[0], "main.py:2:0", "SyntaxError: invalid syntax", "def run(:");
}

TEST_CASE("a source that Python cannot read has its line, and a cause in a library is left out") {
  const auto syntax =
      diagnostics_of("main.py:1: SyntaxError: '(' was never closed\n    def run(x, y:\n           ^\n");
  REQUIRE(syntax.size() == 1);
  check(syntax[0], "main.py:1:0", "SyntaxError: '(' was never closed", "def run(x, y:");
  const auto chained = diagnostics_of(
      "Traceback (most recent call last):\n"
      "  File \"/usr/lib/python3/site-packages/lib/core.py\", line 43, in wrapper\n"
      "    return fn(*args, **kwargs)\n"
      "ValueError: no\n"
      "\n"
      "The above exception was the direct cause of the following exception:\n"
      "\n"
      "Traceback (most recent call last):\n"
      "  File \"/tmp/solution/fib_mine_155ced/deep/main.py\", line 12, in run\n"
      "    kernel(x)\n"
      "  File \"/usr/lib/python3/site-packages/lib/core.py\", line 50, in run\n"
      "    raise err\n"
      "lib.errors.OutOfResources: out of resource: shared memory\n");
  REQUIRE(chained.size() == 1);
  check(chained[0], "deep/main.py:12:0", "lib.errors.OutOfResources: out of resource: shared memory",
        "kernel(x)");
}

TEST_CASE("what Triton's compiler refuses has its place in the kernel, where that is known") {
  const std::string log =
      "Traceback (most recent call last):\n"
      "  File \"/tmp/solution/fib_mine_155ced/main.py\", line 9, in run\n"
      "    kernel[(9,)](x, y, 2304, BLOCK=256)\n"
      "  File \"/venv/site-packages/triton/compiler/compiler.py\", line 80, in make_ir\n"
      "    return ast_to_ttir(self.fn)\n"
      "           ^^^^^^^^^^^^^^^^^^^^\n"
      "triton.compiler.errors.CompilationError: at 3:20:\n"
      "def kernel(x, y, n, BLOCK: tl.constexpr):\n"
      "    i = tl.arange(0, BLOCK)\n"
      "    tl.store(y + i, nothing)\n"
      "                    ^\n"
      "NameError('nothing is not defined')\n"
      "call 1: CompilationError: at 3:20:\n"
      "def kernel(x, y, n, BLOCK: tl.constexpr):\n"
      "    i = tl.arange(0, BLOCK)\n"
      "    tl.store(y + i, nothing)\n"
      "                    ^\n"
      "NameError('nothing is not defined') while the solution ran\n";
  const std::string message = "CompilationError: NameError('nothing is not defined')";
  std::vector<fib::model::SourceFile> sources(2);
  sources[0].path = "other.py";
  sources[0].content = "import triton\n";
  sources[1].path = "main.py";
  sources[1].content =
      "import triton\n\n@triton.jit\ndef kernel(x, y, n, BLOCK: tl.constexpr):\n"
      "    i = tl.arange(0, BLOCK)\n    tl.store(y + i, nothing)\n";
  const auto found = diagnostics_of(log, sources);
  REQUIRE(found.size() == 1);
  check(found[0], "main.py:6:21", message, "tl.store(y + i, nothing)");
  // A line that stands there twice is no place: that of the launch is.
  sources[0].content = "    tl.store(y + i, nothing)\n";
  const auto doubtful = diagnostics_of(log, sources);
  REQUIRE(doubtful.size() == 1);
  check(doubtful[0], "main.py:9:0", message, "kernel[(9,)](x, y, 2304, BLOCK=256)");
  CHECK(diagnostics_of(log.substr(0, log.find("def kernel"))).size() == 1);
}

TEST_CASE("an entry point that is not there is a message") {
  const std::string text = "the library does not export the entry point's symbol \"run\"; it exports: walk";
  const auto found = diagnostics_of(text + "\n");
  REQUIRE(found.size() == 1);
  check(found[0], ":0:0", text);
  const auto python = diagnostics_of("main.py defines no run at module level\n");
  REQUIRE(python.size() == 1);
  check(python[0], "main.py:0:0", "main.py defines no run at module level");
}

TEST_CASE("a log without messages has none, and there are no more than asked for") {
  CHECK(diagnostics_of("").empty());
  CHECK(diagnostics_of("call 1: output \"c\": 3 of 5 elements do not match\n").empty());
  std::string many;
  for (int i = 1; i < 50; ++i) many += "a.cpp:" + std::to_string(i) + ":1: error: e\n";
  CHECK(diagnostics_of(many).size() == 10);
  std::string hostile;
  for (int i = 0; i < 200'000; ++i) hostile += "a:" + std::to_string(i) + ": error: x\n";
  CHECK(diagnostics_of(hostile).size() == 10);
  const auto cut =
      diagnostics_of("  File \"a.py\", line 1\nValueError: " + std::string(387, 'x') + "\xc3\xa9 tail\n");
  REQUIRE(cut.size() == 1);
  CHECK(cut[0].message.ends_with("x\xef\xbf\xbd"));
  CHECK(diagnostics_of(std::string(1 << 20, 'a') + ":1:1: error: x\n").size() <= 1);
}
