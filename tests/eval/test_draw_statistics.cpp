#include <catch2/catch.hpp>
#include <cstring>

#include "eval/samplers.h"
#include "eval/sampling.h"

using namespace fib;
using eval::RowFilter;
using testing::draw;
using testing::RandomSampler;
using testing::remaining;
using testing::Sampler;
using testing::try_sampler;

// What the statistics of sampling.h say of right and wrong samplers; "samples" are those of the header.
namespace {

constexpr std::size_t kRows = 4;
constexpr std::size_t kTokens = 500;

eval::DrawStatistics::Summary summary_of(const Sampler& sampler, const RowFilter& filter, std::uint64_t seed,
                                         std::size_t samples = eval::kWantedSamples) {
  return try_sampler(sampler, filter, seed, samples, kRows, kTokens);
}

double p_of(const Sampler& sampler, const RowFilter& filter = {},
            std::size_t samples = eval::kWantedSamples) {
  return summary_of(sampler, filter, 1, samples).p_value;
}

std::size_t argmax(std::span<const float> row) {
  return static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin());
}

}  // namespace

TEST_CASE("a right sampler passes with every seed") {
  const std::vector<RowFilter> filters = {{}, {20, {}}, {{}, 0.6}, {50, 0.8}};
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const RowFilter& filter = filters[seed % filters.size()];
    const auto summary = summary_of(RandomSampler(seed, filter), filter, seed, 1200);
    CHECK(summary.p_value > 1e-5);
    CHECK(summary.samples >= 1150);  // few rows are open at the border
    CHECK(summary.distance < summary.distance_limit);
  }
}

TEST_CASE("few samples of a right sampler pass too, and none at all") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed)
    CHECK(summary_of(RandomSampler(seed, {}), {}, seed, 8).p_value > 1e-5);
  const auto none = eval::DrawStatistics(1).summarise();
  CHECK(none.samples == 0);
  CHECK(none.p_value == 1);
}

TEST_CASE("the most probable token alone fails after some dozen samples") {
  const Sampler greedy = [](auto row, auto, auto) { return argmax(row); };
  CHECK(p_of(greedy, {}, 100) < eval::kLeastPValue);
  CHECK(p_of(greedy, {}, 4) > eval::kLeastPValue);
  // It is all there is to draw.
  CHECK(p_of(greedy, {1, {}}) > 1e-5);
  CHECK(p_of(greedy, {{}, 0.0}) > 1e-5);
}

// What is read is a part of the row, anywhere or always the same: with rows that are all flat it would look
// right.
TEST_CASE("a sampler that reads a part of each row fails") {
  const auto anywhere = testing::partial_sampler(
      5, [](std::size_t token, std::uint64_t chance) { return (token + chance % kTokens) % kTokens < 250; });
  const auto fixed =
      testing::partial_sampler(5, [](std::size_t token, std::uint64_t) { return token % 16 < 8; });
  CHECK(p_of(anywhere) < eval::kLeastPValue);
  CHECK(p_of(fixed) < eval::kLeastPValue);
  CHECK(try_sampler(anywhere, {}, 1, 4000, 1, kTokens, testing::Rows::flat).p_value > 1e-4);
}

TEST_CASE("a sampler that ignores the probabilities fails") {
  std::mt19937_64 generator(3);
  const Sampler uniform = [&](auto row, auto, auto) { return generator() % row.size(); };
  CHECK(p_of(uniform, {}, 200) < eval::kLeastPValue);
}

TEST_CASE("wrong temperatures fail") {
  CHECK(p_of(RandomSampler(1, {}, 1.2)) < eval::kLeastPValue);
  CHECK(p_of(RandomSampler(1, {}, 0.8)) < eval::kLeastPValue);
  CHECK(p_of(RandomSampler(1, {}, 1.5), {}, 600) < eval::kLeastPValue);
}

TEST_CASE("a narrower filter than asked for fails") {
  CHECK(p_of(RandomSampler(1, {40, {}}), {50, {}}) < eval::kLeastPValue);
  CHECK(p_of(RandomSampler(1, {{}, 0.7}), {{}, 0.8}) < eval::kLeastPValue);
}

TEST_CASE("one random number for all calls fails, though every call looks right") {
  const Sampler fixed_seed = [](auto row, auto number, auto) {
    std::mt19937_64 generator(42 + number);
    generator.discard(10);
    return draw(remaining(row, {}), std::uniform_real_distribution<double>()(generator));
  };
  const auto few_rows = summary_of(fixed_seed, {}, 1, 400);
  CHECK(few_rows.p_value < eval::kLeastPValue);
  // With many rows the numbers of one call are as they should be; the next call's are not new.
  const auto many_rows = try_sampler(fixed_seed, {}, 1, 600, 300, kTokens);
  CHECK(many_rows.p_value < eval::kLeastPValue);
  CHECK_THAT(many_rows.worst, Catch::Contains("the call before"));
  const auto one_call = try_sampler(fixed_seed, {}, 1, 300, 300, kTokens);
  CHECK(one_call.p_value > 1e-5);
}

TEST_CASE("a seed made of the inputs is found where these repeat") {
  const Sampler by_content = [](auto row, auto, auto) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, row.data(), sizeof bits);
    std::mt19937_64 generator(bits);
    return draw(remaining(row, {}), std::uniform_real_distribution<double>()(generator));
  };
  CHECK(p_of(by_content) > 1e-5);
  const auto repeated = try_sampler(by_content, {}, 1, 64, kRows, kTokens, testing::Rows::repeated);
  CHECK(repeated.p_value < eval::kLeastPValue);
  CHECK_THAT(repeated.worst, Catch::Contains("the call before"));
  // Few repeated calls among many others, of rows in which some tokens are probable.
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto found = try_sampler(by_content, {}, seed, 4200, 3, 64, testing::Rows::tried);
    CHECK(found.p_value < 1e-9);
    CHECK_THAT(found.worst, Catch::Contains("the same again where the inputs are"));
    CHECK(try_sampler(RandomSampler(seed, {}), {}, seed, 4200, 3, 64, testing::Rows::tried).p_value > 1e-4);
  }
  CHECK(try_sampler(RandomSampler(1, {}), {}, 1, 4000, kRows, kTokens, testing::Rows::repeated).p_value >
        1e-5);
  CHECK(try_sampler(RandomSampler(1, {3, {}}), {3, {}}, 1, 4000, kRows, kTokens, testing::Rows::repeated)
            .p_value > 1e-5);
}

// The token with the largest p / q, q exponentially distributed: as torch draws.
TEST_CASE("the same random number for a token in every call fails") {
  std::vector<double> noise(kTokens);
  std::mt19937_64 generator(7);
  for (double& value : noise) value = std::exponential_distribution<double>()(generator);
  const Sampler race = [&](auto row, auto, auto) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < row.size(); ++i) {
      if (row[i] * noise[best] > row[best] * noise[i]) best = i;
    }
    return best;
  };
  const auto calls = try_sampler(race, {}, 1, 200, 1, kTokens, testing::Rows::flat);
  CHECK(calls.p_value < eval::kLeastPValue);
  CHECK_THAT(calls.worst, Catch::Contains("the call before"));
  const auto rows = try_sampler(race, {}, 1, 200, 200, kTokens, testing::Rows::flat);
  CHECK(rows.p_value < eval::kLeastPValue);
  CHECK_THAT(rows.worst, Catch::Contains("neighbouring rows"));
}

TEST_CASE("a sampler that is right at first and greedy when it feels safe fails") {
  RandomSampler right(1, {});
  const Sampler lazy = [&](auto row, auto number, auto call) {
    return call < 150 ? right(row, number, call) : argmax(row);
  };
  // 45000 right samples, then 5000 others.
  const auto summary = try_sampler(lazy, {}, 1, 50000, 300, 50);
  CHECK(summary.p_value < eval::kLeastPValue);
  CHECK(summary.samples < 2 * eval::kMostSamples);
  CHECK(try_sampler(RandomSampler(1, {}), {}, 1, 50000, 300, 50).p_value > 1e-5);
}

TEST_CASE("one random number for all rows of a call fails") {
  std::mt19937_64 generator(5);
  double u = 0;
  const Sampler shared = [&](auto row, auto number, auto) {
    if (number == 0) u = std::uniform_real_distribution<double>()(generator);
    return draw(remaining(row, {}), u);
  };
  const auto summary = summary_of(shared, {}, 1);
  CHECK(summary.p_value < eval::kLeastPValue);
  CHECK_THAT(summary.worst, Catch::Contains("neighbouring rows"));
}
