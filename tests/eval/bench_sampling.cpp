#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <ctime>

#include "eval/samplers.h"
#include "eval/sampling.h"
#include "tensor/parallel.h"

// Numbers that sampling.h states; not run by default: test_eval "[bench]".
using namespace fib;
using eval::RowFilter;

namespace {

constexpr std::size_t kTokens = 128256;

double power(const std::function<testing::Sampler(std::uint64_t)>& make, const RowFilter& filter,
             std::size_t samples, std::size_t tokens, int runs) {
  int detected = 0;
  for (int run = 1; run <= runs; ++run) {
    const auto seed = static_cast<std::uint64_t>(run);
    const auto summary = testing::try_sampler(make(seed), filter, seed, samples, 1, tokens);
    if (summary.p_value < eval::kLeastPValue) ++detected;
  }
  return static_cast<double>(detected) / runs;
}

}  // namespace

TEST_CASE("what judging 64 rows of 128256 probabilities costs", "[.bench]") {
  constexpr std::size_t kRows = 64;
  std::vector<float> probs(kRows * kTokens);
  tensor::fill_probabilities(tensor::DType::kFloat32, 1, probs.data(), kRows, kTokens, 2);
  for (const unsigned threads : {1U, 2U}) {
    for (const auto& [name, filter] : std::vector<std::pair<const char*, RowFilter>>{
             {"none", {}}, {"top_k 50", {50, {}}}, {"top_p 0.9", {{}, 0.9}}, {"both", {1000, 0.9}}}) {
      double best = 1e9;
      double best_cpu = 1e9;
      for (int repeat = 0; repeat < 5; ++repeat) {
        const auto begin = std::chrono::steady_clock::now();
        const std::clock_t cpu = std::clock();
        tensor::parallel_for(kRows, 1, threads, [&, &used = filter](std::size_t first, std::size_t last) {
          for (std::size_t i = first; i < last; ++i)
            (void)eval::look_up(std::span(probs).subspan(i * kTokens, kTokens), used, i * 1000);
        });
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
        best = std::min(best, took.count());
        best_cpu = std::min(best_cpu, static_cast<double>(std::clock() - cpu) * 1e3 / CLOCKS_PER_SEC);
      }
      fmt::print("{} thread(s), {}: {:.1f} ms, {:.1f} ms of CPU time\n", threads, name, best, best_cpu);
    }
  }
}

TEST_CASE("how many samples detect which fault", "[.bench]") {
  for (const auto& [temperature, counts] : std::vector<std::pair<double, std::vector<std::size_t>>>{
           {1.1, {500, 1000, 2000, 4000}}, {1.2, {200, 400, 600, 1000}}, {1.5, {50, 100, 150}}}) {
    const auto warm = [t = temperature](std::uint64_t seed) -> testing::Sampler {
      return testing::RandomSampler(seed, {}, t);
    };
    for (const std::size_t samples : counts)
      fmt::print("temperature {}, {} samples: {}\n", temperature, samples,
                 power(warm, {}, samples, 5000, 20));
  }
  const auto greedy = [](std::uint64_t) -> testing::Sampler {
    return [](auto row, auto, auto) {
      return static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin());
    };
  };
  for (const std::size_t samples : {20U, 40U, 60U, 100U})
    fmt::print("greedy, {} samples: {}\n", samples, power(greedy, {}, samples, 20000, 20));
  const auto fixed = [](std::uint64_t seed) -> testing::Sampler {
    return [seed](auto row, auto, auto) {
      std::mt19937_64 generator(seed);
      return testing::draw(testing::remaining(row, {}), std::uniform_real_distribution<double>()(generator));
    };
  };
  for (const std::size_t samples : {30U, 60U, 100U, 200U})
    fmt::print("fixed u, {} samples: {}\n", samples, power(fixed, {}, samples, 5000, 40));
  const auto uniform = [](std::uint64_t seed) -> testing::Sampler {
    auto generator = std::make_shared<std::mt19937_64>(seed);
    return [generator](auto row, auto, auto) { return (*generator)() % row.size(); };
  };
  for (const std::size_t samples : {20U, 40U, 60U, 80U})
    fmt::print("uniform, {} samples: {}\n", samples, power(uniform, {}, samples, 5000, 40));
  const auto warm_top_k = [](std::uint64_t seed) -> testing::Sampler {
    return testing::RandomSampler(seed, {50, {}}, 1.2);
  };
  for (const std::size_t samples : {4000U, 10000U, 20000U})
    fmt::print("temperature 1.2 within top-k 50, {} samples: {}\n", samples,
               power(warm_top_k, {50, {}}, samples, 5000, 10));
}

TEST_CASE("which samplers that read a part of each row are found", "[.bench]") {
  const auto neighbours = [](std::size_t count) {
    return [count](std::size_t token, std::uint64_t chance) {
      return (token + kTokens - chance % kTokens) % kTokens < count;
    };
  };
  const auto first_of = [](std::size_t count, std::size_t of) {
    return [count, of](std::size_t token, std::uint64_t) { return token % of < count; };
  };
  const auto report = [](const std::string& what, const auto& sees) {
    for (const std::size_t samples : {1000U, 4000U}) {
      const auto make = [&](std::uint64_t seed) { return testing::partial_sampler(seed, sees); };
      const auto one = testing::try_sampler(make(1), {}, 1, samples, 1, kTokens);
      fmt::print("{}, {} samples: p {:.2g}, distance {:.3f} of {:.3f}\n", what, samples, one.p_value,
                 one.distance, one.distance_limit);
    }
  };
  for (const std::size_t count : {64U, 1024U, 8192U, 32768U, 64128U, 96000U})
    report(fmt::format("{} neighbours", count), neighbours(count));
  for (const std::size_t count : {64U, 512U, 768U})
    report(fmt::format("{} of 1024", count), first_of(count, 1024));
}
