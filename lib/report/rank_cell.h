#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <optional>

#include "present/table.h"

namespace fib::report {

// How the ranks of one ranking (of one hardware and definition) are written everywhere.
class RankCells {
 public:
  // The elements of `ranking` have a member `rank`.
  template <typename Ranking>
  explicit RankCells(const Ranking& ranking) {
    for (const auto& one : ranking) add(one.rank);
  }
  RankCells() = default;

  void add(const std::optional<std::size_t>& rank) {
    if (rank) ++holders_[*rank];
  }
  // "1", "1 =" where another one has it too, and "-" where there is none.
  [[nodiscard]] present::Cell of(const std::optional<std::size_t>& rank) const {
    if (!rank) return present::no_cell();
    const auto holders = holders_.find(*rank);
    const bool is_shared = holders != holders_.end() && holders->second > 1;
    return {fmt::format("{}{}", *rank, is_shared ? " =" : ""), present::count_cell(*rank).value};
  }

 private:
  std::map<std::size_t, std::size_t> holders_;  // by rank
};

}  // namespace fib::report
