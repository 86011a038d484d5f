#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "reference/support.h"
#include "support/places.h"
#include "util/files.h"

// References of the real dataset against loops written here.
namespace {

using namespace fib::test;  // NOLINT: all of it is used
using fib::reference::Argument;
using fib::reference::Engine;
namespace fs = std::filesystem;

std::optional<std::string> reference_of(const std::string& name) {
  const fs::path folder = fib::testing::source_folder() / "../shared/data/flashinfer_trace/definitions";
  const fs::path path = folder / (name + ".json");
  if (!fs::exists(path)) {
    WARN("skipped: " << path.string() << " is absent");
    return std::nullopt;
  }
  return nlohmann::json::parse(fib::util::read_file(path)).at("reference").get<std::string>();
}

std::vector<HostTensor> run_reference(const std::string& source, const std::vector<Argument>& arguments) {
  Engine engine(source);
  std::vector<HostTensor> outputs;
  for (const auto& output : engine.run(arguments)) outputs.push_back(to_host(output));
  return outputs;
}

void check_close(const std::vector<double>& got, const std::vector<double>& expected, double tolerance) {
  REQUIRE(got.size() == expected.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const bool same =
        got[i] == expected[i] || std::abs(got[i] - expected[i]) <= tolerance * (1 + std::abs(expected[i]));
    if (!same) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("The reference gemm_n128_k2048") {
  const auto source = reference_of("gemm/gemm_n128_k2048");
  if (!source) return;
  HostTensor a = make_varied(DType::kFloat16, {3, 2048}, 1);
  HostTensor b = make_varied(DType::kFloat16, {128, 2048}, 2);
  const auto outputs = run_reference(*source, {a.argument(), b.argument()});
  REQUIRE(outputs.size() == 1);
  CHECK(outputs[0].dtype == DType::kFloat16);
  std::vector<double> expected(3 * 128, 0);
  const auto x = a.values();
  const auto y = b.values();
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 128; ++j) {
      for (std::size_t k = 0; k < 2048; ++k) expected[i * 128 + j] += x[i * 2048 + k] * y[j * 2048 + k];
    }
  }
  check_close(outputs[0].values(), expected, 1e-3);
}

TEST_CASE("The references of rmsnorm and of fused_add_rmsnorm") {
  const auto plain = reference_of("rmsnorm/rmsnorm_h128");
  const auto fused = reference_of("rmsnorm/fused_add_rmsnorm_h2048");
  if (!plain || !fused) return;
  for (const bool add : {false, true}) {
    const std::int64_t size = add ? 2048 : 128;
    HostTensor x = make_varied(DType::kBFloat16, {5, size}, 1);
    HostTensor r = make_varied(DType::kBFloat16, {5, size}, 2);
    HostTensor w = make_varied(DType::kBFloat16, {size}, 3);
    const auto outputs = add ? run_reference(*fused, {x.argument(), r.argument(), w.argument()})
                             : run_reference(*plain, {x.argument(), w.argument()});
    REQUIRE(outputs.size() == 1);
    CHECK(outputs[0].dtype == DType::kBFloat16);
    const auto n = static_cast<std::size_t>(size);
    std::vector<double> expected;
    for (std::size_t row = 0; row < 5; ++row) {
      std::vector<double> sum;
      double squares = 0;
      for (std::size_t i = row * n; i < (row + 1) * n; ++i) {
        sum.push_back(x.values()[i] + (add ? r.values()[i] : 0));
        squares += sum.back() * sum.back();
      }
      const double scale = 1 / std::sqrt(squares / static_cast<double>(n) + 1e-6);
      for (std::size_t i = 0; i < n; ++i) expected.push_back(sum[i] * scale * w.values()[i]);
    }
    check_close(outputs[0].values(), expected, 4e-3);
  }
}

TEST_CASE("The reference of rope, with heads partly rotated") {
  const auto source = reference_of("rope/rope_with_cos_sin_cache_neox_style_d128_rd64");
  if (!source) return;
  HostTensor q = make_varied(DType::kBFloat16, {3, 2, 128}, 1);
  HostTensor k = make_varied(DType::kBFloat16, {3, 1, 128}, 2);
  HostTensor cache = make_varied(DType::kFloat32, {8, 64}, 3);
  HostTensor positions = make(DType::kInt64, {3}, {7, 0, 3});
  const auto outputs =
      run_reference(*source, {q.argument(), k.argument(), cache.argument(), positions.argument()});
  REQUIRE(outputs.size() == 2);
  const auto rotated = [&](const HostTensor& input, std::size_t heads) {
    std::vector<double> expected = input.values();
    for (std::size_t row = 0; row < 3 * heads; ++row) {
      const auto position = static_cast<std::size_t>(positions.values()[row / heads]);
      for (std::size_t i = 0; i < 32; ++i) {
        const double cos = cache.values()[position * 64 + i];
        const double sin = cache.values()[position * 64 + 32 + i];
        const double x1 = input.values()[row * 128 + i];
        const double x2 = input.values()[row * 128 + 32 + i];
        expected[row * 128 + i] = x1 * cos - x2 * sin;
        expected[row * 128 + 32 + i] = x2 * cos + x1 * sin;
      }
    }
    return expected;
  };
  check_close(outputs[0].values(), rotated(q, 2), 4e-3);
  check_close(outputs[1].values(), rotated(k, 1), 4e-3);
}

TEST_CASE("The reference of paged decoding, with an empty sequence") {
  const auto source = reference_of("gqa_paged/gqa_paged_decode_h32_kv4_d128_ps1");
  if (!source) return;
  constexpr std::size_t kHeads = 32;
  constexpr std::size_t kGroup = 8;
  constexpr std::size_t kDim = 128;
  HostTensor q = make_varied(DType::kBFloat16, {3, 32, 128}, 1);
  HostTensor k = make_varied(DType::kBFloat16, {10, 1, 4, 128}, 2);
  HostTensor v = make_varied(DType::kBFloat16, {10, 1, 4, 128}, 3);
  HostTensor indptr = make(DType::kInt32, {4}, {0, 4, 4, 6});
  HostTensor indices = make(DType::kInt32, {6}, {9, 0, 3, 3, 5, 1});
  const double scale = 0.0883883461356163;
  const auto outputs = run_reference(
      *source, {q.argument(), k.argument(), v.argument(), indptr.argument(), indices.argument(), scale});
  REQUIRE(outputs.size() == 2);
  CHECK(outputs[0].dtype == DType::kBFloat16);
  CHECK(outputs[1].dtype == DType::kFloat32);
  const auto qv = q.values();
  const auto kv = k.values();
  const auto vv = v.values();
  std::vector<double> expected(3 * kHeads * kDim, 0);
  std::vector<double> lse(3 * kHeads, -INFINITY);
  for (std::size_t b = 0; b < 3; ++b) {
    const auto begin = static_cast<std::size_t>(indptr.values()[b]);
    const auto end = static_cast<std::size_t>(indptr.values()[b + 1]);
    for (std::size_t h = 0; h < kHeads && begin < end; ++h) {
      std::vector<double> weights;
      double sum = 0;
      for (std::size_t t = begin; t < end; ++t) {
        const auto base = (static_cast<std::size_t>(indices.values()[t]) * 4 + h / kGroup) * kDim;
        double dot = 0;
        for (std::size_t d = 0; d < kDim; ++d) dot += qv[(b * kHeads + h) * kDim + d] * kv[base + d];
        weights.push_back(std::exp(dot * scale));
        sum += weights.back();
      }
      lse[b * kHeads + h] = std::log2(sum);
      for (std::size_t t = begin; t < end; ++t) {
        const auto base = (static_cast<std::size_t>(indices.values()[t]) * 4 + h / kGroup) * kDim;
        for (std::size_t d = 0; d < kDim; ++d)
          expected[(b * kHeads + h) * kDim + d] += weights[t - begin] / sum * vv[base + d];
      }
    }
  }
  check_close(outputs[0].values(), expected, 4e-3);
  check_close(outputs[1].values(), lse, 1e-4);
}

TEST_CASE("A reference whose assert does not hold says so") {
  const auto source = reference_of("rmsnorm/rmsnorm_h128");
  if (!source) return;
  HostTensor x = make_varied(DType::kBFloat16, {1, 64}, 1);
  HostTensor w = make_varied(DType::kBFloat16, {64}, 3);
  CHECK(error_of(*source, {x.argument(), w.argument()}) == "line 7: assertion failed");
}

}  // namespace
