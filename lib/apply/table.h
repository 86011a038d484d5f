#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apply/config.h"
#include "dataset/load.h"

// Which solution answers which case of a definition, by a dataset's results. Pure functions.
namespace fib::apply {

using AxisPairs = std::vector<std::pair<std::string, std::int64_t>>;  // by name

// The solution that won a case.
struct Winner {
  std::string hardware;  // on which; "any" where the configuration makes no difference
  AxisPairs axes;        // of the workload
  std::string solution;
  double speedup = 0;  // over the reference
  double latency_ms = 0;
  std::size_t candidates = 0;  // solutions that have a result here, this one included
  std::optional<std::pair<std::string, double>> second = {};  // the next best and its latency in ms
};

struct DefinitionTable {
  std::vector<Winner> winners;              // in the order in which their cases were met
  std::map<std::string, std::string> best;  // hardware -> the solution that won most cases there
  std::map<std::pair<std::string, AxisPairs>, std::size_t> places = {};  // hardware and axes -> its winner
};

struct Table {
  std::string digest;                                  // SHA-256 of all that decides it
  std::map<std::string, DefinitionTable> definitions;  // those with a winner
  std::map<std::string, std::size_t> left_out;         // results that do not count, by the reason
};

// Of each case (definition, values of the variable axes, hardware) the winner. With require_hash a solution
// is a candidate when every result of its present source that stands (dataset/standing.h) is PASSED there,
// and the lowest geometric mean of latencies wins, of those that have results on most workloads of the case;
// without, every PASSED result makes one, and the highest speedup wins, as flashinfer-bench has it. The first
// that was met wins among equals, of cases and of solutions. `dataset` has its traces.
[[nodiscard]] Table make_table(const dataset::Dataset& dataset, const Registry& registry);

// The winner of this case; null: there is none.
[[nodiscard]] const Winner* find_winner(const DefinitionTable& table, const std::string& hardware,
                                        const AxisPairs& axes);

// The winner of the nearest case: the sum over the axes of |log2((a + 1) / (b + 1))| is the least, the first
// of equals; null: there is none on that hardware.
[[nodiscard]] const Winner* nearest_winner(const DefinitionTable& table, std::string_view hardware,
                                           const AxisPairs& axes);

// The solutions of a definition by how many cases they won there, most first, and how many.
[[nodiscard]] std::vector<std::pair<std::string, std::size_t>> by_wins(const DefinitionTable& table,
                                                                       std::string_view hardware);

// The table as fib.h describes it.
[[nodiscard]] std::string to_json(const Table& table, const dataset::Dataset& dataset);

}  // namespace fib::apply
