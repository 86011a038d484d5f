#include <catch2/catch.hpp>

#include "compile/entry_signature.h"

using fib::compile::returns_status;

TEST_CASE("int results are statuses, others are not") {
  CHECK(returns_status("extern \"C\" int run(const float* a) {", "run"));
  CHECK(returns_status("extern \"C\" std::int32_t\nrun (float* a) {", "run"));
  CHECK_FALSE(returns_status("extern \"C\" void run(float*) {}", "run"));
  CHECK_FALSE(returns_status("extern \"C\" double run(float*) {}", "run"));
  CHECK_FALSE(returns_status("", "run"));
  CHECK_FALSE(returns_status("int ::run(int);", "::run"));  // no symbol of C
}

TEST_CASE("a symbol that is no word costs nothing, however often it stands in the source") {
  const std::string spaces(4'000'000, ' ');
  CHECK_FALSE(returns_status(spaces, " "));
}

TEST_CASE("comments, calls and longer names do not decide") {
  CHECK_FALSE(returns_status("// int run(x)\n/* int run(x) */ extern \"C\" void run(int);", "run"));
  CHECK(returns_status("int prerun(int); int x = other.run(1); extern \"C\" int run(int);", "run"));
  CHECK_FALSE(returns_status("int run_all(int); extern \"C\" void run(int);", "run"));
}
