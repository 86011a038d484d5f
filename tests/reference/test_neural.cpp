#include <catch2/catch.hpp>
#include <cmath>

#include "reference/support.h"

namespace {

using namespace fib::test;  // NOLINT: all of it is used
using Values = std::vector<double>;

TEST_CASE("layer_norm and rms_norm") {
  HostTensor a = make(DType::kFloat32, {2, 2}, {1, 3, -2, 2});
  HostTensor w = make(DType::kFloat32, {2}, {10, 100});
  const std::vector<fib::reference::Argument> args = {a.argument(), w.argument()};
  const auto layer = values_of("F.layer_norm(a, (2,), eps=0)", args);
  CHECK(layer[0] == Approx(-1));
  CHECK(layer[3] == Approx(1));
  const auto affine = values_of("F.layer_norm(a, (2,), b, b, 0)", args);
  CHECK(affine[0] == Approx(0).margin(1e-4));
  CHECK(affine[1] == Approx(200));
  const auto rms = values_of("F.rms_norm(a, (2,), b, 0.0)", args);
  CHECK(rms[0] == Approx(10 / std::sqrt(5.0)));
  CHECK(rms[3] == Approx(100.0));
  CHECK(eval("F.rms_norm(a.bfloat16(), (2,))", args).dtype == DType::kBFloat16);
}

TEST_CASE("Attention equals its formula") {
  HostTensor q = make_varied(DType::kFloat32, {2, 3, 4}, 1);
  HostTensor k = make_varied(DType::kFloat32, {2, 5, 4}, 2);
  HostTensor v = make_varied(DType::kFloat32, {2, 5, 4}, 3);
  const std::vector<fib::reference::Argument> args = {q.argument(), k.argument(), v.argument()};
  const auto whole = values_of("F.scaled_dot_product_attention(a, b, c)", args);
  const auto formula = values_of("torch.softmax(a @ b.transpose(1, 2) / 2, -1) @ c", args);
  for (std::size_t i = 0; i < whole.size(); ++i) CHECK(whole[i] == Approx(formula[i]));
  const auto causal =
      values_of("F.scaled_dot_product_attention(a, b, c, is_causal=True)[:, 0] - c[:, 0]", args);
  for (const double difference : causal) CHECK(difference == Approx(0).margin(1e-6));
}

TEST_CASE("Attention needs matrices") {
  CHECK(error_of("import torch\nimport torch.nn.functional as F\ndef run():\n    x = torch.tensor(1.0)\n"
                 "    return F.scaled_dot_product_attention(x, x, x)\n") ==
        "line 5: torch.nn.functional.scaled_dot_product_attention needs tensors of at least 2 dimensions");
}

TEST_CASE("pad, normalize and dropout out of training") {
  HostTensor a = make(DType::kFloat32, {1, 2}, {3, 4});
  const std::vector<fib::reference::Argument> args = {a.argument()};
  CHECK(values_of("F.pad(a, (1, 2), value=9)", args) == Values{9, 3, 4, 9, 9});
  CHECK(values_of("F.pad(a, (-1, 0, 1, 0))", args) == Values{0, 4});
  CHECK(values_of("F.normalize(a, dim=-1)", args)[1] == Approx(0.8));
  CHECK(values_of("F.dropout(a, 0.5, training=False)", args) == Values{3, 4});
}

}  // namespace
