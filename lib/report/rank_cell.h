#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "present/table.h"

namespace fib::report {

// How a rank is written everywhere: "1", "1 =" where another one of `all` has it too, and "-" where there is
// none. The elements of `all`, a ranking of one hardware and definition, have a member `rank`.
template <typename Ranking>
[[nodiscard]] present::Cell rank_cell(const Ranking& all, const std::optional<std::size_t>& rank) {
  if (!rank) return present::no_cell();
  const auto sharing =
      std::count_if(all.begin(), all.end(), [&](const auto& one) { return one.rank == rank; });
  return {fmt::format("{}{}", *rank, sharing > 1 ? " =" : ""), present::count_cell(*rank).value};
}

}  // namespace fib::report
