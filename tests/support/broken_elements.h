#pragma once

#include <string>
#include <vector>

#include "support/broken.h"

// What can be wrong with y = 2 x + 1 over the grid of broken.h whatever the language of the code around it:
// what is written for an element, and what the judge says of it.
namespace fib::testing {

struct BrokenElement {
  std::string name;
  std::string statement;  // in C, of the element e = r * n + c of the arrays x and y of m times n
  std::string code;
  std::string pattern;  // empty: any
};

inline std::vector<BrokenElement> broken_elements() {
  const auto wrong = [](const std::string& where) { return "y[e] = 2 * x[e] + (" + where + " ? 3 : 1);"; };
  const auto written = [](const std::string& where) { return "if (" + where + ") y[e] = 2 * x[e] + 1;"; };
  return {
      {"zeros", "y[e] = 0;", "wrong_values", "all_zeros"},
      {"nan", "float u = -1e38f; u *= 10; y[e] = u - u + x[e];", "wrong_values", "all_nan"},
      {"transposed", "y[c * m + r] = 2 * x[e] + 1;", "wrong_values", "transposed"},
      {"row_off", "y[e] = 2 * x[(e + n) % (m * n)] + 1;", "wrong_values", "off_by_one_row"},
      {"all", "y[e] = 2 * x[e] + 3;", "wrong_values", "all"},
      {"truncated", "y[e] = (int)(2 * x[e] + 1);", "wrong_values", ""},
      {"column", wrong("c == 7"), "wrong_values", "one_column"},
      {"row", wrong("r == 7"), "wrong_values", "one_row"},
      {"third", wrong("e % 3 == 0"), "wrong_values", "every_nth"},
      {"tails", wrong("e % 24 >= 22"), "wrong_values", "block_tails"},
      {"first_columns", wrong("c < 3"), "wrong_values", "first_columns"},
      {"last_columns", wrong("c >= n - 3"), "wrong_values", "last_columns"},
      {"first_rows", wrong("r < 3"), "wrong_values", "first_elements"},
      {"last_element", wrong("e == m * n - 1"), "wrong_values", "last_elements"},
      {"last_block", written("e < m * n - 256"), "unwritten_output", "last_elements"},
      {"first_block", written("e >= 256"), "unwritten_output", "first_elements"},
      {"odd", written("e % 2 == 0"), "unwritten_output", "every_nth"},
      {"gap", written("c != 5"), "unwritten_output", "one_column"},
      {"nothing", "", "unwritten_output", ""},
  };
}

// As rows of the table of a language: `source` makes its source of a statement.
template <typename Source>
void add_broken_elements(std::vector<Broken>& table, const std::string& language, const Source& source) {
  for (const BrokenElement& one : broken_elements())
    table.push_back(
        {language + "_" + one.name, source(one.statement), one.code, "judge", 0, one.pattern, ""});
}

}  // namespace fib::testing
