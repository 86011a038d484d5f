#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "python/parser.h"

namespace {

using fib::python::find_function;
using fib::python::parse_expression;
using fib::python::parse_module;
using fib::python::SyntaxError;

std::string error_of(const std::string& source) {
  try {
    (void)parse_module(source);
    return "";
  } catch (const SyntaxError& error) {
    return std::to_string(error.line()) + ": " + error.message();
  }
}

std::string expression_error(const std::string& source) {
  try {
    (void)parse_expression(source);
    return "";
  } catch (const SyntaxError& error) {
    return error.message();
  }
}

TEST_CASE("Valid Python parses") {
  const std::vector<std::string> sources = {
      "",
      "\n\n# nothing\n",
      "x = 1; y = 2;\n",
      "a = b = c\n",
      "a, *b = c\n",
      "[a, (b, c)] = d\n",
      "x[1:2, ..., None, ::2, -1] += f(*a, b=1, **c)\n",
      "x: int = 3\nself.y: 'str'\n",
      "def f(a, /, b: int = 1, *args, c, d=2, **kw) -> None: pass\n",
      "def f(*, a): return\n",
      "@a.b(c)\n@d\nasync def f():\n  await g()\n  async for x in y: pass\n  async with z as w: pass\n",
      "class A(B, metaclass=C):\n  x = 1\n  def m(self): return lambda *a, b=1: b\n",
      "try:\n  pass\nexcept (A, B) as e:\n  raise\nexcept:\n  raise X from e\nelse:\n  pass\nfinally:\n  "
      "pass\n",
      "try: x\nfinally: y\n",
      "with a as b, c: pass\nwith (a as b, c as (d, e),): pass\nwith (a, b): pass\nwith (a).b as c: pass\n",
      "while x:\n  if y: break\n  elif z: continue\n  else: pass\nelse: pass\n",
      "for i, (a, b) in x, y: pass\nelse: pass\n",
      "def f():\n  global a, b\n  nonlocal c\n  del a, b[0], (c, d)\n  x = yield\n  yield 1, 2\n  yield from "
      "z\n",
      "import a.b.c as d, e\nfrom . import x\nfrom ...a import (b as c, d,)\nfrom m import *\n",
      "x = [i for i in y if i if j for k in i]\nx = {a: b for a, b in c}\nx = {a for a in b}\nx = (a for a "
      "in b)\n",
      "x = {}\nx = {1: 2, **y}\nx = {1, 2, *z}\nx = ()\nx = (1,)\n",
      "f(x for x in y)\n",
      "if (n := 10) > 5: pass\n",
      "x = a if b else c if d else e\n",
      "x = not a is not b not in c\n",
      "x = a < b <= c != d == e >= f > g\n",
      "x = -a ** -b @ c // d % e << f >> g & h ^ i | j\n",
      "x = f'{a!r:>{w}}' 'b' if rb\"\"\"c\"\"\" else u''\n",
      "x = 0xFF + 0o7 + 0b1 + 1_0.0_1e-1_0 + 3j + .5 + 1.\n",
      "x = 1if y else 2\n",
      "match = 3\nmatch[x] = 4\nmatch(x)\n",
      "match x, y:\n  case [1, *_] if z:\n    pass\n  case A(b=1) | {'c': d} as e: pass\n",
      "def run(A):\r\n    return A\r\n",
      "def run(A):\n\treturn A\n",
      "x = *a, b\nreturn *a, b\n",
      "\xC3\xA9t\xC3\xA9 = 1\n",
      "if x:\n    y\n\n  # comment at an odd place\n    z\n",
      "assert a, b\n",
      "print(\"a\"\n      'b')\n",
      "x = (yield)\n",
  };
  for (const std::string& source : sources) {
    INFO(source);
    CHECK(error_of(source) == "");
  }
}

TEST_CASE("Invalid Python is refused as CPython does") {
  struct Case {
    std::string source;
    std::string error;
  };
  const std::vector<Case> cases = {
      {"x = = 1\n", "1: invalid syntax"},
      {"def run(a b):\n  pass\n", "1: invalid syntax"},
      {"  x = 1\n", "1: unexpected indent"},
      {"x = 1\n  y = 2\n", "2: unexpected indent"},
      {"if x:\n    y\n  z\n", "3: unindent does not match any outer indentation level"},
      {"if x:\n        y\n\tz\n", "3: inconsistent use of tabs and spaces in indentation"},
      {"if x\n  y\n", "1: expected ':'"},
      {"def f()\n  y\n", "1: expected ':'"},
      {"def f:\n  y\n", "1: expected '('"},
      {"if x:\ny\n", "2: expected an indented block after 'if' statement on line 1"},
      {"def f():\nx\n", "2: expected an indented block after function definition on line 1"},
      {"x = (1,\n", "1: '(' was never closed"},
      {"x = 1)\n", "1: unmatched ')'"},
      {"x = (1]\n", "1: closing parenthesis ']' does not match opening parenthesis '('"},
      {"x = (\n1]\n", "2: closing parenthesis ']' does not match opening parenthesis '(' on line 1"},
      {"x = 'abc\n", "1: unterminated string literal (detected at line 1)"},
      {"x = '''abc\n\n", "1: unterminated triple-quoted string literal (detected at line 3)"},
      {"x = 1abc\n", "1: invalid decimal literal"},
      {"x = 0x\n", "1: invalid hexadecimal literal"},
      {"x = 012\n",
       "1: leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers"},
      {"x = 1_\n", "1: invalid decimal literal"},
      {"x = a \\ b\n", "1: unexpected character after line continuation character"},
      {"x = a ? b\n", "1: invalid syntax"},
      {"x = a \xE2\x86\x92 b\n", "1: invalid character '\xE2\x86\x92' (U+2192)"},
      {"f() = 1\n", "1: cannot assign to function call here. Maybe you meant '==' instead of '='?"},
      {"1 = x\n", "1: cannot assign to literal here. Maybe you meant '==' instead of '='?"},
      {"None = x\n", "1: cannot assign to None"},
      {"(a, f()) = 1\n", "1: cannot assign to function call"},
      {"a + b += 1\n", "1: 'expression' is an illegal expression for augmented assignment"},
      {"for 1 in x: pass\n", "1: cannot assign to literal"},
      {"del f()\n", "1: cannot delete function call"},
      {"a, b: int\n", "1: only single target (not tuple) can be annotated"},
      {"if x = 3: pass\n", "1: invalid syntax. Maybe you meant '==' or ':=' instead of '='?"},
      {"f(a=1, b)\n", "1: positional argument follows keyword argument"},
      {"f(**a, b)\n", "1: positional argument follows keyword argument unpacking"},
      {"f(1=2)\n", "1: expression cannot contain assignment, perhaps you meant \"==\"?"},
      {"f(x for x in y, 1)\n", "1: Generator expression must be parenthesized"},
      {"def f(a=1, b): pass\n", "1: non-default argument follows default argument"},
      {"def f(*): pass\n", "1: named arguments must follow bare *"},
      {"def f(**k, a): pass\n", "1: arguments cannot follow var-keyword argument"},
      {"x = a if b\n", "1: expected 'else' after 'if' expression"},
      {"try:\n  x\ny\n", "3: expected 'except' or 'finally' block"},
      {"from a import b,\n", "1: trailing comma not allowed without surrounding parentheses"},
      {"x = {1: }\n", "1: expression expected after dictionary key and ':'"},
      {"x = 'a' b'b'\n", "1: cannot mix bytes and nonbytes literals"},
      {"class = 1\n", "1: invalid syntax"},
      {"else: pass\n", "1: invalid syntax"},
      {"return return\n", "1: invalid syntax"},
      {"x = '\\x1'\n", "1: (unicode error) truncated \\xXX escape"},
      {std::string("x = 1\0", 6), "1: source code cannot contain null bytes"},
  };
  for (const Case& c : cases) {
    INFO(c.source);
    CHECK(error_of(c.source) == c.error);
  }
}

TEST_CASE("A syntax error says where it is") {
  try {
    (void)parse_module("x = 1\ny = \xC3\xA9 )\n");
    FAIL("no error");
  } catch (const SyntaxError& error) {
    CHECK(error.line() == 2);
    CHECK(error.column() == 7);
    CHECK(std::string(error.what()) == "line 2, column 7: unmatched ')'");
  }
}

TEST_CASE("One expression and nothing else") {
  CHECK(expression_error("len_indptr == batch_size + 1") == "");
  CHECK(expression_error("total_q == qo_indptr[-1].item()") == "");
  CHECK(expression_error("a, b  # comment\n\n") == "");
  CHECK(expression_error(" x") == "unexpected indent");
  CHECK(expression_error("x = 1") == "invalid syntax");
  CHECK(expression_error("x; y") == "invalid syntax");
  CHECK(expression_error("x\ny") == "invalid syntax");
  CHECK(expression_error("import x") == "invalid syntax");
  CHECK(expression_error("") == "invalid syntax");
  CHECK(expression_error("x y") == "invalid syntax");
}

TEST_CASE("Only a plain top-level def counts as a function of the module") {
  const auto has_run = [](const std::string& source) {
    return find_function(parse_module(source), "run") != nullptr;
  };
  CHECK(has_run("def run(A):\n  return A\n"));
  CHECK(has_run("import torch\n@torch.no_grad()\ndef run(A):\n  return A\n"));
  CHECK_FALSE(has_run("def go(A):\n  return A\n"));
  CHECK_FALSE(has_run("async def run(A):\n  return A\n"));
  CHECK_FALSE(has_run("if True:\n  def run(A):\n    return A\n"));
  CHECK_FALSE(has_run("class A:\n  def run(self): pass\n"));
  CHECK_FALSE(has_run("def f():\n  def run(self): pass\n"));
  CHECK_FALSE(has_run("run = lambda A: A\n"));
}

TEST_CASE("Of two functions of one name the last is found") {
  const auto module = parse_module("def run(a):\n  return a\ndef run(b):\n  return b\n");
  REQUIRE(find_function(module, "run") != nullptr);
  CHECK(find_function(module, "run")->parameters.at(0).name == "b");
}

TEST_CASE("Absurd nesting is an error, not a crash") {
  const auto repeat = [](const std::string& text, int n) {
    std::string result;
    for (int i = 0; i < n; ++i) result += text;
    return result;
  };
  CHECK(error_of(repeat("(", 300) + repeat(")", 300)) == "1: too many nested parentheses");
  CHECK(error_of(repeat("(", 150) + "x" + repeat(")", 150)) == "");
  CHECK(error_of(repeat("-", 100000) + "x\n") == "1: too many nested parentheses");
  CHECK(error_of(repeat("not ", 100000) + "x\n") == "1: too many nested parentheses");
  CHECK(error_of(repeat("2**", 100000) + "x\n") == "1: too many nested parentheses");
  CHECK(error_of(repeat("lambda: ", 100000) + "x\n") == "1: too many nested parentheses");
  CHECK(error_of(repeat("a if b else ", 100000) + "x\n") == "1: too many nested parentheses");
  CHECK(error_of(repeat("x + ", 100000) + "x\n") == "1: expression is nested too deeply");
  CHECK(error_of("x" + repeat(".a", 100000) + "\n") == "1: expression is nested too deeply");
  CHECK(error_of("x" + repeat("()", 100000) + "\n") == "1: expression is nested too deeply");
  CHECK(error_of("x = [" + repeat("-1, ", 100000) + "]\n") == "");
  CHECK(error_of("if x: pass\n" + repeat("elif x: pass\n", 100000)) == "");
  std::string blocks;
  for (int i = 0; i < 150; ++i) blocks += std::string(static_cast<std::size_t>(i), ' ') + "if x:\n";
  CHECK(error_of(blocks) == "101: too many levels of indentation");
}

}  // namespace
