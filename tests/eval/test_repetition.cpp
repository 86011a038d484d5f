#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "eval/repetition.h"

using fib::eval::Repetition;

namespace {

// Draws from `shares`, each as likely as it says, by a sampler that now and then gives the last token again.
double p_of_draws(std::vector<double> shares, int draws, double lazy, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::discrete_distribution<std::size_t> tokens(shares.begin(), shares.end());
  std::bernoulli_distribution repeats(lazy);
  Repetition repetition;
  std::size_t last = tokens(generator);
  for (int i = 0; i < draws; ++i) {
    const std::size_t token = repeats(generator) ? last : tokens(generator);
    repetition.add(token == last, shares[token]);
    last = token;
  }
  return repetition.p_value();
}

}  // namespace

TEST_CASE("independent draws repeat themselves as often as chance has it") {
  CHECK(Repetition().p_value() == 1);
  const std::vector<std::vector<double>> rows = {
      {1}, {0.5, 0.5}, {0.9, 0.1}, {0.99, 0.01}, std::vector<double>(1000, 1e-3)};
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    for (const auto& shares : rows) CHECK(p_of_draws(shares, 3000, 0, seed) > 1e-4);
  }
}

TEST_CASE("repeated tokens are found the sooner the rarer they are") {
  const std::vector<double> rare(1000, 1e-3);
  CHECK(p_of_draws(rare, 3, 1, 1) < 1e-6);
  CHECK(p_of_draws(rare, 2, 1, 1) > 1e-6);
  CHECK(p_of_draws({0.5, 0.5}, 64, 1, 1) < 1e-6);
  CHECK(p_of_draws({0.5, 0.5}, 20, 1, 1) > 1e-6);
  CHECK(p_of_draws(std::vector<double>(100, 0.01), 2000, 0.05, 1) < 1e-6);
  CHECK(p_of_draws({1}, 10000, 1, 1) > 0.1);
}

TEST_CASE("repetitions are found in the middle of draws that do not repeat") {
  for (const double share : {0.5, 0.1, 0.001}) {
    Repetition repetition;
    for (int i = 0; i < 1000; ++i) repetition.add(false, share);
    CHECK(repetition.p_value() > 0.1);
    for (int i = 0; i < 50; ++i) repetition.add(true, share);
    for (int i = 0; i < 4000; ++i) repetition.add(false, share);
    CHECK(repetition.p_value() < 1e-6);
  }
}

TEST_CASE("tokens whose share is not known say nothing against a sampler") {
  Repetition repetition;
  for (int i = 0; i < 1000; ++i) repetition.add(true, 0);
  CHECK(repetition.p_value() == 1);
}
