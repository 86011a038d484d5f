#include <catch2/catch.hpp>

#include "reference/support.h"

// Which of equals comes first decides where a token goes. The expected orders are those of torch 2.11 on the
// CPU.
namespace {

using namespace fib::test;  // NOLINT: all of it is used
using Values = std::vector<double>;

// 0, 2, 4, 1, 3, 0, 2, ...: four of each in 20.
HostTensor repeating(std::int64_t count, DType dtype = DType::kFloat32) {
  Values values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<double>(i * 7 % 5));
  return make(dtype, {count}, values);
}

TEST_CASE("the engine counts the rows in which topk took some of several equals and left others") {
  HostTensor x = make(DType::kFloat32, {3, 4}, {1, 2, 2, 3, 1, 2, 3, 3, 5, 5, 5, 5});
  const auto tied_rows = [&](const std::string& call) {
    fib::reference::Engine engine("import torch\ndef run(a):\n    return " + call + "\n", {});
    (void)engine.run({x.argument()});
    return engine.tied_rows();
  };
  CHECK(tied_rows("torch.topk(a, 1).indices") == 2);
  CHECK(tied_rows("torch.topk(a, 2, sorted=False).values") == 2);
  CHECK(tied_rows("torch.topk(a, 3)[1]") == 1);
  CHECK(tied_rows("torch.topk(a, 4)[1]") == 0);
  CHECK(tied_rows("torch.topk(a, 0)[1]") == 0);
  CHECK(tied_rows("torch.topk(a, 2, largest=False)[1]") == 2);
  CHECK(tied_rows("torch.topk(torch.cat([a, torch.zeros(3, 96)], dim=1), 1)[1]") == 2);
  CHECK(tied_rows("torch.sort(a)[1]") == 0);
  fib::reference::Engine twice("import torch\ndef run(a):\n    return torch.topk(a, 1)[1]\n", {});
  (void)twice.run({x.argument()});
  (void)twice.run({x.argument()});
  CHECK(twice.tied_rows() == 2);
}

TEST_CASE("topk picks the same of equals as torch") {
  HostTensor x = repeating(20);
  const std::vector<fib::reference::Argument> args{x.argument()};
  CHECK(values_of("torch.topk(a, 3).indices", args) == Values{17, 7, 12});
  CHECK(values_of("torch.topk(a, 7).indices", args) == Values{2, 17, 12, 7, 19, 9, 14});
  CHECK(values_of("torch.topk(a, 7, sorted=False).indices", args) == Values{19, 9, 2, 17, 12, 7, 14});
  CHECK(values_of("torch.topk(a, 3, largest=False).indices", args) == Values{5, 10, 15});
  CHECK(values_of("torch.topk(a, 7, largest=False).indices", args) == Values{5, 10, 15, 0, 3, 13, 8});
  HostTensor small = repeating(20, DType::kBFloat16);
  CHECK(values_of("torch.topk(a, 3).indices", {small.argument()}) == Values{17, 7, 12});
}

TEST_CASE("topk of few among many picks the same of equals as torch") {
  HostTensor x = repeating(200);
  CHECK(values_of("torch.topk(a, 3).indices", {x.argument()}) == Values{12, 7, 2});
}

TEST_CASE("sort and argsort order equals as torch does, and stably when asked to") {
  HostTensor x = repeating(20);
  const std::vector<fib::reference::Argument> args{x.argument()};
  CHECK(values_of("torch.sort(a).indices", args) ==
        Values{0, 5, 15, 10, 18, 3, 13, 8, 1, 16, 11, 6, 9, 14, 4, 19, 12, 7, 17, 2});
  CHECK(values_of("torch.argsort(a, descending=True)", args) ==
        Values{2, 17, 7, 12, 19, 4, 14, 9, 1, 16, 11, 6, 8, 13, 3, 18, 10, 15, 5, 0});
  CHECK(values_of("torch.sort(a, stable=True).indices", args) ==
        Values{0, 5, 10, 15, 3, 8, 13, 18, 1, 6, 11, 16, 4, 9, 14, 19, 2, 7, 12, 17});
}

TEST_CASE("Many integers are sorted stably, as torch's radix sort does") {
  HostTensor x = repeating(40000, DType::kInt64);
  const Values order = values_of("torch.sort(a).indices", {x.argument()});
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t value = i / 8000;
    REQUIRE(order[i] == static_cast<double>(value * 3 % 5 + 5 * (i % 8000)));
  }
}

TEST_CASE("NaN counts as the largest wherever it stands") {
  HostTensor x = make(DType::kFloat32, {5}, {1, NAN, 3, NAN, 2});
  CHECK(values_of("torch.topk(a, 3).indices", {x.argument()}) == Values{1, 3, 2});
  CHECK(values_of("torch.topk(a, 3, largest=False).indices", {x.argument()}) == Values{0, 4, 2});
}

}  // namespace
