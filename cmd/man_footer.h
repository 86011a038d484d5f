#pragma once

#include <string>
#include <utility>
#include <vector>

// The end of a help page, as man pages want it. Pure.
namespace fib::cmd {

struct FooterBlock {
  bool preformatted = false;
  std::string text;  // lines, each with its end
};

struct Footer {
  std::vector<FooterBlock> notes;                                // all that has no place below
  std::string examples;                                          // lines, each with its end
  std::vector<std::pair<std::string, std::string>> exit_status;  // ("0", "done"), by number
};

// Takes a footer apart. "Examples:" is followed by indented lines. "Exit codes: 0 done, 1 ..., 2 ... ." ends
// with a dot at the end of a line, or of the footer. Of the rest, indented lines stay lines, others are text
// to fill.
[[nodiscard]] Footer parse_footer(const std::string& text);

}  // namespace fib::cmd
