#include <catch2/catch.hpp>

#include "util/xml.h"

using namespace fib;

TEST_CASE("text is escaped for XML 1.0") {
  CHECK(util::escape_xml("<a href=\"x\">&'") == "&lt;a href=&quot;x&quot;&gt;&amp;'");
  CHECK(util::escape_xml("a\nb\tc") == "a&#10;b&#9;c");
  CHECK(util::escape_xml(std::string("a\0b\x1b[1m", 7)) ==
        "a\uFFFD"
        "b\uFFFD[1m");
  CHECK(util::escape_xml("\xff") == "\uFFFD");
  CHECK(util::escape_xml("\uFFFE\uFFFF.") == "\uFFFD\uFFFD.");
  CHECK(util::escape_xml("\xed\xa0\x80").find('\xed') == std::string::npos);  // a lone surrogate
  CHECK(util::escape_xml("é核🚀") == "é核🚀");
}

TEST_CASE("characters that turn the text around them are replaced") {
  CHECK(util::escape_xml("a\u202eb\u2066c\u2069") == "a\ufffdb\ufffdc\ufffd");
  CHECK(util::escape_xml("a\u2028b\u2029c\u200ed\u200fe\u061cf") == "a\ufffdb\ufffdc\ufffdd\ufffde\ufffdf");
  CHECK(util::escape_xml("\u2014 \u201c \u2026") == "\u2014 \u201c \u2026");
}
