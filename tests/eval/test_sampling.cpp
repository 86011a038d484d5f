#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "eval/sampling.h"
#include "tensor/fill.h"

using namespace fib;

namespace {

constexpr std::int64_t kRows = 3;
constexpr std::int64_t kTokens = 50;

model::Definition definition(const std::string& name, const std::string& inputs,
                             const std::string& sample_dtype = "int64") {
  return model::parse_definition(
      R"({"name": ")" + name +
      R"(", "op_type": "sampling", "axes": {"b": {"type": "var"}, "v": {"type": "const",
      "value": 50}}, "inputs": {)" +
      inputs + R"(}, "outputs": {"samples": {"shape": ["b"], "dtype": ")" + sample_dtype +
      R"("}}, "reference": "def run(): pass"})");
}

const std::string kProbs = R"("probs": {"shape": ["b", "v"], "dtype": "float32"})";
const std::string kTopK = R"(, "top_k": {"shape": ["b"], "dtype": "int32"})";
const std::string kTopPScalar = R"(, "top_p": {"shape": null, "dtype": "float32"})";

// A definition's evaluator with buffers for one call: probabilities of its own, all else 0.
struct Bench {
  eval::Layout layout;
  std::unique_ptr<eval::HostEvaluator> evaluator;
  std::vector<std::byte> inputs;
  std::vector<std::byte> outputs;
  std::vector<eval::PoisonElement> poison;

  explicit Bench(const model::Definition& d) {
    const auto workload = model::parse_workload(R"({"axes": {"b": 3}, "inputs": {}, "uuid": "w"})");
    layout = eval::make_layout(d, workload);
    evaluator = eval::make_host_evaluator(eval::Rule::kSampling, d, layout, {}, "seed", 2);
    inputs.resize(layout.input_bytes);
    outputs.resize(layout.output_bytes);
    poison = {eval::make_poison(layout.outputs[0].dtype, 0x0123456789abcdefU)};
    tensor::fill_probabilities(tensor::DType::kFloat32, 5, inputs.data(), kRows, kTokens, 1);
  }
  template <typename T>
  void set_input(std::size_t input, std::size_t index, T value) {
    std::memcpy(inputs.data() + layout.inputs[input].offset + index * sizeof value, &value, sizeof value);
  }
  template <typename T>
  void answer(std::vector<T> samples) {
    std::memcpy(outputs.data(), samples.data(), samples.size() * sizeof(T));
  }
  [[nodiscard]] eval::Judgement judge() const {
    return evaluator->judge({inputs.data(), outputs.data(), nullptr, poison});
  }
  // Tokens of a row by falling probability.
  [[nodiscard]] std::vector<std::int64_t> ranked(std::size_t row) const {
    std::vector<float> probs(kTokens);
    std::memcpy(probs.data(), inputs.data() + row * kTokens * 4, kTokens * 4);
    std::vector<std::int64_t> order(kTokens);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
    std::sort(order.begin(), order.end(), [&](auto a, auto b) {
      return probs[static_cast<std::size_t>(a)] > probs[static_cast<std::size_t>(b)];
    });
    return order;
  }
};

}  // namespace

TEST_CASE("samples that can be drawn are right, others are named with row, token, probability and rank") {
  Bench bench(definition("top_k_sampling", kProbs + kTopK));
  for (std::size_t row = 0; row < 3; ++row) bench.set_input<std::int32_t>(1, row, 5);
  const auto kept = [&](std::size_t row, std::size_t rank) { return bench.ranked(row)[rank]; };
  bench.answer<std::int64_t>({kept(0, 0), kept(1, 4), kept(2, 2)});
  CHECK(bench.judge().correct);
  bench.answer<std::int64_t>({kept(0, 0), kept(1, 5), kept(2, 2)});
  const auto judgement = bench.judge();
  CHECK_FALSE(judgement.correct);
  CHECK(std::isinf(judgement.max_absolute_error));
  CHECK_THAT(judgement.explanation,
             Catch::Contains(fmt::format("output \"samples\": row 1 has the sample {}, which cannot be drawn",
                                         kept(1, 5))) &&
                 Catch::Contains("5 tokens are more probable, and 5 of 50 may be drawn, top_k 5"));
}

TEST_CASE("every row has its own filter, and one that cuts nothing allows all") {
  Bench bench(definition("top_k_sampling", kProbs + kTopK));
  bench.set_input<std::int32_t>(1, 0, 1);
  bench.set_input<std::int32_t>(1, 1, -3);
  bench.set_input<std::int32_t>(1, 2, 50);
  bench.answer<std::int64_t>({bench.ranked(0)[0], bench.ranked(1)[49], bench.ranked(2)[49]});
  CHECK(bench.judge().correct);
  bench.answer<std::int64_t>({bench.ranked(0)[1], 0, 0});
  CHECK_FALSE(bench.judge().correct);
}

TEST_CASE("what is no token is wrong") {
  Bench bench(definition("sampling", kProbs));
  for (const std::int64_t token : {std::int64_t{-1}, kTokens, std::int64_t{1} << 40}) {
    bench.answer<std::int64_t>({0, 1, token});
    CHECK_THAT(bench.judge().explanation, Catch::Contains("row 2") && Catch::Contains("V is 50"));
  }
}

TEST_CASE("samples that were not written are told from wrong ones") {
  Bench bench(definition("sampling", kProbs));
  bench.answer<std::int64_t>({1, 2, 3});
  std::memcpy(bench.outputs.data() + 8, bench.poison[0].data(), 8);
  CHECK_THAT(bench.judge().explanation, Catch::Contains("1 of 3 elements were never written"));
  SECTION("of 32 bits in pairs; a single one is a token only by chance") {
    Bench narrow(definition("sampling", kProbs, "int32"));
    narrow.answer<std::int32_t>({1, 2, 3});
    CHECK(narrow.judge().correct);
    std::memcpy(narrow.outputs.data() + 8, narrow.poison[0].data(), 4);
    CHECK_THAT(narrow.judge().explanation,
               Catch::Contains("which is no token: V is 50, as if it was never written"));
    eval::fill_pattern(narrow.outputs.data(), 12, narrow.poison[0].data(), 4);
    CHECK_THAT(narrow.judge().explanation, Catch::Contains("2 of 3 elements were never written"));
  }
}

TEST_CASE("parameters may be scalars") {
  Bench bench(definition("top_p_sampling", kProbs + kTopPScalar));
  bench.set_input<double>(1, 0, 0.0);
  bench.answer<std::int64_t>({bench.ranked(0)[0], bench.ranked(1)[0], bench.ranked(2)[0]});
  CHECK(bench.judge().correct);
  bench.answer<std::int64_t>({bench.ranked(0)[0], bench.ranked(1)[1], bench.ranked(2)[0]});
  CHECK_FALSE(bench.judge().correct);
  bench.set_input<double>(1, 0, 0.999);
  CHECK(bench.judge().correct);
}

TEST_CASE("the conclusion counts samples, and fails for the same tokens again and again") {
  Bench bench(definition("sampling", kProbs));
  CHECK(bench.evaluator->calls_wanted() == (eval::kWantedSamples + 2) / 3);
  CHECK(bench.evaluator->repeats_wanted() == (eval::kWantedRepetitions + 2) / 3);
  const auto none = bench.evaluator->conclude();
  CHECK(none.judgement.correct);
  CHECK(nlohmann::json::parse(none.extra).at("samples") == 0);
  for (int call = 0; call < 20; ++call) {
    bench.answer<std::int64_t>({bench.ranked(0)[0], bench.ranked(1)[0], bench.ranked(2)[0]});
    REQUIRE(bench.judge().correct);
  }
  const auto conclusion = bench.evaluator->conclude();
  CHECK_FALSE(conclusion.judgement.correct);
  CHECK_THAT(conclusion.judgement.explanation,
             Catch::Contains("60 samples depend on those of the call before"));
  const auto extra = nlohmann::json::parse(conclusion.extra);
  CHECK(extra.at("samples") == 60);
  CHECK(extra.at("p_value") < 1e-6);
  CHECK(extra.at("distance") > extra.at("distance_limit"));
  CHECK(conclusion.judgement.max_absolute_error == extra.at("distance").get<double>());
}

TEST_CASE("definitions that the rule does not fit are errors that say why") {
  const auto fails = [](const std::string& name, const std::string& inputs, const char* why) {
    CHECK_THROWS_WITH(Bench(definition(name, inputs)), Catch::Contains(why));
  };
  fails("top_k_sampling", kProbs, "no input \"top_k\"");
  fails("top_p_sampling", kProbs + kTopK, "no input \"top_p\"");
  fails("top_k_top_p_sampling", kProbs + kTopK, "no input \"top_p\"");
  fails("sampling", R"("logits": {"shape": ["b", "v"], "dtype": "float32"})", "no input \"probs\"");
  fails("sampling", R"("probs": {"shape": ["b", "v"], "dtype": "int32"})", "must be a tensor of floats");
  fails("sampling", R"("probs": {"shape": ["v"], "dtype": "float32"})", "one sample for each row");
}
