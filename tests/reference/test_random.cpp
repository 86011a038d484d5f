#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "reference/support.h"

namespace {

using namespace fib::test;  // NOLINT: all of it is used
using Values = std::vector<double>;

Values seeded(const std::string& body, const std::vector<fib::reference::Argument>& arguments = {},
              std::uint64_t seed = 7) {
  return run_body(body, arguments, {.seed = seed}).at(0).values();
}

TEST_CASE("multinomial draws by probability, and never what has none") {
  HostTensor weights = make(DType::kFloat32, {2, 4}, {1, 0, 3, 4, 0, 5, 0, 0});
  const HostTensor drawn =
      run_body("return torch.multinomial(a, 80000, replacement=True)", {weights.argument()}, {.seed = 7})
          .at(0);
  CHECK(drawn.dtype == DType::kInt64);
  CHECK(drawn.shape == Shape{2, 80000});
  const Values values = drawn.values();
  std::array<double, 4> counts{};
  for (std::size_t i = 0; i < 80000; ++i) ++counts.at(static_cast<std::size_t>(values[i]));
  CHECK(counts[1] == 0);
  // Six standard deviations of a binomial count.
  CHECK(std::abs(counts[0] - 10000) < 6 * std::sqrt(80000 * 0.125 * 0.875));
  CHECK(std::abs(counts[2] - 30000) < 6 * std::sqrt(80000 * 0.375 * 0.625));
  for (std::size_t i = 80000; i < values.size(); ++i) REQUIRE(values[i] == 1);
}

TEST_CASE(
    "multinomial takes weights that do not add up to 1, in any float dtype, and one row without a batch") {
  HostTensor weights = make(DType::kBFloat16, {3}, {0, 200, 0});
  const HostTensor drawn = run_body("return a.multinomial(1).squeeze(0)", {weights.argument()}).at(0);
  CHECK(drawn.shape.empty());
  CHECK(drawn.values() == Values{1});
}

TEST_CASE("multinomial without replacement draws different elements, the likely ones first") {
  HostTensor weights = make(DType::kFloat32, {4}, {1, 1e6, 0, 1});
  std::set<std::vector<double>> seen;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    seen.insert(seeded("return torch.multinomial(a, 3)", {weights.argument()}, seed));
  CHECK(seen == std::set<std::vector<double>>{{1, 0, 3}, {1, 3, 0}});
  const std::string source = "import torch\ndef run(x):\n    return torch.multinomial(x, 4)\n";
  CHECK(error_of(source, {weights.argument()}) ==
        "line 3: multinomial cannot draw 4 different elements of 3");
}

TEST_CASE("multinomial refuses what is no distribution") {
  const std::string source = "import torch\ndef run(x):\n    return torch.multinomial(x, 1)\n";
  for (const double bad : {-1.0, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
    HostTensor weights = make(DType::kFloat32, {2}, {1, bad});
    CHECK(error_of(source, {weights.argument()}) ==
          "line 3: multinomial needs probabilities that are finite and not negative");
  }
  HostTensor nothing = make(DType::kFloat32, {2}, {0, 0});
  CHECK(error_of(source, {nothing.argument()}) ==
        "line 3: multinomial needs a probability above 0 in every row");
}

TEST_CASE("A seed repeats the draws of an engine; runs of one engine differ") {
  CHECK(seeded("return torch.rand(8)") == seeded("return torch.rand(8)"));
  CHECK(seeded("return torch.rand(8)") != seeded("return torch.rand(8)", {}, 8));
  CHECK(seeded("torch.manual_seed(3)\nreturn torch.rand(8)", {}, 1) ==
        seeded("torch.manual_seed(3)\nreturn torch.rand(8)", {}, 2));
  CHECK(values_of("torch.rand(8)") != values_of("torch.rand(8)"));  // seeds of the system
  fib::reference::Engine engine("import torch\ndef run():\n    return torch.rand(8)\n", {.seed = 7});
  CHECK(to_host(engine.run({}).at(0)).values() != to_host(engine.run({}).at(0)).values());
}

TEST_CASE("Uniform and normal numbers") {
  for (const char* dtype : {"float32", "bfloat16", "float16", "float64"}) {
    const HostTensor drawn =
        run_body("return torch.rand(40, 500, dtype=torch." + std::string(dtype) + ")", {}, {.seed = 1}).at(0);
    CHECK(drawn.shape == Shape{40, 500});
    double sum = 0;
    for (const double value : drawn.values()) {
      REQUIRE(value >= 0);
      REQUIRE(value < 1);
      sum += value;
    }
    CHECK(sum / 20000 == Approx(0.5).margin(0.02));
  }
  double sum = 0;
  double squares = 0;
  for (const double value : seeded("return torch.randn_like(torch.zeros(20000))")) {
    sum += value;
    squares += value * value;
  }
  CHECK(sum / 20000 == Approx(0).margin(0.05));
  CHECK(squares / 20000 == Approx(1).margin(0.06));
}

TEST_CASE("Random integers, permutations and coins") {
  const Values integers = seeded("return torch.randint(-2, 3, (5000,))");
  CHECK(std::set<double>(integers.begin(), integers.end()) == std::set<double>{-2, -1, 0, 1, 2});
  const Values below = seeded("return torch.randint(3, size=(500,), dtype=torch.int32)");
  CHECK(std::set<double>(below.begin(), below.end()) == std::set<double>{0, 1, 2});
  const Values order = seeded("return torch.randperm(50)");
  CHECK(std::set<double>(order.begin(), order.end()).size() == 50);
  CHECK(order != seeded("return torch.arange(50)"));
  CHECK(seeded("return torch.bernoulli(torch.tensor([0.0, 1.0, 0.0]))") == Values{0, 1, 0});
}

}  // namespace
