#include <catch2/catch.hpp>

#include "util/utf8.h"

using fib::util::valid_utf8;

TEST_CASE("bytes that are not UTF-8 become replacement characters, everything else stays") {
  CHECK(valid_utf8("plain \xc3\xa9 \n\t") == "plain \xc3\xa9 \n\t");
  CHECK(valid_utf8("a\xff"
                   "b") ==
        "a\xef\xbf\xbd"
        "b");
  CHECK(valid_utf8(std::string("nul\0here", 8)) == std::string("nul\0here", 8));
}

TEST_CASE("texts are read and cut between characters") {
  using fib::util::beginning_of;
  using fib::util::first_character;
  CHECK(first_character("a").bytes == 1);
  CHECK(first_character("é").code == 0xE9);
  CHECK(first_character("核x").bytes == 3);
  CHECK(first_character("\xe6x").bytes == 1);  // a stray byte
  CHECK(first_character("\U000e0020").code == 0xE0020);
  // What is no UTF-8 although its bytes begin and go on as characters do, and the last ones that are.
  for (const char* text : {"\xc1\x9b", "\xe0\x82\x9b", "\xf0\x80\x82\x9b", "\xed\xa0\x80", "\xed\xbf\xbf",
                           "\xf4\x90\x80\x80", "\xf9\x80\x80\x9b"})
    CHECK(first_character(text).bytes == 1);
  CHECK(first_character("\xc2\x80").code == 0x80);
  CHECK(first_character("\xed\x9f\xbf").code == 0xD7FF);
  CHECK(first_character("\xee\x80\x80").code == 0xE000);
  CHECK(first_character("\xf4\x8f\xbf\xbf").code == 0x10FFFF);
  CHECK(beginning_of("ab", 2) == "ab");
  CHECK(beginning_of("abc", 2) == "ab");
  CHECK(beginning_of("aé", 2) == "a");
  CHECK(beginning_of("核", 2).empty());
  using fib::util::ending_of;
  CHECK(ending_of("ab", 2) == "ab");
  CHECK(ending_of("abc", 2) == "bc");
  CHECK(ending_of("éab", 3) == "ab");
  CHECK(ending_of("éab", 4) == "éab");
  CHECK(ending_of("核", 2).empty());
}
