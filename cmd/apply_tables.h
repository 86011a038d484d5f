#pragma once

#include <string>
#include <vector>

#include "apply/table.h"
#include "dataset/load.h"
#include "present/table.h"

// What `fib apply` shows.
namespace fib::cmd {

// A winner of a definition's case.
struct ChosenCase {
  const std::string* definition;
  const apply::Winner* winner;
};

// The winners on one of these devices ("any" among them where the configuration makes no difference), in the
// table's order.
[[nodiscard]] std::vector<ChosenCase> chosen_on(const apply::Table& table,
                                                const std::vector<std::string>& hardware);

// A row a case, in the order of its sizes: the solution, its latency, and that of the next best.
[[nodiscard]] present::Table cases_table(std::vector<ChosenCase> cases, const dataset::Dataset& dataset);

// How a winner would be called, on how many cases, and what stands against it.
struct Checked {
  std::string definition;
  std::string solution;
  std::string hardware;
  std::size_t cases = 0;
  std::string called;   // "in the program", "by Python"; empty: it cannot be
  std::string problem;  // why it cannot
  bool trusted = false;
};
[[nodiscard]] present::Table checked_table(const std::vector<Checked>& checked);

// "12 results do not count: 7 failed, 5 on other hardware"; "" when all do.
[[nodiscard]] std::string left_out_text(const apply::Table& table);

// "batch_size=4 n=8".
[[nodiscard]] std::string axes_text(const apply::AxisPairs& axes);

}  // namespace fib::cmd
