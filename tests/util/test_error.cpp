#include <catch2/catch.hpp>

#include "util/error.h"

using fib::Error;

TEST_CASE("an error tells all of its message, also where a name in it has a NUL") {
  const std::string name("a\0b", 3);
  CHECK(Error("solution \"" + name + "\" is refused").what() == std::string("solution \"a?b\" is refused"));
  CHECK(Error("solution \"{}\" is refused", name).with_context(name).what() ==
        std::string("a?b: solution \"a?b\" is refused"));
}
