#include <catch2/catch.hpp>

#include "present/message_kind.h"

using namespace fib::present;

TEST_CASE("messages that differ in names, numbers and paths are of a kind") {
  const std::string one = message_kind(R"(solution "one" is for the unknown definition "x")");
  CHECK(one == message_kind(R"(solution "two_2" is for the unknown definition "y")"));
  CHECK(one != message_kind(R"(solution "one" is for the known definition "x")"));
  CHECK(message_kind("a/b.json: 7 of 9 lines") == message_kind("c.json: 12 of 3 lines"));
  CHECK(message_kind("").empty());
}
