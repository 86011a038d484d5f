#include <catch2/catch.hpp>
#include <random>

#include "present/highlight.h"
#include "present/source_text.h"

using namespace fib;
using present::highlight;
using present::Syntax;

namespace {

// The pieces as "kind:text", kinds by their first letters.
std::vector<std::string> pieces(const std::string& source, Syntax syntax) {
  static const char* const kLetters[] = {"c:", "s:", "n:", "k:", "d:"};
  std::vector<std::string> result;
  for (const auto& token : highlight(source, syntax))
    result.push_back(kLetters[static_cast<int>(token.kind)] +
                     source.substr(token.begin, token.end - token.begin));
  return result;
}

using Pieces = std::vector<std::string>;

}  // namespace

TEST_CASE("pieces of C++ and CUDA stand out") {
  const auto cpp = [](const std::string& source) { return pieces(source, Syntax::cpp); };
  CHECK(cpp("#include <a.h>  // why\n") == Pieces{"d:#include", "c:// why"});
  CHECK(cpp("  #  define X 1.5e-3f\n") == Pieces{"d:#  define", "n:1.5e-3f"});
  CHECK(cpp("__global__ void f(int* p) { x = p[0x1F] + 1'000u; }") ==
        Pieces{"k:__global__", "k:void", "k:int", "n:0x1F", "n:1'000u"});
  CHECK(cpp("a = 0x1e+2;") == Pieces{"n:0x1e", "n:2"});
  CHECK(cpp("s = \"a\\\"b\" 'c' u8\"d\" L'e';") == Pieces{"s:\"a\\\"b\"", "s:'c'", "s:u8\"d\"", "s:L'e'"});
  CHECK(cpp("R\"x(a\")\n)x\" + y") == Pieces{"s:R\"x(a\")\n)x\""});
  CHECK(cpp("/* a\nb */ x // c\\\nd\ne") == Pieces{"c:/* a\nb */", "c:// c\\\nd"});
  CHECK(cpp("\"open\nint") == Pieces{"s:\"open", "k:int"});
  CHECK(cpp("a # b ## c") == Pieces{});
  CHECK(cpp("format intx _int naïve") == Pieces{});
  CHECK(cpp("/* open") == Pieces{"c:/* open"});
  CHECK(cpp("R\"(open") == Pieces{"s:R\"(open"});
}

TEST_CASE("pieces of Python stand out") {
  const auto python = [](const std::string& source) { return pieces(source, Syntax::python); };
  CHECK(python("@torch.no_grad()\ndef run(a):  # why\n  return a @ b\n") ==
        Pieces{"d:@torch.no_grad", "k:def", "c:# why", "k:return"});
  CHECK(python("x = '''a\n'b' ''' + f\"{y}\" + rb'\\'' if None else 1e-6j") ==
        Pieces{"s:'''a\n'b' '''", "s:f\"{y}\"", "s:rb'\\''", "k:if", "k:None", "k:else", "n:1e-6j"});
  CHECK(python("'open\nin") == Pieces{"s:'open", "k:in"});
  CHECK(python("\"\"\"open\nin") == Pieces{"s:\"\"\"open\nin"});
  CHECK(python("isnt = bar'x'") == Pieces{"s:'x'"});
}

TEST_CASE("the language is known by the extension") {
  using present::syntax_of;
  CHECK(syntax_of("a/b.cu") == Syntax::cpp);
  CHECK(syntax_of("x.hpp") == Syntax::cpp);
  CHECK(syntax_of("run.py") == Syntax::python);
  CHECK(syntax_of("README.md") == Syntax::none);
  CHECK(syntax_of("py") == Syntax::none);
  CHECK(highlight("int x = 1;", Syntax::none).empty());
}

TEST_CASE("any text gives pieces in order that do not overlap") {
  std::mt19937 random(7);
  const std::string letters = "aR\"'()\\\n#/*@0x.e+- u8\t\xC3\xA9_";
  for (int round = 0; round < 3000; ++round) {
    std::string source;
    for (int i = 0; i < 24; ++i) source += letters[random() % letters.size()];
    for (const Syntax syntax : {Syntax::cpp, Syntax::python}) {
      std::size_t end = 0;
      for (const auto& token : highlight(source, syntax)) {
        REQUIRE(token.begin >= end);
        REQUIRE(token.end > token.begin);
        end = token.end;
      }
      REQUIRE(end <= source.size());
    }
  }
}

TEST_CASE("sources have line numbers; colours only where they are wanted, closed at the end of each line") {
  using present::numbered;
  CHECK(numbered("int x;\n\nreturn", Syntax::cpp, false) == "1  int x;\n2\n3  return\n");
  CHECK(numbered("int x;\n", Syntax::cpp, true) == "1  \x1b[36mint\x1b[0m x;\n");
  CHECK(numbered("/*a\n\nb*/c\n", Syntax::cpp, true) == "1  \x1b[90m/*a\x1b[0m\n2\n3  \x1b[90mb*/\x1b[0mc\n");
  CHECK(numbered("", Syntax::cpp, true) == "");
  CHECK(numbered("// ##[error]x\n::y\n", Syntax::cpp, false) == "1  // ## [error]x\n2  ::y\n");
  std::string ten;
  for (int i = 0; i < 10; ++i) ten += "x\n";
  CHECK(numbered(ten, Syntax::none, true).starts_with(" 1  x\n 2  x\n"));
}

TEST_CASE("nothing of a hostile source or log but its lines and tabs reaches the terminal") {
  using present::printable_lines;
  CHECK(printable_lines("a\tb\r\nc\rd\x1b[31m\n\x07\xff") == "a\tb\nc d?[31m\n??");
  const std::string hostile = "\"\x1b]0;x\x07\" // \xe2\x80\xae\n\t'\x9b'";
  for (const bool colours : {false, true}) {
    const std::string shown = present::numbered(hostile, Syntax::cpp, colours);
    CHECK(shown.find("\x1b]") == std::string::npos);
    CHECK(shown.find('\x07') == std::string::npos);
    CHECK(shown.find("\xe2\x80\xae") == std::string::npos);
  }
  CHECK(present::indented("a\n\nb", 2) == "  a\n\n  b");
}

TEST_CASE("what a message quotes has no lines that look like messages") {
  CHECK(present::quoted_lines("a") == "a");
  CHECK(present::quoted_lines("a\n[0] info: b\n  c\n") == "a\n  [0] info: b\n  c\n");
  CHECK(present::quoted_lines("a\x1b[31m\r\nb") == "a?[31m \n  b");
}

TEST_CASE("a fenced block holds text with fences of its own") {
  CHECK(present::fenced("a\n```\n", "cpp") == "````cpp\na\n```\n````\n");
  CHECK(present::fenced("a", "") == "```\na\n```\n");
}

TEST_CASE("the first and the last lines of a log, and how many there are besides") {
  std::size_t left_out = 7;
  CHECK(present::first_lines("a\nb\nc\n", 2, left_out) == "a\nb\n");
  CHECK(left_out == 1);
  CHECK(present::first_lines("a\nb", 2, left_out) == "a\nb");
  CHECK(left_out == 0);
  CHECK(present::last_lines("a\nb\nc\n", 2, left_out) == "b\nc\n");
  CHECK(left_out == 1);
  CHECK(present::last_lines("a\nb", 2, left_out) == "a\nb");
  CHECK(left_out == 0);
  CHECK(present::last_lines("", 2, left_out).empty());
}
