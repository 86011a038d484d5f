#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "support/temporary.h"
#include "synthesis/input_sets.h"
#include "tensor/fill.h"
#include "tensor/safetensors.h"
#include "util/error.h"

using namespace fib;

namespace {

model::Definition definition(const std::string& op_type = "o") {
  return model::parse_definition(R"({"name": "d", "op_type": ")" + op_type +
                                 R"(", "axes": {"m": {"type": "var"}},
    "inputs": {"probs": {"shape": ["m"], "dtype": "float32"}, "index": {"shape": ["m"], "dtype": "int32"},
               "scale": {"shape": null, "dtype": "float32"}, "count": {"shape": null, "dtype": "int32"}},
    "outputs": {}, "reference": "def run(probs, index, scale, count): pass"})");
}

model::Workload workload(const std::string& inputs) {
  return model::parse_workload(R"({"axes": {"m": 4}, "inputs": )" + inputs + R"(, "uuid": "w"})");
}

struct Made {
  eval::Layout layout;
  std::vector<std::byte> buffer;
  bool fixed = false;

  template <typename T>
  std::vector<T> values(std::size_t input, std::size_t count) const {
    std::vector<T> result(count);
    std::memcpy(result.data(), buffer.data() + layout.inputs[input].offset, count * sizeof(T));
    return result;
  }
};

Made make(const model::Definition& d, const model::Workload& w, const std::string& seed,
          const std::map<std::string, std::filesystem::path>& blobs = {}) {
  Made made;
  made.layout = eval::make_layout(d, w);
  made.buffer.resize(made.layout.input_bytes);
  const synthesis::InputSets sets(d, w, made.layout, blobs);
  sets.fill(seed, made.buffer.data(), 2);
  made.fixed = sets.fixed();
  return made;
}

}  // namespace

TEST_CASE("inputs that the workload does not name are random, and every input has values of its own") {
  const auto one = make(definition(), workload("{}"), "seed");
  const auto same = make(definition(), workload("{}"), "seed");
  const auto other = make(definition(), workload("{}"), "other");
  CHECK(one.buffer == same.buffer);
  CHECK(one.buffer != other.buffer);
  CHECK_FALSE(one.fixed);
  for (const auto value : one.values<std::int32_t>(1, 4)) CHECK((value >= -1024 && value <= 1023));
}

TEST_CASE("random floats are N(0,1), and times 1/2 or 1/4 where smaller ones are asked for") {
  const auto d = model::parse_definition(R"({"name": "d", "op_type": "o", "axes": {"m": {"type": "var"}},
    "inputs": {"a": {"shape": ["m"], "dtype": "float32"}, "b": {"shape": ["m"], "dtype": "bfloat16"},
               "keys": {"shape": ["m"], "dtype": "float32"}, "c": {"shape": ["m"], "dtype": "float8_e4m3fn"},
               "i": {"shape": ["m"], "dtype": "int32"}, "s": {"shape": null, "dtype": "float32"}},
    "outputs": {}, "reference": "def run(a, b, keys, c, i, s): pass"})");
  const auto w = workload("{}");
  const auto layout = eval::make_layout(d, w);
  const synthesis::InputSets sets(d, w, layout, {}, {{}, {{"keys", -5}}});
  std::map<int, int> of_a;
  int differ = 0;
  for (int set = 0; set < 400; ++set) {
    const auto contents = sets.contents(std::to_string(set), synthesis::Scale::smaller);
    ++of_a[contents[0].exponent];
    differ += contents[0].exponent != contents[1].exponent ? 1 : 0;
    CHECK(contents[2].exponent == -5);  // what synthesis says
    for (const std::size_t other : {3, 4, 5}) CHECK(contents[other].exponent == 0);
    std::vector<std::byte> buffer(layout.input_bytes);
    sets.fill(std::to_string(set), buffer.data(), 1, synthesis::Scale::smaller);
    float made[4];
    float normal[4];
    std::memcpy(made, buffer.data() + layout.inputs[0].offset, sizeof made);
    tensor::fill_random(tensor::DType::kFloat32, contents[0].key, normal, 4, 1);
    for (int i = 0; i < 4; ++i) CHECK(made[i] == std::ldexp(normal[i], contents[0].exponent));
  }
  CHECK(of_a.size() == 2);
  CHECK(of_a[-1] > 160);
  CHECK(of_a[-2] > 160);
  for (const auto& usual : sets.contents("0")) CHECK((usual.exponent == 0 || usual.exponent == -5));
  CHECK(differ > 150);  // each input by itself
  const auto more =
      model::parse_definition(R"({"name": "d", "op_type": "sampling", "axes": {"m": {"type": "var"}},
    "inputs": {"top_p": {"shape": ["m"], "dtype": "float32"}}, "outputs": {}, "reference": "def run(top_p): pass"})");
  const synthesis::InputSets unscaled(more, w, eval::make_layout(more, w), {});
  for (int set = 0; set < 40; ++set)
    CHECK(unscaled.contents(std::to_string(set), synthesis::Scale::smaller)[0].exponent == 0);
}

TEST_CASE("sampling's probs are probabilities, other op types' are not") {
  float sum = 0;
  for (const auto p : make(definition("sampling"), workload("{}"), "seed").values<float>(0, 4)) {
    CHECK(p > 0);
    sum += p;
  }
  CHECK(sum == Approx(1));
  bool negative = false;
  for (const std::string seed : {"a", "b", "c", "d"}) {
    for (const auto p : make(definition(), workload("{}"), seed).values<float>(0, 4)) negative |= p < 0;
  }
  CHECK(negative);
}

TEST_CASE("the random key cache of a DSA indexer holds float8 keys and scales, not bytes") {
  const auto make_cache = [](const std::string& name) {
    const auto d = model::parse_definition(R"({"name": ")" + name + R"(", "op_type": "dsa_paged",
      "axes": {"m": {"type": "var"}, "s": {"type": "const", "value": 2}, "one": {"type": "const", "value": 1},
               "v": {"type": "const", "value": 12}},
      "inputs": {"k_index_cache_fp8": {"shape": ["m", "s", "one", "v"], "dtype": "int8"}},
      "outputs": {}, "reference": "def run(k_index_cache_fp8): pass"})");
    return make(d, workload("{}"), "seed");
  };
  const auto pages = make_cache("dsa_topk_indexer_small");
  CHECK_FALSE(pages.fixed);
  for (std::size_t page = 0; page < 4; ++page) {
    for (std::size_t token = 0; token < 2; ++token) {
      float scale = 0;
      std::memcpy(&scale, pages.buffer.data() + page * 24 + 16 + token * 4, 4);
      CHECK(scale > 0.2F / 448);
      CHECK(scale < 6.0F / 448);
    }
  }
  CHECK(make_cache("other").buffer != pages.buffer);
}

TEST_CASE("scalars keep their literal values") {
  const auto made = make(definition(), workload(R"({"scale": {"type": "scalar", "value": 0.0883883461356163},
                                                     "count": {"type": "scalar", "value": 7}})"),
                         "seed");
  CHECK(made.values<double>(2, 1)[0] == 0.0883883461356163);
  CHECK(made.values<std::int64_t>(3, 1)[0] == 7);
}

TEST_CASE("a workload without random inputs has one set") {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() / "a.safetensors";
  const std::vector<float> probs = {1, 2, 3, 4};
  const std::vector<std::int32_t> index = {3, 2, 1, 0};
  tensor::write_safetensors(file, {{"p", tensor::DType::kFloat32, {4}, probs.data()},
                                   {"i", tensor::DType::kInt32, {4}, index.data()}});
  const std::map<std::string, std::filesystem::path> blobs = {{"probs", file}, {"index", file}};
  const std::string scalars =
      R"("scale": {"type": "scalar", "value": 1.5}, "count": {"type": "scalar", "value": 7}})";
  const std::string index_input = R"("index": {"type": "safetensors", "path": "x", "tensor_key": "i"}, )";
  const auto good = workload(R"({"probs": {"type": "safetensors", "path": "x", "tensor_key": "p"}, )" +
                             index_input + scalars);
  const auto made = make(definition(), good, "seed", blobs);
  CHECK(made.fixed);
  CHECK(made.values<std::int32_t>(1, 4) == index);
  CHECK(made.buffer == make(definition(), good, "other", blobs).buffer);

  SECTION("a missing key, a wrong dtype and a missing file are errors that name the input") {
    const auto bad_key = workload(R"({"probs": {"type": "safetensors", "path": "x", "tensor_key": "q"}, )" +
                                  index_input + scalars);
    CHECK_THROWS_WITH(make(definition(), bad_key, "s", blobs),
                      Catch::Contains("probs") && Catch::Contains("\"q\""));
    const auto bad_dtype = workload(R"({"probs": {"type": "safetensors", "path": "x", "tensor_key": "i"}, )" +
                                    index_input + scalars);
    CHECK_THROWS_WITH(make(definition(), bad_dtype, "s", blobs),
                      Catch::Contains("expected float32, got int32"));
    CHECK_THROWS_WITH(make(definition(), good, "s"), Catch::Contains("was not found"));
  }
}

TEST_CASE("a wrong shape in a file is an error with both shapes") {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() / "a.safetensors";
  const std::vector<float> probs = {1, 2, 3};
  tensor::write_safetensors(file, {{"p", tensor::DType::kFloat32, {3}, probs.data()}});
  CHECK_THROWS_WITH(
      make(definition(), workload(R"({"probs": {"type": "safetensors", "path": "x", "tensor_key": "p"}})"),
           "s", {{"probs", file}}),
      Catch::Contains("expected shape (4), got (3)"));
}

TEST_CASE("an input that the definition does not have is an error") {
  CHECK_THROWS_WITH(make(definition(), workload(R"({"nope": {"type": "random"}})"), "s"),
                    Catch::Contains("nope"));
}

TEST_CASE("what was made takes the place of what the workload says") {
  const auto d = definition();
  const auto w = workload(R"({"index": {"type": "safetensors", "path": "p", "tensor_key": "i"}})");
  const auto layout = eval::make_layout(d, w);
  const std::vector<std::int32_t> index = {3, 1, 2, 0};
  std::vector<std::byte> bytes(sizeof(std::int32_t) * 4);
  std::memcpy(bytes.data(), index.data(), bytes.size());
  const auto filled = [&](synthesis::Replacements replacements) {
    Made made{layout, std::vector<std::byte>(layout.input_bytes), false};
    synthesis::InputSets(d, w, layout, {}, std::move(replacements)).fill("s", made.buffer.data(), 1);
    return made;
  };
  const auto plain = filled({{{"index", bytes}}, {}});
  CHECK(plain.values<std::int32_t>(1, 4) == index);
  const auto scaled = filled({{{"index", bytes}}, {{"probs", -3}}});
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(scaled.values<float>(0, 4)[i] == plain.values<float>(0, 4)[i] / 8);
  }
  CHECK_THROWS_WITH(filled({{{"index", {}}}, {}}),
                    Catch::Contains("input \"index\"") && Catch::Contains("size"));
}
