#include <catch2/catch.hpp>

#include "python/parser.h"
#include "python/statements.h"

using namespace fib;

namespace {

std::vector<int> lines_of(const char* source) {
  std::vector<int> lines;
  const auto module = python::parse_module(source);
  python::for_each_statement(module.body, [&](const python::Stmt& s) { lines.push_back(s.line); });
  return lines;
}

}  // namespace

TEST_CASE("statements of all blocks are visited, but not those of functions and classes") {
  CHECK(lines_of("a = 1\n"
                 "if a:\n  b = 1\nelif b:\n  c = 1\nelse:\n  d = 1\n"
                 "for i in a:\n  e = 1\nelse:\n  f = 1\n"
                 "while a:\n  g = 1\n"
                 "with a:\n  h = 1\n"
                 "try:\n  i = 1\nexcept E:\n  j = 1\nelse:\n  k = 1\nfinally:\n  l = 1\n"
                 "def f():\n  m = 1\n"
                 "class C:\n  n = 1\n"
                 "match a:\n  case 1:\n    o = 1\n") ==
        std::vector<int>{1, 2, 3, 5, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 19, 21, 23, 24, 26, 28, 30});
}

TEST_CASE("blocks of one statement are its own only") {
  const auto module = python::parse_module("def f():\n  if a:\n    b = 1\n  return c\n");
  std::vector<std::size_t> sizes;
  python::for_each_block(*module.body[0], [&](const python::Block& block) { sizes.push_back(block.size()); });
  CHECK(sizes == std::vector<std::size_t>{2});
  sizes.clear();
  const auto simple = python::parse_module("a = 1\n");
  python::for_each_block(*simple.body[0], [&](const python::Block& block) { sizes.push_back(block.size()); });
  CHECK(sizes.empty());
}
