#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "python/lexer.h"
#include "python/literals.h"

namespace {

using fib::python::Constant;
using fib::python::ConstantKind;
using fib::python::TokenKind;

std::string kinds(const std::string& source) {
  std::string result;
  for (const auto& token : fib::python::tokenize(source))
    result += "nNs+lid$"[static_cast<std::size_t>(token.kind)];
  return result;
}

TEST_CASE("Tokens of indented lines") {
  CHECK(kinds("if x:\n  y\nz\n") == "nn+linldnl$");
  CHECK(kinds("if x:\r\n\ty\r\n") == "nn+linld$");
  CHECK(kinds("a  # comment\n\n   # only a comment\nb") == "nlnl$");
}

TEST_CASE("Brackets and backslashes join lines") {
  CHECK(kinds("f(a,\n   b)\n") == "n+n+n+l$");
  CHECK(kinds("x = \\\n  1\n") == "n+Nl$");
}

TEST_CASE("Tokens know line and column in code points") {
  const auto tokens = fib::python::tokenize("a\n'\xC3\xA9' b\n");
  CHECK(tokens[2].line == 2);
  CHECK(tokens[3].text == "b");
  CHECK(tokens[3].column == 5);
}

TEST_CASE("A byte order mark is skipped") { CHECK(kinds("\xEF\xBB\xBFx") == "nl$"); }

TEST_CASE("Number literals have Python's values") {
  CHECK(fib::python::decode_number("1_000").integer == 1000);
  CHECK(fib::python::decode_number("0xFF").integer == 255);
  CHECK(fib::python::decode_number("0o17").integer == 15);
  CHECK(fib::python::decode_number("0b101").integer == 5);
  CHECK(fib::python::decode_number("00").integer == 0);
  CHECK(fib::python::decode_number("1e-6").real == 1e-6);
  CHECK(fib::python::decode_number(".5").real == 0.5);
  CHECK(fib::python::decode_number("1.").kind == ConstantKind::kFloat);
  CHECK(fib::python::decode_number("0xE").kind == ConstantKind::kInteger);
  CHECK(fib::python::decode_number("2j").kind == ConstantKind::kImaginary);
  const Constant big = fib::python::decode_number("92233720368547758080");
  CHECK(big.kind == ConstantKind::kBigInteger);
  CHECK(big.text == "92233720368547758080");
}

TEST_CASE("String literals are decoded") {
  CHECK(fib::python::decode_string(R"('a\n\x41\101\u00e9\q')").text == "a\nAA\xC3\xA9\\q");
  CHECK(fib::python::decode_string(R"(r'\n')").text == "\\n");
  CHECK(fib::python::decode_string("'''a\r\nb'''").text == "a\nb");
  CHECK(fib::python::decode_string("'a\\\nb'").text == "ab");
  CHECK(fib::python::decode_string(R"(b'\xff')").text == "\xFF");
  CHECK(fib::python::decode_string(R"(b'\xff')").kind == ConstantKind::kBytes);
  CHECK(fib::python::decode_string("f'{x}'").kind == ConstantKind::kFString);
  CHECK(fib::python::decode_string("''").text.empty());
}

}  // namespace
