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

TEST_CASE("a log without messages has none, and there are no more than asked for") {
  CHECK(diagnostics_of("").empty());
  CHECK(diagnostics_of("call 1: output \"c\": 3 of 5 elements do not match\n").empty());
  std::string many;
  for (int i = 1; i < 50; ++i) many += "a.cpp:" + std::to_string(i) + ":1: error: e\n";
  CHECK(diagnostics_of(many).size() == 10);
  CHECK(diagnostics_of(std::string(1 << 20, 'a') + ":1:1: error: x\n").size() <= 1);
}
