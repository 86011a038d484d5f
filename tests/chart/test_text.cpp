#include <catch2/catch.hpp>
#include <cstdlib>
#include <limits>
#include <string>

#include "chart/markup.h"
#include "chart/number_text.h"
#include "chart/text_width.h"

using namespace fib::chart;

TEST_CASE("exact numbers read back as they were") {
  for (const double value : {0.1, 1.0 / 3, 1e-7, 128.0, 6.02e23, -0.0012345678901234567}) {
    CHECK(std::strtod(exact_text(value).c_str(), nullptr) == value);
  }
  CHECK(exact_text(128) == "128");
  CHECK(exact_text(0.1) == "0.1");
}

TEST_CASE("numbers for people") {
  CHECK(value_text(0.0123, Unit::milliseconds) == "12.3 µs");
  CHECK(value_text(0.000002, Unit::milliseconds) == "2 ns");
  CHECK(value_text(1500, Unit::milliseconds) == "1.5 s");
  CHECK(value_text(999.9, Unit::milliseconds, 4) == "999.9 ms");
  CHECK(value_text(24.1234, Unit::ratio) == "24.1x");
  CHECK(value_text(1.5e9, Unit::bytes) == "1.5 GB");
  CHECK(value_text(0.125, Unit::share) == "12.5%");
  CHECK(value_text(16384, Unit::number) == "16384");
  CHECK(value_text(1234567, Unit::number) == "1.23M");
  CHECK(value_text(989e12, Unit::number) == "989T");
  CHECK(value_text(1e-7, Unit::number) == "1e-7");
  CHECK(value_text(0, Unit::milliseconds) == "0 ms");
  CHECK(value_text(-0.25, Unit::number) == "-0.25");
  CHECK(value_text(std::numeric_limits<double>::infinity(), Unit::ratio) == "inf");
}

TEST_CASE("labels of one axis have the same unit and decimals") {
  using Labels = std::vector<std::string>;
  CHECK(tick_labels({0, 0.5, 1}, Spacing::linear, Unit::milliseconds) == Labels{"0", "0.5 ms", "1.0 ms"});
  CHECK(tick_labels({0, 0.002, 0.004}, Spacing::linear, Unit::milliseconds) == Labels{"0", "2 µs", "4 µs"});
  CHECK(tick_labels({0, 0.5, 1}, Spacing::linear, Unit::share) == Labels{"0%", "50%", "100%"});
  CHECK(tick_labels({0.001, 1, 1000}, Spacing::log, Unit::milliseconds) == Labels{"1 µs", "1 ms", "1 s"});
  CHECK(tick_labels({0, 800, 1600}, Spacing::linear, Unit::number) == Labels{"0", "800", "1600"});
  CHECK(tick_labels({0, 5000, 10000}, Spacing::linear, Unit::number) == Labels{"0", "5k", "10k"});
  CHECK(tick_labels({1e18, 2e18}, Spacing::linear, Unit::number) == Labels{"1000P", "2000P"});
}

TEST_CASE("widths follow the characters") {
  CHECK(text_width("", 12) == 0);
  CHECK(text_width("iiii", 12) < text_width("mmmm", 12));
  CHECK(text_width("ab", 24) == Approx(2 * text_width("ab", 12)));
  CHECK(text_width("核", 10) == Approx(10));
  CHECK(text_width("é", 10) == Approx(6.4));
  CHECK(text_width("e\u0301", 10) == Approx(text_width("e", 10)));
}

TEST_CASE("long names are cut in the middle") {
  const std::string name = "fused_add_rmsnorm_h4096_two_pass_persistent_vec8";
  const std::string cut = shorten_to(name, 150, 12);
  CHECK(text_width(cut, 12) <= 150);
  CHECK(text_width(cut, 12) > 130);
  CHECK(cut.starts_with("fused_add"));
  CHECK(cut.ends_with("vec8"));
  CHECK(cut.find("…") != std::string::npos);
  CHECK(shorten_to(name, 1000, 12) == name);
  CHECK(shorten_to("核核核核核", 50, 12) == "核核…核");
  CHECK(shorten_to("abc", 1, 12) == "…");
}

TEST_CASE("elements are compact") {
  CHECK(element("g", {}) == "<g/>");
  CHECK(element("text", {{"x", "1"}, {"class", ""}}, "a") == "<text x=\"1\">a</text>");
  CHECK(pixels(12.04) == "12");
  CHECK(pixels(12.26) == "12.3");
  CHECK(pixels(-0.01) == "0");
  CHECK(pixels(-3.5) == "-3.5");
}

TEST_CASE("only links to pages are links") {
  CHECK(safe_link("https://example.org/a?b") == "https://example.org/a?b");
  CHECK(safe_link("#part") == "#part");
  CHECK(safe_link("a/b:c.html") == "a/b:c.html");
  CHECK(safe_link("javascript:alert(1)").empty());
  CHECK(safe_link("java\nscript:alert(1)").empty());
  CHECK(safe_link(" javascript:alert(1)").empty());
  CHECK(safe_link("data:text/html,x").empty());
}
