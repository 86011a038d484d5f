#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eval/repetition.h"
#include "eval/sampling_row.h"

namespace fib::eval {

// What all draws of an evaluation say about a sampler (sampling.h has the rule). A plain value.
class DrawStatistics {
 public:
  // `key` chooses the random numbers.
  explicit DrawStatistics(std::uint64_t key) : key_(key) {}

  // One call: a draw for every row, in their order; the same number of rows in each call. `repeated`: its
  // inputs are those of the call before.
  void add_call(const std::vector<RowDraw>& draws, bool repeated = false);

  struct Summary {
    std::size_t samples = 0;    // that were tested
    double p_value = 1;         // of the worst test, times the number of tests, at most 1
    double distance = 0;        // the larger one of the two orders
    double distance_limit = 1;  // at which it is too large
    std::string worst;          // what is wrong if p_value is too small: a sentence's end
  };
  [[nodiscard]] Summary summarise() const;

 private:
  static constexpr std::size_t kOrders = 2;  // by falling probability, by index
  // A random choice of all numbers that were added, of one size whatever their number.
  struct Thinned {
    std::vector<double> values;
    double share = 1;  // of all
  };
  // Numbers that are uniform for a right sampler.
  struct Uniform {
    Thinned u;
    Thinned between_calls;
    Thinned between_rows;
  };
  // Those of one order.
  struct Order {
    Uniform of_all_rows;
    Uniform of_flat_rows;                         // in which no token is probable
    std::vector<std::optional<double>> previous;  // u of each row in the call before
  };
  void add(Order& order, const std::vector<std::optional<double>>& u, const std::vector<RowDraw>& draws);
  void add_repetitions(const std::vector<RowDraw>& draws, bool repeated);
  void add(Thinned& thinned, double value);
  [[nodiscard]] double random();

  std::uint64_t key_;
  std::uint64_t drawn_ = 0;
  Order orders_[kOrders];
  Repetition of_calls_;    // the token that the row had in the call before
  Repetition of_repeats_;  // of these, where the inputs are the same: few, which all the others would hide
  Repetition of_rows_;     // the token of the row before
  std::vector<RowDraw> previous_;
};

}  // namespace fib::eval
