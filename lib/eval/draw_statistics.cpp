#include "eval/draw_statistics.h"

#include <algorithm>
#include <cmath>

#include "eval/sampling.h"
#include "eval/uniformity.h"
#include "tensor/random.h"

namespace fib::eval {
namespace {

// Eight in each order and three of repetitions, and the judge is asked twice.
constexpr std::size_t kTests = 38;
constexpr std::size_t kLeastForSmoothTest = 400;
constexpr double kMostOfFlat = 0.1;  // the largest share in a row that is called flat
constexpr const char* kOrderNames[] = {"by probability", "by index"};
constexpr const char* kOfCalls = "depend on those of the call before, as with a seed that stays the same";
constexpr const char* kOfRepeats =
    "are the same again where the inputs are, as with a seed that is made of them, or stays the same";
constexpr const char* kOfRows =
    "of neighbouring rows depend on each other, as with one random number for all";

bool is_flat(const RowDraw& draw) { return draw.largest_share < kMostOfFlat; }

double difference(double later, double earlier) {
  const double difference = later - earlier;
  return difference < 0 ? difference + 1 : difference;
}

}  // namespace

double DrawStatistics::random() {
  const auto block = tensor::random_block(key_, drawn_++);
  return (static_cast<double>(tensor::join_words(block.word0, block.word1) >> 11U) + 0.5) * 0x1p-53;
}

// Every call has the same chance to be among those that are kept.
void DrawStatistics::add(Thinned& thinned, double value) {
  if (thinned.share < 1 && random() >= thinned.share) return;
  thinned.values.push_back(value);
  if (thinned.values.size() < 2 * kMostSamples) return;
  std::erase_if(thinned.values, [&](double) { return random() < 0.5; });
  thinned.share /= 2;
}

void DrawStatistics::add(Order& order, const std::vector<std::optional<double>>& u,
                         const std::vector<RowDraw>& draws) {
  const auto add_between = [&](Thinned Uniform::*numbers, double later, double earlier, bool are_flat) {
    const double between = difference(later, earlier);
    add(order.of_all_rows.*numbers, between);
    if (are_flat) add(order.of_flat_rows.*numbers, between);
  };
  for (std::size_t row = 0; row < u.size(); ++row) {
    if (!u[row]) continue;
    const bool flat = is_flat(draws[row]);
    add(order.of_all_rows.u, *u[row]);
    if (flat) add(order.of_flat_rows.u, *u[row]);
    if (row > 0 && u[row - 1])
      add_between(&Uniform::between_rows, *u[row], *u[row - 1], flat && is_flat(draws[row - 1]));
    if (row < order.previous.size() && order.previous[row])
      add_between(&Uniform::between_calls, *u[row], *order.previous[row], flat && is_flat(previous_[row]));
  }
  order.previous = u;
}

void DrawStatistics::add_call(const std::vector<RowDraw>& draws, bool repeated) {
  std::vector<std::optional<double>> u[kOrders];
  for (const RowDraw& draw : draws) {
    const double by_rank = draw.below_by_rank + random() * draw.share;
    const double by_index = draw.below_by_index + random() * draw.share;
    u[0].push_back(draw.usable ? std::optional(std::clamp(by_rank, 0.0, 1.0)) : std::nullopt);
    u[1].push_back(draw.usable ? std::optional(std::clamp(by_index, 0.0, 1.0)) : std::nullopt);
  }
  for (std::size_t i = 0; i < kOrders; ++i) add(orders_[i], u[i], draws);
  add_repetitions(draws, repeated);
}

void DrawStatistics::add_repetitions(const std::vector<RowDraw>& draws, bool repeated) {
  const auto repeats = [](const RowDraw& draw, const RowDraw& earlier) {
    return draw.token == earlier.token;
  };
  for (std::size_t row = 0; row < draws.size(); ++row) {
    const RowDraw& draw = draws[row];
    if (!draw.usable) continue;
    if (row > 0) of_rows_.add(repeats(draw, draws[row - 1]), draw.share);
    if (row >= previous_.size()) continue;
    of_calls_.add(repeats(draw, previous_[row]), draw.share);
    if (repeated) of_repeats_.add(repeats(draw, previous_[row]), draw.share);
  }
  previous_ = draws;
}

DrawStatistics::Summary DrawStatistics::summarise() const {
  Summary summary;
  summary.samples = orders_[0].of_all_rows.u.values.size();
  summary.distance_limit = distance_of_p(kLeastPValue / kTests, summary.samples);
  const auto consider = [&](double p, const std::string& what) {
    if (p * kTests >= summary.p_value) return;
    summary.p_value = p * kTests;
    summary.worst = what;
  };
  const auto consider_numbers = [&](const Uniform& numbers, const std::string& wrong) {
    const auto& u = numbers.u.values;
    consider(p_of_distance(distance_from_uniform(u), u.size()), wrong);
    if (u.size() >= kLeastForSmoothTest) consider(p_of_smooth_test(u), wrong);
    const auto between = [&](const Thinned& differences, const char* what) {
      consider(p_of_distance(distance_from_uniform(differences.values), differences.values.size()), what);
    };
    between(numbers.between_calls, kOfCalls);
    between(numbers.between_rows, kOfRows);
  };
  for (std::size_t i = 0; i < kOrders; ++i) {
    const Order& order = orders_[i];
    summary.distance = std::max(summary.distance, distance_from_uniform(order.of_all_rows.u.values));
    const auto wrong = fmt::format("do not have the distribution asked for (tokens {})", kOrderNames[i]);
    consider_numbers(order.of_all_rows, wrong);
    consider_numbers(order.of_flat_rows, wrong + ", in rows without a probable token");
  }
  consider(of_calls_.p_value(), kOfCalls);
  consider(of_repeats_.p_value(), kOfRepeats);
  consider(of_rows_.p_value(), kOfRows);
  return summary;
}

}  // namespace fib::eval
