#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>

#include "eval/dsa_indexer.h"
#include "eval/dsa_scores.h"
#include "tensor/convert.h"

using namespace fib;

namespace {

constexpr std::size_t kRows = 2;
constexpr std::size_t kHeads = 3;
constexpr std::size_t kDim = 8;
constexpr std::size_t kPages = 6;
constexpr std::size_t kPageSize = 4;
constexpr std::size_t kSlots = 3;
constexpr std::size_t kPlaces = 5;

// A small problem with random queries and keys; row 0 has 10 tokens in pages 5, 0 and 3, row 1 three in
// page 2.
struct Problem {
  eval::Layout layout;
  std::unique_ptr<eval::HostEvaluator> evaluator;
  std::vector<std::byte> inputs;
  std::vector<eval::PoisonElement> poison = {eval::make_poison(tensor::DType::kInt32, 0x87654321U)};

  explicit Problem(const eval::Tolerance& tolerance = {}) {
    const auto definition = model::parse_definition(R"({"name": "dsa_topk_indexer_small", "op_type": "dsa",
      "axes": {"b": {"type": "var"}, "h": {"type": "const", "value": 3}, "d": {"type": "const", "value": 8},
               "p": {"type": "const", "value": 6}, "s": {"type": "const", "value": 4},
               "one": {"type": "const", "value": 1}, "ds": {"type": "const", "value": 12},
               "m": {"type": "const", "value": 3}, "k": {"type": "const", "value": 5}},
      "inputs": {"q_index_fp8": {"shape": ["b", "h", "d"], "dtype": "float8_e4m3fn"},
                 "k_index_cache_fp8": {"shape": ["p", "s", "one", "ds"], "dtype": "int8"},
                 "weights": {"shape": ["b", "h"], "dtype": "float32"},
                 "seq_lens": {"shape": ["b"], "dtype": "int32"},
                 "block_table": {"shape": ["b", "m"], "dtype": "int32"}},
      "outputs": {"topk_indices": {"shape": ["b", "k"], "dtype": "int32"}}, "reference": "def run(): pass"})");
    const auto workload = model::parse_workload(R"({"axes": {"b": 2}, "inputs": {}, "uuid": "w"})");
    layout = eval::make_layout(definition, workload);
    evaluator = eval::make_dsa_indexer_evaluator(layout, tolerance, 2);
    inputs.resize(layout.input_bytes);
    std::mt19937 generator(3);
    std::normal_distribution<float> normal;
    const auto codes = [&](std::size_t offset, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i)
        inputs[offset + i] = std::byte{tensor::float_to_float8_e4m3fn(normal(generator))};
    };
    codes(layout.inputs[0].offset, kRows * kHeads * kDim);
    for (std::size_t page = 0; page < kPages; ++page) {
      const std::size_t at = layout.inputs[1].offset + page * kPageSize * (kDim + 4);
      codes(at, kPageSize * kDim);
      for (std::size_t i = 0; i < kPageSize; ++i)
        store(at + kPageSize * kDim + 4 * i, 0.5F + 0.1F * static_cast<float>(i));
    }
    for (std::size_t i = 0; i < kRows * kHeads; ++i)
      store(layout.inputs[2].offset + 4 * i, 1 + normal(generator));
    set_rows({10, 3}, {5, 0, 3, 2, 1, 4});
  }
  template <typename T>
  void store(std::size_t offset, T value) {
    std::memcpy(inputs.data() + offset, &value, sizeof value);
  }
  void set_rows(const std::vector<std::int32_t>& lengths, const std::vector<std::int32_t>& pages) {
    std::memcpy(inputs.data() + layout.inputs[3].offset, lengths.data(), lengths.size() * 4);
    std::memcpy(inputs.data() + layout.inputs[4].offset, pages.data(), pages.size() * 4);
  }

  // By the formula, in double precision.
  [[nodiscard]] double score(std::size_t row, std::int32_t index) const {
    const auto* q = reinterpret_cast<const std::uint8_t*>(inputs.data() + layout.inputs[0].offset);
    const auto* page = reinterpret_cast<const std::uint8_t*>(inputs.data() + layout.inputs[1].offset) +
                       static_cast<std::size_t>(index) / kPageSize * kPageSize * (kDim + 4);
    const std::size_t offset = static_cast<std::size_t>(index) % kPageSize;
    float scale = 0;
    std::memcpy(&scale, page + kPageSize * kDim + offset * 4, 4);
    double score = 0;
    for (std::size_t h = 0; h < kHeads; ++h) {
      double dot = 0;
      for (std::size_t d = 0; d < kDim; ++d) {
        dot += static_cast<double>(tensor::float8_e4m3fn_to_float(q[(row * kHeads + h) * kDim + d])) *
               tensor::float8_e4m3fn_to_float(page[offset * kDim + d]) * scale;
      }
      float weight = 0;
      std::memcpy(&weight, inputs.data() + layout.inputs[2].offset + (row * kHeads + h) * 4, 4);
      score += weight * std::max(0.0, dot);
    }
    return score;
  }

  // The row's tokens by falling score, as many as there are places, and -1.
  [[nodiscard]] std::vector<std::int32_t> best(std::size_t row, std::vector<std::int32_t> tokens) const {
    std::sort(tokens.begin(), tokens.end(), [&](auto a, auto b) { return score(row, a) > score(row, b); });
    tokens.resize(kPlaces, -1);
    return tokens;
  }
  [[nodiscard]] std::vector<std::int32_t> right() const {
    auto indices = best(0, {20, 21, 22, 23, 0, 1, 2, 3, 12, 13});
    const auto second = best(1, {8, 9, 10});
    indices.insert(indices.end(), second.begin(), second.end());
    return indices;
  }
  [[nodiscard]] eval::Judgement judge(const std::vector<std::int32_t>& got,
                                      const std::vector<std::int32_t>& expected) const {
    const auto bytes = [](const auto& indices) { return reinterpret_cast<const std::byte*>(indices.data()); };
    return evaluator->judge({inputs.data(), bytes(got), bytes(expected), poison});
  }
};

}  // namespace

TEST_CASE("the best tokens in any order are right") {
  const Problem problem;
  auto got = problem.right();
  const auto expected = got;
  CHECK(problem.judge(got, expected).correct);
  std::reverse(got.begin(), got.begin() + kPlaces);
  std::swap(got[kPlaces], got[2 * kPlaces - 1]);  // a -1 first
  const auto judgement = problem.judge(got, expected);
  CHECK(judgement.correct);
  CHECK(judgement.max_absolute_error == 0);
  CHECK(judgement.matched_ratio == 1);
}

TEST_CASE("a worse token is wrong, and its score is named") {
  const Problem problem;
  auto got = problem.right();
  const auto all = problem.best(0, {20, 21, 22, 23, 0, 1, 2, 3, 12, 13});
  std::int32_t worst = 20;
  for (const std::int32_t token : {20, 21, 22, 23, 0, 1, 2, 3, 12, 13}) {
    if (problem.score(0, token) < problem.score(0, worst)) worst = token;
  }
  got[0] = worst;  // instead of the best one, so that all move up
  const auto judgement = problem.judge(got, problem.right());
  CHECK_FALSE(judgement.correct);
  CHECK(judgement.matched_ratio < 1);
  CHECK(judgement.max_absolute_error > 0.01);
  CHECK_THAT(judgement.explanation, Catch::Contains("scores differ in batch [0]: number "));
  CHECK(Problem({.required_matched_ratio = 0.4}).judge(got, problem.right()).correct);
}

TEST_CASE("scores are the formula's") {
  const Problem problem;
  auto got = problem.right();
  auto expected = got;
  std::swap(got[4], expected[3]);
  got[3] = problem.right()[3];
  // Both lists differ in one place now; the errors say by how much.
  expected = problem.right();
  got = expected;
  const auto rest = problem.best(0, {20, 21, 22, 23, 0, 1, 2, 3, 12, 13});
  for (const std::int32_t token : {20, 21, 22, 23, 0, 1, 2, 3, 12, 13}) {
    if (std::find(rest.begin(), rest.end(), token) != rest.end()) continue;
    got[4] = token;
    const auto judgement = problem.judge(got, expected);
    CHECK(judgement.max_absolute_error ==
          Approx(problem.score(0, expected[4]) - problem.score(0, token)).margin(1e-5));
  }
}

TEST_CASE("tokens of other rows, beyond the length, and numbers that are no index are out of range") {
  const Problem problem;
  // Page 2 is row 1's; 14 is row 0's page 3, but beyond its length; 11 the same of row 1.
  for (const auto& [place, index] : std::vector<std::pair<std::size_t, std::int32_t>>{
           {0, 8}, {4, 14}, {7, 11}, {0, -2}, {0, 1000}, {1, 2147483647}}) {
    auto got = problem.right();
    got[place] = index;
    const auto judgement = problem.judge(got, problem.right());
    CHECK_FALSE(judgement.correct);
    CHECK(std::isinf(judgement.max_absolute_error));
    CHECK_THAT(judgement.explanation,
               Catch::Contains(fmt::format("out-of-range indices in batch [{}]: {} at place {}",
                                           place / kPlaces, index, place % kPlaces)));
  }
}

TEST_CASE("an index may not stand twice, unless its page does") {
  Problem problem;
  auto got = problem.right();
  got[1] = got[0];
  CHECK_THAT(problem.judge(got, problem.right()).explanation,
             Catch::Contains("duplicate indices in batch [0]"));
  problem.set_rows({10, 8}, {5, 0, 3, 2, 2, 4});
  auto twice = problem.right();
  const auto second = problem.best(1, {8, 9, 10, 11, 8, 9, 10, 11});
  std::copy(second.begin(), second.end(), twice.begin() + kPlaces);
  CHECK(problem.judge(twice, twice).correct);
  problem.set_rows({10, 6}, {5, 0, 3, 2, 2, 4});  // the second time the page has two tokens
  twice = problem.right();
  const auto partial = problem.best(1, {8, 9, 10, 11, 8, 9});
  std::copy(partial.begin(), partial.end(), twice.begin() + kPlaces);
  CHECK(problem.judge(twice, twice).correct);
  std::fill_n(twice.begin() + kPlaces, 2, 10);
  CHECK_THAT(problem.judge(twice, problem.right()).explanation,
             Catch::Contains("duplicate indices in batch [1]: 10"));
}

TEST_CASE("fewer tokens than there are, and more than there are places for, are wrong") {
  const Problem problem;
  auto got = problem.right();
  got[4] = -1;
  const auto judgement = problem.judge(got, problem.right());
  CHECK_FALSE(judgement.correct);
  CHECK(std::isinf(judgement.max_absolute_error));
  CHECK_FALSE(problem.judge(problem.right(), got).correct);
}

TEST_CASE("indices that were never written are named so") {
  const Problem problem;
  auto got = problem.right();
  eval::fill_pattern(got.data() + 2, 8, problem.poison[0].data(), 4);
  CHECK_THAT(problem.judge(got, problem.right()).explanation,
             Catch::Contains("2 of 10 elements were never written"));
  got = problem.right();
  eval::fill_pattern(got.data() + 3, 4, problem.poison[0].data(), 4);
  CHECK_THAT(problem.judge(got, problem.right()).explanation,
             Catch::Contains("out-of-range indices in batch [0]") &&
                 Catch::Contains("at place 3, as if it was never written"));
}

TEST_CASE("a definition with other inputs does not fit the rule") {
  Problem problem;
  problem.layout.inputs[2].dtype = tensor::DType::kFloat16;
  CHECK_THROWS_WITH(eval::make_dsa_indexer_evaluator(problem.layout, {}, 1),
                    Catch::Contains("\"weights\" must have the shape (2, 3) and dtype float32"));
  problem.layout.inputs[2].name = "other";
  CHECK_THROWS_WITH(eval::make_dsa_indexer_evaluator(problem.layout, {}, 1),
                    Catch::Contains("no input \"weights\""));
}
