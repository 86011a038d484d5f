#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "eval/agreement_steps.h"
#include "eval/difference.h"
#include "tensor/convert.h"

namespace {

using namespace fib::eval;  // NOLINT: all of it is tested
using fib::tensor::DType;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<std::byte> bytes_of(DType dtype, const std::vector<double>& values) {
  std::vector<std::byte> bytes(fib::tensor::bytes_of(dtype, values.size()));
  fib::tensor::from_double(dtype, values.data(), bytes.data(), values.size());
  return bytes;
}

OutputDifference compare(DType dtype, Agreement rule, const std::vector<double>& got,
                         const std::vector<double>& expected, std::vector<std::int64_t> shape = {},
                         unsigned threads = 1) {
  if (shape.empty()) shape = {static_cast<std::int64_t>(got.size())};
  Slot slot;
  slot.name = "y";
  slot.dtype = dtype;
  slot.shape = std::move(shape);
  const auto x = bytes_of(dtype, got);
  const auto y = bytes_of(dtype, expected);
  slot.bytes = x.size();
  return difference(slot, rule, x.data(), y.data(), threads);
}

// `value` moved by so many steps of float32.
double moved(double value, int steps) {
  auto bits = std::bit_cast<std::int32_t>(static_cast<float>(value));
  return static_cast<double>(std::bit_cast<float>(bits + steps));
}

fib::model::Definition definition_with(const std::string& op_type, const std::string& reference,
                                       const std::string& dtype, const std::string& output = "y") {
  fib::model::Definition definition;
  definition.op_type = op_type;
  definition.reference = reference;
  definition.outputs.emplace_back();
  definition.outputs[0].name = output;
  definition.outputs[0].dtype = dtype;
  return definition;
}

}  // namespace

TEST_CASE("equal outputs have no difference, special values included") {
  const std::vector<double> values = {1, -0.5, 0, kInf, -kInf, kNaN, 1e-42};
  for (const auto rule : {Agreement::kClose, Agreement::kExact}) {
    const auto same = compare(DType::kFloat32, rule, values, values);
    CHECK(same.agrees());
    CHECK(same.count == 7);
    CHECK(same.ulps == 0);
    CHECK(same.absolute == 0);
    CHECK(same.relative == 0);
  }
}

TEST_CASE("exact outputs may be two steps of their dtype apart, and not three") {
  for (const int steps : {-2, 2}) {
    const auto near = compare(DType::kFloat32, Agreement::kExact, {1, moved(3, steps)}, {1, 3});
    CHECK(near.agrees());
    CHECK(near.ulps == 2);
    CHECK(near.absolute == Approx(2 * std::exp2(-22)));
    CHECK(near.relative == Approx(2 * std::exp2(-22) / 3));
  }
  const auto far = compare(DType::kFloat32, Agreement::kExact, {1, moved(3, 3)}, {1, 3});
  CHECK_FALSE(far.agrees());
  CHECK(far.differing == 1);
  CHECK(far.first == 1);
  CHECK(far.ulps == 3);
  CHECK(far.got_text == "3.0000007");
  CHECK(far.expected_text == "3");
}

TEST_CASE("steps are counted in each dtype, across zero, and +0 is -0") {
  CHECK(compare(DType::kBFloat16, Agreement::kExact, {1 + std::exp2(-7)}, {1}).ulps == 1);
  CHECK(compare(DType::kFloat16, Agreement::kExact, {1 + std::exp2(-7)}, {1}).ulps == 8);
  CHECK(compare(DType::kFloat8E4M3FN, Agreement::kExact, {1.125}, {1}).ulps == 1);
  CHECK(compare(DType::kFloat8E5M2, Agreement::kExact, {1.25}, {1}).ulps == 1);
  CHECK(compare(DType::kFloat4E2M1, Agreement::kExact, {0, 6, 2}, {0, 4, 2}).ulps == 1);
  CHECK(compare(DType::kFloat64, Agreement::kExact, {1 + std::exp2(-52)}, {1}).ulps == 1);
  CHECK(compare(DType::kFloat32, Agreement::kExact, {std::exp2(-149)}, {-std::exp2(-149)}).ulps == 2);
  CHECK(compare(DType::kFloat32, Agreement::kExact, {-0.0}, {0.0}).ulps == 0);
}

TEST_CASE("sums are measured at the root mean square of their row") {
  // The first element cancelled: far from it in steps, near beside the row's other sums.
  const std::vector<double> expected = {1e-7, 1, 1, 1};
  const auto close = compare(DType::kFloat32, Agreement::kClose, {2e-7, 1, 1, 1}, expected);
  CHECK(close.agrees());
  CHECK(close.ulps < 2);
  CHECK(close.relative == Approx(1e-7 / std::sqrt(3.0 / 4)).epsilon(1e-3));
  CHECK_FALSE(compare(DType::kFloat32, Agreement::kExact, {2e-7, 1, 1, 1}, expected).agrees());
  // The same numbers in rows of one have no others beside them.
  const auto alone = compare(DType::kFloat32, Agreement::kClose, {2e-7, 1, 1, 1}, expected, {4, 1});
  CHECK(alone.differing == 1);
  CHECK(alone.relative == Approx(1).epsilon(1e-3));
}

TEST_CASE("sums agree within a thousandth, however many steps that is") {
  CHECK(compare(DType::kFloat32, Agreement::kClose, {1.0009, 1}, {1, 1}).agrees());
  CHECK(compare(DType::kFloat32, Agreement::kClose, {1.0011, 1}, {1, 1}).differing == 1);
  // Two steps of bfloat16 are more than that, and agree too.
  const double step = std::exp2(-7);
  CHECK(compare(DType::kBFloat16, Agreement::kClose, {1 + 2 * step, 1}, {1, 1}).agrees());
  CHECK(compare(DType::kBFloat16, Agreement::kClose, {1 + 3 * step, 1}, {1, 1}).differing == 1);
}

TEST_CASE("NaN and infinities have to stand at the same places") {
  const auto found =
      compare(DType::kFloat32, Agreement::kClose, {1, kNaN, kInf, kInf, 5}, {1, 2, -kInf, kInf, kNaN});
  CHECK(found.differing == 3);
  CHECK(found.other_class == 3);
  CHECK(found.first == 1);
  CHECK(found.got_text == "nan");
  CHECK(found.expected_text == "2");
  CHECK(found.absolute == 0);  // no finite pair differs
}

TEST_CASE("integers and truth values have to be equal") {
  const auto found = compare(DType::kInt32, Agreement::kExact, {1, 9, 3}, {1, 2, 3});
  CHECK(found.differing == 1);
  CHECK(found.first == 1);
  CHECK(found.absolute == 7);
  CHECK(found.relative == 3.5);
  CHECK(found.ulps == 0);
  CHECK(found.got_text == "9");
  CHECK(compare(DType::kBool, Agreement::kExact, {1, 0}, {1, 1}).differing == 1);
  // Neighbours that are one number as doubles.
  const std::int64_t large[] = {(std::int64_t{1} << 60) + 1, std::int64_t{1} << 60};
  Slot slot;
  slot.dtype = DType::kInt64;
  slot.shape = {1};
  const auto* data = reinterpret_cast<const std::byte*>(large);
  CHECK(difference(slot, Agreement::kExact, data, data + 8, 1).differing == 1);
}

TEST_CASE("ranks agree as sets of each row") {
  const std::vector<double> expected = {1, 2, 3, 4, 5, -1};
  CHECK(compare(DType::kInt32, Agreement::kRanks, {3, 1, 2, 5, 4, -1}, expected, {2, 3}).agrees());
  const auto found = compare(DType::kInt32, Agreement::kRanks, {3, 1, 2, 5, 8, 7}, expected, {2, 3});
  CHECK(found.differing == 2);
  CHECK(found.first == 5);
  CHECK(found.got_text == "7");
  // One index twice is not two indices.
  CHECK(compare(DType::kInt32, Agreement::kRanks, {1, 1, 2, 5, 4, -1}, expected, {2, 3}).differing == 1);
}

TEST_CASE("draws are not compared") {
  const auto found = compare(DType::kInt64, Agreement::kDraws, {1, 2}, {3, 4});
  CHECK(found.agrees());
  CHECK(found.count == 2);
}

TEST_CASE("scalars, empty outputs and elements of half a byte") {
  Slot scalar;
  scalar.dtype = DType::kFloat32;
  const float one = 1;
  const float two = 2;
  const auto found = difference(scalar, Agreement::kClose, reinterpret_cast<const std::byte*>(&one),
                                reinterpret_cast<const std::byte*>(&two), 1);
  CHECK(found.count == 1);
  CHECK(found.differing == 1);
  CHECK(compare(DType::kFloat32, Agreement::kClose, {}, {}, {0, 4}).count == 0);
  // Rows of three: the second begins in the middle of a byte.
  const auto packed =
      compare(DType::kFloat4E2M1, Agreement::kExact, {1, 2, 3, 6, 1, 0.5}, {1, 2, 3, 1, 1, 0.5}, {2, 3});
  CHECK(packed.differing == 1);
  CHECK(packed.first == 3);
  CHECK(packed.got_text == "6");
  CHECK(packed.expected_text == "1");
}

TEST_CASE("the findings do not depend on the number of threads") {
  std::vector<double> got(200'000, 1);
  const std::vector<double> expected(200'000, 1);
  got[70'001] = 2;
  got[199'999] = kNaN;
  for (const unsigned threads : {1U, 3U}) {
    const auto found = compare(DType::kFloat32, Agreement::kClose, got, expected, {2000, 100}, threads);
    CHECK(found.differing == 2);
    CHECK(found.other_class == 1);
    CHECK(found.first == 70'001);
    CHECK(found.got_text == "2");
  }
}

TEST_CASE("two findings come to the worst of both") {
  const auto small = compare(DType::kFloat32, Agreement::kExact, {moved(1, 1)}, {1});
  const auto large = compare(DType::kFloat32, Agreement::kExact, {8}, {1});
  for (const auto& worst : {worst_of(small, large), worst_of(large, small)}) {
    CHECK(worst.differing == 1);
    CHECK(worst.ulps == large.ulps);
    CHECK(worst.got_text == "8");
  }
  CHECK(worst_of(small, compare(DType::kFloat32, Agreement::kExact, {1}, {1})).ulps == 1);
}

TEST_CASE("the rule of an output follows from its definition") {
  const std::string plain = "def run(x):\n    return x.norm()  # no torch.rand(3)\n";
  CHECK(agreement_of(definition_with("gemm", plain, "bfloat16"), "y") == Agreement::kClose);
  CHECK(agreement_of(definition_with("rmsnorm", plain, "bfloat16"), "y") == Agreement::kExact);
  CHECK(agreement_of(definition_with("rope", plain, "float8_e4m3fn"), "y") == Agreement::kExact);
  CHECK(agreement_of(definition_with("gemm", plain, "int32"), "y") == Agreement::kExact);
  CHECK(agreement_of(definition_with("dsa", plain, "int32", "topk_indices"), "topk_indices") ==
        Agreement::kRanks);
  const std::string draws = "def run(p):\n    return torch.multinomial(p, 1)\n";
  CHECK(agreement_of(definition_with("sampling", draws, "int64"), "y") == Agreement::kDraws);
  CHECK(agreement_of(definition_with("sampling", plain, "int64"), "y") == Agreement::kExact);
  CHECK_FALSE(draws_randomly("y = x.random_name(1)\n"));
  CHECK(draws_randomly("y = torch.randn(3)"));
}

TEST_CASE("elements are named by their indices") {
  CHECK(element_name("y", {2, 3}, 5) == "y[1, 2]");
  CHECK(element_name("y", {}, 0) == "y");
}

TEST_CASE("the step of a dtype at a size") {
  CHECK(step_at(DType::kFloat32, 1) == std::exp2(-23));
  CHECK(step_at(DType::kFloat32, 1.99) == std::exp2(-23));
  CHECK(step_at(DType::kFloat32, 0) == std::exp2(-149));
  CHECK(step_at(DType::kBFloat16, 0.5) == std::exp2(-8));
  CHECK(step_at(DType::kFloat8E4M3FN, 1e-5) == std::exp2(-9));
  CHECK(step_at(DType::kFloat64, 1) == std::exp2(-52));
}
