#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "eval/draw_statistics.h"
#include "eval/sampling_row.h"
#include "tensor/fill.h"

// Right and wrong samplers, and a plain way to know which tokens a row keeps.
namespace fib::testing {

// The row that remains, renormalised, as the references make it: sorts, cuts, divides. In double precision;
// of ties at top-k's border all stay.
inline std::vector<double> remaining(std::span<const float> row, const eval::RowFilter& filter) {
  std::vector<double> mass(row.begin(), row.end());
  const auto renormalise = [&] {
    const double sum = std::accumulate(mass.begin(), mass.end(), 0.0);
    for (double& value : mass) value /= sum;
  };
  const auto sorted = [&] {
    auto values = mass;
    std::sort(values.begin(), values.end(), std::greater<>());
    return values;
  };
  renormalise();
  if (filter.top_k && *filter.top_k > 0 && *filter.top_k < static_cast<std::int64_t>(row.size())) {
    const double least = sorted()[static_cast<std::size_t>(*filter.top_k) - 1];
    for (double& value : mass) value = value >= least ? value : 0;
    renormalise();
  }
  if (filter.top_p && *filter.top_p < 1) {
    const auto values = sorted();
    double before = 0;
    double least = values[0];
    for (std::size_t i = 0; i < values.size() && (i == 0 || before <= *filter.top_p); before += values[i++])
      least = values[i];
    for (double& value : mass) value = value >= least ? value : 0;
    renormalise();
  }
  return mass;
}

// The token at u of the cumulative mass, in index order.
inline std::size_t draw(const std::vector<double>& mass, double u) {
  double sum = 0;
  for (std::size_t i = 0; i < mass.size(); ++i) {
    sum += mass[i];
    if (u < sum) return i;
  }
  return static_cast<std::size_t>(std::max_element(mass.begin(), mass.end()) - mass.begin());
}

// A whole row to a token; `row` and `call` number them.
using Sampler = std::function<std::size_t(std::span<const float> row, std::size_t number, std::size_t call)>;

// Draws from the tokens of a row that `sees` lets it see, as if there were no others. `chance` is a random
// number of each row.
inline Sampler partial_sampler(std::uint64_t seed,
                               const std::function<bool(std::size_t token, std::uint64_t chance)>& sees) {
  auto generator = std::make_shared<std::mt19937_64>(seed);
  return [generator, sees](std::span<const float> row, std::size_t, std::size_t) {
    const std::uint64_t chance = (*generator)();
    std::vector<double> mass(row.size());
    double sum = 0;
    for (std::size_t i = 0; i < row.size(); ++i)
      sum += mass[i] = sees(i, chance) ? static_cast<double>(row[i]) : 0;
    for (double& value : mass) value /= sum;
    return draw(mass, std::uniform_real_distribution<double>()(*generator));
  };
}

// softmax(N(0,1)): of many tokens none is probable.
inline void fill_flat(std::uint64_t key, std::span<float> row) {
  tensor::fill_random(tensor::DType::kFloat32, key, row.data(), row.size(), 1);
  double sum = 0;
  for (float& value : row) sum += static_cast<double>(value = std::exp(value));
  for (float& value : row) value = static_cast<float>(static_cast<double>(value) / sum);
}

enum class Rows {
  fresh,     // as inputs of evaluations are
  repeated,  // the same, and all calls have those of the first
  flat,      // fresh ones of fill_flat()
  tried,     // fresh ones, and after 180 calls every second call has those of the one before, 43 times
};

// Lets a sampler draw until there are `samples`; it and the rows are made of `seed`.
inline eval::DrawStatistics::Summary try_sampler(const Sampler& sampler, const eval::RowFilter& filter,
                                                 std::uint64_t seed, std::size_t samples, std::size_t rows,
                                                 std::size_t tokens, Rows kind = Rows::fresh) {
  eval::DrawStatistics statistics(seed + 1'000'000);
  std::vector<float> probs(rows * tokens);
  for (std::size_t call = 0; call * rows < samples; ++call) {
    const bool tries = kind == Rows::tried && call >= 180 && call < 180 + 86;
    const bool repeated = (kind == Rows::repeated && call > 0) || (tries && call % 2 == 1);
    const std::uint64_t key = seed * 100'000 + (kind == Rows::repeated ? 0 : repeated ? call - 1 : call);
    tensor::fill_probabilities(tensor::DType::kFloat32, key, probs.data(), rows, tokens, 1);
    for (std::size_t i = 0; kind == Rows::flat && i < rows; ++i)
      fill_flat(key * 1000 + i, std::span(probs).subspan(i * tokens, tokens));
    std::vector<eval::RowDraw> draws;
    for (std::size_t i = 0; i < rows; ++i) {
      const auto row = std::span(probs).subspan(i * tokens, tokens);
      draws.push_back(eval::look_up(row, filter, sampler(row, i, call)));
    }
    statistics.add_call(draws, repeated);
  }
  return statistics.summarise();
}

// Draws from rows at this temperature, cut by this filter, with random numbers of its own.
class RandomSampler {
 public:
  RandomSampler(std::uint64_t seed, eval::RowFilter filter, double temperature = 1)
      : generator_(seed), filter_(filter), temperature_(temperature) {}

  std::size_t operator()(std::span<const float> row, std::size_t /*number*/, std::size_t /*call*/) {
    auto mass = remaining(row, filter_);
    double sum = 0;
    for (double& value : mass) sum += value = std::pow(value, 1 / temperature_);
    for (double& value : mass) value /= sum;
    return draw(mass, std::uniform_real_distribution<double>()(generator_));
  }

 private:
  std::mt19937_64 generator_;
  eval::RowFilter filter_;
  double temperature_;
};

}  // namespace fib::testing
