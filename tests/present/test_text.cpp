#include <catch2/catch.hpp>
#include <limits>

#include "present/source_text.h"
#include "present/text.h"

using namespace fib::present;

TEST_CASE("width is that of a terminal") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("é×…") == 3);
  CHECK(display_width("e\u0301") == 1);
  CHECK(display_width("核") == 2);
  CHECK(display_width("🚀") == 2);
  CHECK(display_width("\xff\xc3") == 2);
}

TEST_CASE("shortening cuts whole characters and marks the cut") {
  CHECK(shorten("abc", 3) == "abc");
  CHECK(shorten("abcd", 3) == "ab…");
  CHECK(shorten("核核核", 4) == "核…");
  CHECK(shorten("éé", 1) == "…");
}

TEST_CASE("printable text is one line without control characters") {
  CHECK(printable("a\nb\tc\r") == "a b c ");
  CHECK(printable("\x1b[31mred\x7f") == "?[31mred?");
  CHECK(printable("\u009b31m") == "?31m");
  CHECK(printable("a\u202eb") == "a?b");
  CHECK(printable("a\u2028b\u2029c\u200ed\u200fe\u061cf") == "a?b?c?d?e?f");
  CHECK(printable("a\xff") == "a?");
  CHECK(printable("é核") == "é核");
}

TEST_CASE("what runners of CI would obey is broken") {
  CHECK(printable("::set-output name=verdict::good") == ": :set-output name=verdict::good");
  CHECK(printable("  ::error::x") == "  : :error::x");
  CHECK(printable("a ##[error]x ##[b]") == "a ## [error]x ## [b]");
  CHECK(printable("\u3000::error::x") == "\u3000: :error::x");
  CHECK(printable("\u00a0\ufeff::error::x") == "\u00a0\ufeff: :error::x");
  CHECK(wrap("a name ::error::x", 8, 2) == "a name\n  : :error::x");
  CHECK(wrap("a long name  ::x", 11, 2) == "a long name\n   : :x");  // the line begins with an empty word
  CHECK(wrap("a name \u00a0 ::error::x", 6, 2) == "a name\n  \u00a0\n  : :error::x");
  CHECK(wrap("a name \u00a0 ::x", 7, 2) == "a name\n  \u00a0 : :x");
  CHECK(without_commands("a##[b]##[c]") == "a## [b]## [c]");
  CHECK(without_commands("x ##vso[task.complete result=Succeeded;]") ==
        "x ## vso[task.complete result=Succeeded;]");
  CHECK(without_commands("###TeamCity[a] ##[b]") == "### TeamCity[a] ## [b]");
  CHECK(without_commands("a##b, c ## d[1], ##") == "a##b, c ## d[1], ##");
  CHECK(printable("std::vector # [1]") == "std::vector # [1]");
  CHECK(indented("a\n\t::stop-commands::x\n", 2) == "  a\n  \t: :stop-commands::x\n");
}

TEST_CASE("names that differ stay different when they are cut") {
  const std::string forward = "flash_attention_fwd_persistent_split_kv_hopper_v2";
  const std::string backward = "flash_attention_bwd_persistent_split_kv_hopper_v2";
  const auto cut = shorten_names({forward, backward, "short", forward + "_b"}, 24);
  CHECK(cut.at("short") == "short");
  CHECK(cut.at(forward) != cut.at(backward));
  CHECK(cut.at(forward) == "flash_…fwd_pers…opper_v2");
  for (const auto& [name, text] : cut) CHECK(display_width(text) <= 24);
  CHECK(shorten_names({forward}, 24).at(forward) == shorten_middle(forward, 24));
  CHECK(shorten_names({"aé1b", "aé2b"}, 3).size() == 2);
}

TEST_CASE("wrapping breaks at spaces and never inside a word") {
  CHECK(wrap("aa bb cc", 5) == "aa bb\ncc");
  CHECK(wrap("aa bb cc", 5, 2) == "aa bb\n  cc");
  CHECK(wrap("aaaaaaaa b", 4) == "aaaaaaaa\nb");
  CHECK(wrap("aa bb cc", 0) == "aa bb cc");
}

TEST_CASE("numbers are written for people") {
  CHECK(format_ms(0.002314) == "0.00231");
  CHECK(format_ms(12.5) == "12.50000");
  CHECK(format_ms(4210.25) == "4210.2");
  CHECK(format_ms(0.00001) == "1.00e-05");
  CHECK(format_ms(0) == "0");
  CHECK(format_ms(std::numeric_limits<double>::infinity()) == "inf");
  CHECK(format_score(1.5) == "1.5000");
  CHECK(format_share(2.0 / 3) == "66.7%");
  CHECK(format_error(0) == "0");
  CHECK(format_error(0.001) == "1.00e-03");
  CHECK(plural(1, "trace") == "1 trace");
  CHECK(plural(0, "trace") == "0 traces");
}

TEST_CASE("a name is cut in its middle, so that its end stays") {
  CHECK(shorten_middle("short", 5) == "short");
  CHECK(shorten_middle("gemm_kernel_v1", 9) == "gemm…l_v1");
  CHECK(shorten_middle("gemm_kernel_v2", 9) == "gemm…l_v2");
  CHECK(display_width(shorten_middle("gemm_kernel_v2", 8)) == 8);
  CHECK(shorten_middle("日本語日本語", 7) == "日…本語");
  CHECK(shorten_middle("abcdef", 2) == "a…");
  CHECK(shorten_middle("abcdef", 3) == "a…f");
}

TEST_CASE("intervals have as many digits as say something, and no minus of more than all") {
  CHECK(format_interval(0.0042) == "±0.4%");
  CHECK(format_interval(0.203) == "±20%");
  CHECK(format_interval(5.02) == "0 to 6.0x");
}
