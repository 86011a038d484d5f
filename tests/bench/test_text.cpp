#include <catch2/catch.hpp>

#include "bench/text.h"

using fib::bench::valid_utf8;

TEST_CASE("bytes that are not UTF-8 become replacement characters, everything else stays") {
  CHECK(valid_utf8("plain \xc3\xa9 \n\t") == "plain \xc3\xa9 \n\t");
  CHECK(valid_utf8("a\xff"
                   "b") ==
        "a\xef\xbf\xbd"
        "b");
  CHECK(valid_utf8(std::string("nul\0here", 8)) == std::string("nul\0here", 8));
}
