#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace fib::eval {

// How a row of probabilities is cut before a token is drawn; a filter that cuts nothing (top_k outside of
// 1 to V - 1, top_p of 1 and more, or NaN) may be given all the same. A top_p of 0 and less leaves the most
// probable token. Both: first top-k, then top-p of what top-k left, renormalised, as the references do.
struct RowFilter {
  std::optional<std::int64_t> top_k;
  std::optional<double> top_p;
};

// Where a token stands in its row. A token is kept by top-k when fewer than k tokens are more probable (so
// ties at the border are all kept), and by top-p when the mass of the more probable ones is at most top_p (so
// the token that crosses top_p is kept).
struct RowDraw {
  std::size_t token = 0;   // its index
  bool inside = false;     // kept, or as near to top-p's border as float32 sums may err
  double probability = 0;  // of the token, before it is cut
  std::uint64_t rank = 0;  // how many tokens are more probable
  std::uint64_t kept = 0;  // how many tokens are kept
  // Whether the row says enough for statistics: no, where ties or rounding at the border leave it open
  // whether more than a hundredth of the mass is kept, or where the row holds no probabilities at all.
  bool usable = false;
  double share = 0;           // the token's, of the kept mass: 0 where it is not kept
  double largest_share = 0;   // the most probable token's
  double below_by_rank = 0;   // kept mass before the token, tokens by falling probability, then index
  double below_by_index = 0;  // the same with tokens by index
};

// `row` holds V probabilities, which need not sum to 1; what is negative or NaN counts as 0, and a token of
// probability 0 is never kept. `token` < V. A few passes over the row; sorts only tokens near the borders.
[[nodiscard]] RowDraw look_up(std::span<const float> row, const RowFilter& filter, std::size_t token);

}  // namespace fib::eval
