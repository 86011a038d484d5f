#include <catch2/catch.hpp>

#include "support/process.h"
#include "util/shell_word.h"

using namespace fib;

TEST_CASE("a word for the shell is what was meant, whatever is in it") {
  CHECK(util::shell_word("data/set-1.0_x") == "data/set-1.0_x");
  CHECK(util::shell_word("") == "''");
  CHECK(util::shell_word("it's") == "'it'\\''s'");
  for (const std::string text : {"a b", "$(touch x)", "`x`;y", "it's \"q\"", "~", "*", "a\nb", "\\"}) {
    const auto result = testing::run_process({"/bin/sh", "-c", "printf %s " + util::shell_word(text)});
    CHECK(result.out == text);
  }
}
