#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "reference/support.h"

namespace {

using namespace fib::test;  // NOLINT: all of it is used
using Values = std::vector<double>;
constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST_CASE("Sums over dimensions given in every way") {
  HostTensor a = make(DType::kFloat32, {2, 3}, {1, 2, 3, 4, 5, 6});
  const std::vector<fib::reference::Argument> args = {a.argument()};
  CHECK(values_of("a.sum()", args) == Values{21});
  CHECK(eval("a.sum()", args).shape.empty());
  CHECK(values_of("a.sum(0)", args) == Values{5, 7, 9});
  CHECK(values_of("a.sum(-1)", args) == Values{6, 15});
  CHECK(values_of("torch.sum(a, dim=1)", args) == Values{6, 15});
  CHECK(eval("a.sum(dim=1, keepdim=True)", args).shape == Shape{2, 1});
  CHECK(eval("a.sum(1, True)", args).shape == Shape{2, 1});
  CHECK(values_of("a.sum(dim=(0, 1))", args) == Values{21});
  CHECK(eval("a.sum(axis=0, keepdims=True)", args).shape == Shape{1, 3});
  CHECK(values_of("a.T.sum(0)", args) == Values{6, 15});
}

TEST_CASE("Other reductions") {
  HostTensor a = make(DType::kFloat32, {2, 4}, {3, 1, 2, 0, -1, 5, 4, 4});
  const std::vector<fib::reference::Argument> args = {a.argument()};
  CHECK(values_of("a.mean(-1)", args) == Values{1.5, 3});
  CHECK(values_of("a.prod(dim=1)", args) == Values{0, -80});
  CHECK(values_of("a.amax(dim=-1)", args) == Values{3, 5});
  CHECK(values_of("a.amin()", args) == Values{-1});
  CHECK(values_of("a.max()", args) == Values{5});
  CHECK(values_of("a.max(dim=1).values", args) == Values{3, 5});
  CHECK(values_of("a.max(dim=1)[1]", args) == Values{0, 1});
  CHECK(values_of("torch.min(a, 0).indices", args) == Values{1, 0, 0, 0});
  CHECK(values_of("torch.max(a, a.flip(1))", args) == Values{3, 2, 2, 3, 4, 5, 5, 4});
  CHECK(values_of("a.argmax()", args) == Values{5});
  CHECK(values_of("a.argmax(dim=-1)", args) == Values{0, 1});
  CHECK(values_of("a.argmin(dim=1, keepdim=True)", args) == Values{3, 0});
  CHECK(values_of("(a > 4).any(), (a > 4).all()", args).size() == 1);
  CHECK(values_of("(a > 4).any(dim=1)", args) == Values{0, 1});
  CHECK(values_of("(a > -1).all(dim=1)", args) == Values{1, 0});
  CHECK(values_of("torch.count_nonzero(a)", args) == Values{7});
  CHECK(values_of("torch.var(a, dim=1, unbiased=False)", args) == Values{1.25, 5.5});
  CHECK(values_of("a.var(dim=1) * 3", args)[0] == Approx(5));
  CHECK(values_of("a.std(1, correction=0)", args)[0] == Approx(std::sqrt(1.25)));
  CHECK(values_of("a.norm(dim=1)", args)[0] == Approx(std::sqrt(14.0)));
}

TEST_CASE("Reductions of nothing, and of long and short rows") {
  HostTensor none = make(DType::kFloat32, {2, 0}, {});
  CHECK(values_of("a.sum(1)", {none.argument()}) == Values{0, 0});
  CHECK(values_of("a.prod(1)", {none.argument()}) == Values{1, 1});
  CHECK(std::isnan(values_of("a.mean(1)", {none.argument()})[1]));
  CHECK(std::isnan(values_of("a.var(1)", {none.argument()})[1]));
  CHECK(values_of("torch.logsumexp(a, 1)", {none.argument()}) == Values{-kInf, -kInf});
  CHECK(values_of("a.all(1)", {none.argument()}) == Values{1, 1});
  for (const std::int64_t length : {1, 3, 1023, 1024, 1025, 5000}) {
    HostTensor ones = make(DType::kBFloat16, {7, length}, Values(static_cast<std::size_t>(7 * length), 1));
    CHECK(values_of("a.float().sum(-1)", {ones.argument()}) == Values(7, static_cast<double>(length)));
    CHECK(values_of("a.float().T.sum(0)", {ones.argument()}) == Values(7, static_cast<double>(length)));
  }
}

TEST_CASE("Sums of integers wrap around") {
  HostTensor a = make(DType::kInt64, {2}, {9223372036854774784.0, 9223372036854774784.0});
  CHECK(values_of("a.sum()", {a.argument()}) == Values{-2048});
  CHECK(values_of("a.cumsum(0)[1]", {a.argument()}) == Values{-2048});
}

TEST_CASE("Sums do not lose small addends") {
  Values values(100000, 0.0001);
  values[0] = 10000;
  HostTensor a = make(DType::kFloat32, {100000}, values);
  CHECK(values_of("a.sum()", {a.argument()})[0] == Approx(10010).epsilon(1e-7));
}

TEST_CASE("Softmax and logsumexp are stable and keep NaN and infinity") {
  HostTensor a = make(DType::kFloat32, {4, 2}, {1000, 1000, -kInf, 0, -kInf, -kInf, 1, kNaN});
  const auto soft = values_of("torch.softmax(a, dim=-1)", {a.argument()});
  CHECK(soft[0] == 0.5);
  CHECK(soft[2] == 0);
  CHECK(soft[3] == 1);
  CHECK(std::isnan(soft[4]));
  CHECK(std::isnan(soft[6]));
  const auto sums = values_of("torch.logsumexp(a, dim=-1)", {a.argument()});
  CHECK(sums[0] == Approx(1000 + std::log(2)));
  CHECK(sums[1] == 0);
  CHECK(sums[2] == -kInf);
  CHECK(std::isnan(sums[3]));
  const auto logs = values_of("torch.log_softmax(a, 1)", {a.argument()});
  CHECK(logs[0] == Approx(-std::log(2)));
  HostTensor b = make(DType::kBFloat16, {2, 3}, {0, 0, 0, 1, 1, 1});
  CHECK(eval("torch.softmax(a, dim=0)", {b.argument()}).dtype == DType::kBFloat16);
  CHECK(eval("F.softmax(a, dim=0, dtype=torch.float32)", {b.argument()}).dtype == DType::kFloat32);
  CHECK(values_of("torch.softmax(a.float(), 0)[0]", {b.argument()})[1] == Approx(1 / (1 + std::exp(1.0))));
}

TEST_CASE("Running sums, sorting and the largest elements") {
  HostTensor a = make(DType::kFloat32, {2, 3}, {3, 1, 2, 5, 5, 4});
  const std::vector<fib::reference::Argument> args = {a.argument()};
  CHECK(values_of("torch.cumsum(a, dim=-1)", args) == Values{3, 4, 6, 5, 10, 14});
  CHECK(values_of("a.cumsum(0)", args) == Values{3, 1, 2, 8, 6, 6});
  CHECK(values_of("a.cumprod(1)", args) == Values{3, 3, 6, 5, 25, 100});
  CHECK(values_of("a.sort().values", args) == Values{1, 2, 3, 4, 5, 5});
  CHECK(values_of("torch.sort(a, descending=True)[0]", args) == Values{3, 2, 1, 5, 5, 4});
  CHECK(values_of("torch.argsort(a, descending=True)", args) == Values{0, 2, 1, 0, 1, 2});
  CHECK(values_of("torch.sort(a, dim=0).indices", args) == Values{0, 0, 0, 1, 1, 1});
  CHECK(values_of("torch.topk(a, 2).values", args) == Values{3, 2, 5, 5});
  CHECK(values_of("a.topk(1, dim=0, largest=False).indices", args) == Values{0, 0, 0});
  HostTensor n = make(DType::kFloat32, {3}, {1, kNaN, 2});
  CHECK(values_of("torch.argsort(a)", {n.argument()}) == Values{0, 2, 1});
  CHECK(values_of("torch.argsort(a, descending=True)", {n.argument()}) == Values{1, 2, 0});
  HostTensor i = make(DType::kInt32, {3}, {1, 2, 3});
  CHECK(eval("a.cumsum(0)", {i.argument()}).dtype == DType::kInt64);
}

}  // namespace
