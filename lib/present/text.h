#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

// Text as people see it. All functions are pure; bytes that are no UTF-8 count as one column each.
namespace fib::present {

// Columns that `text` takes on a terminal: two for East Asian wide characters and emoji, none for combining
// marks.
[[nodiscard]] std::size_t display_width(std::string_view text);

// `text` cut to at most `width` (> 0) columns, the last of which is then "…".
[[nodiscard]] std::string shorten(std::string_view text, std::size_t width);

// The same, but what is left out is in the middle: of names that begin alike the ends stay apart.
[[nodiscard]] std::string shorten_middle(std::string_view text, std::size_t width);

// Each of `names` by shorten_middle(), but so that different names stay different where that can be: of those
// that would look alike the place where they differ is kept.
[[nodiscard]] std::map<std::string, std::string> shorten_names(const std::set<std::string>& names,
                                                               std::size_t width);

// `text` on one line: line breaks and tabs become spaces, other control characters "?".
[[nodiscard]] std::string without_controls(std::string_view text);

// Runners of CI obey lines of any program's output: "::" where the line begins and, anywhere, "##", letters
// or none, and "[" ("##[group]" at GitHub, "##vso[" at Azure, "##teamcity[") get a space within.
[[nodiscard]] std::string without_commands(std::string line);

// Both: harmless in a terminal and in a log of CI. A name in a table may begin its line.
[[nodiscard]] std::string printable(std::string_view text);

// `text` broken at spaces into lines of at most `width` columns; 0: as it is. No final newline. Lines after
// the first begin with `indent` spaces.
[[nodiscard]] std::string wrap(std::string_view text, std::size_t width, std::size_t indent = 0);

// "1 trace", "2 traces".
[[nodiscard]] std::string plural(std::size_t count, std::string_view noun);

// Numbers for tables; csv and json hold the exact ones.
[[nodiscard]] std::string format_ms(double milliseconds);  // "0.00231", "4210.2"
[[nodiscard]] std::string format_score(double speedup);    // "1.5000"
[[nodiscard]] std::string format_share(double share);      // 0.5: "50.0%"
[[nodiscard]] std::string format_error(double error);      // "1.00e-03"; 0: "0"
// By which share of a latency another run's may differ: 0.004: "±0.4%", 0.2: "±20%"; 5: "0 to 6.0x", for
// there is no lower end.
[[nodiscard]] std::string format_interval(double share);

}  // namespace fib::present
