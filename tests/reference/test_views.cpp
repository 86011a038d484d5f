#include <catch2/catch.hpp>

#include "reference/support.h"

namespace {

using namespace fib::test;  // NOLINT: all of it is used
using Values = std::vector<double>;

struct Case {
  const char* expression;
  Shape shape;
  Values first;  // the first elements
};

TEST_CASE("Shapes and elements of views") {
  const std::vector<Case> cases = {
      {"a.view(6, -1)", {6, 4}, {0, 1}},
      {"a.view((4, 6))", {4, 6}, {0, 1}},
      {"a.reshape(-1)", {24}, {0, 1}},
      {"a.permute(2, 0, 1)", {4, 2, 3}, {0, 4, 8, 12}},
      {"a.permute((1, 0, 2))", {3, 2, 4}, {0, 1, 2, 3, 12}},
      {"a.transpose(0, -1)", {4, 3, 2}, {0, 12, 4}},
      {"a[0].T", {4, 3}, {0, 4, 8, 1}},
      {"a[0].t()", {4, 3}, {0, 4, 8, 1}},
      {"a.mT", {2, 4, 3}, {0, 4, 8, 1}},
      {"a.unsqueeze(0)", {1, 2, 3, 4}, {0}},
      {"a.unsqueeze(-1)", {2, 3, 4, 1}, {0}},
      {"a[:1].squeeze(0)", {3, 4}, {0}},
      {"a[:1, :, :1].squeeze()", {3}, {0, 4, 8}},
      {"a.squeeze(1)", {2, 3, 4}, {0}},
      {"a[:, :1].expand(2, 5, 4)", {2, 5, 4}, {0, 1, 2, 3, 0}},
      {"a[:, :1].expand(-1, 2, -1)", {2, 2, 4}, {0, 1, 2, 3, 0}},
      {"a.expand(2, 2, 3, 4)", {2, 2, 3, 4}, {0}},
      {"a.flatten(1)", {2, 12}, {0}},
      {"a.flatten()", {24}, {0}},
      {"a.unflatten(-1, (2, 2))", {2, 3, 2, 2}, {0}},
      {"a.narrow(2, 1, 2)", {2, 3, 2}, {1, 2, 5}},
      {"a.select(1, -1)", {2, 4}, {8, 9}},
      {"a.movedim(0, 2)", {3, 4, 2}, {0, 12, 1}},
      {"a.chunk(2, dim=-1)[1]", {2, 3, 2}, {2, 3, 6}},
      {"a.split(2, dim=1)[1]", {2, 1, 4}, {8, 9}},
      {"a.split([1, 3], dim=2)[1]", {2, 3, 3}, {1, 2, 3}},
      {"a.unbind(1)[2]", {2, 4}, {8}},
      {"a[0].repeat(2, 1)", {6, 4}, {0}},
      {"a[0, 0].repeat(2, 2)", {2, 8}, {0, 1, 2, 3, 0}},
      {"a.flip(2)", {2, 3, 4}, {3, 2, 1, 0}},
      {"a[0, 0].roll(1)", {4}, {3, 0, 1, 2}},
      {"torch.cat((a, a + 100), dim=-1)", {2, 3, 8}, {0, 1, 2, 3, 100}},
      {"torch.stack([a[0], a[1]], dim=1)", {3, 2, 4}, {0, 1, 2, 3, 12}},
      {"torch.tril(torch.ones(2, 3))", {2, 3}, {1, 0, 0, 1, 1, 0}},
      {"torch.triu(torch.ones(2, 3), 1)", {2, 3}, {0, 1, 1, 0, 0, 1}},
      {"torch.eye(2)", {2, 2}, {1, 0, 0, 1}},
      {"torch.arange(1, 10, 3)", {3}, {1, 4, 7}},
      {"torch.arange(0, 1, 0.25)", {4}, {0, 0.25, 0.5, 0.75}},
      {"torch.linspace(0, 1, 5)", {5}, {0, 0.25, 0.5, 0.75, 1}},
      {"torch.tensor([[1, 2], [3, 4]])", {2, 2}, {1, 2, 3, 4}},
      {"torch.full_like(a, 7)", {2, 3, 4}, {7}},
      {"a.new_zeros(2)", {2}, {0, 0}},
  };
  HostTensor a = counting({2, 3, 4});
  for (const Case& c : cases) {
    INFO(c.expression);
    const HostTensor result = eval(c.expression, {a.argument()});
    CHECK(result.shape == c.shape);
    const Values values = result.values();
    CHECK(Values(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(c.first.size())) == c.first);
  }
}

TEST_CASE("Views write through to their tensor, copies do not") {
  const auto after = [](const std::string& change) {
    HostTensor a = counting({2, 3});
    return run_body(change + "\nreturn a", {a.argument()}).at(0).values();
  };
  CHECK(after("a[0].zero_()") == Values{0, 0, 0, 3, 4, 5});
  CHECK(after("a.T[1] = 9") == Values{0, 9, 2, 3, 9, 5});
  CHECK(after("a.view(-1)[4] = 9") == Values{0, 1, 2, 3, 9, 5});
  CHECK(after("a.permute(1, 0)[2].fill_(7)") == Values{0, 1, 7, 3, 4, 7});
  CHECK(after("x = a[1]\nx += 10") == Values{0, 1, 2, 13, 14, 15});
  CHECK(after("a[:, 1].mul_(10)") == Values{0, 10, 2, 3, 40, 5});
  CHECK(after("a.unsqueeze(0)[0, 1, 2] = -1") == Values{0, 1, 2, 3, 4, -1});
  CHECK(after("a.clone()[0] = 9") == Values{0, 1, 2, 3, 4, 5});
  CHECK(after("a.T.reshape(-1)[0] = 9") == Values{0, 1, 2, 3, 4, 5});
  CHECK(after("a.reshape(3, 2)[0] = 9") == Values{9, 9, 2, 3, 4, 5});
  CHECK(after("x = a[1]\nx = x + 10") == Values{0, 1, 2, 3, 4, 5});
  CHECK(after("a[torch.tensor([1])].zero_()") == Values{0, 1, 2, 3, 4, 5});
  CHECK(after("for row in a:\n    row += 1") == Values{1, 2, 3, 4, 5, 6});
}

TEST_CASE("Overlapping source and target are copied as if apart") {
  HostTensor a = counting({5});
  CHECK(run_body("a[1:] = a[:-1]\nreturn a", {a.argument()}).at(0).values() == Values{0, 0, 1, 2, 3});
  HostTensor b = counting({2, 2});
  CHECK(run_body("a += a.T\nreturn a", {b.argument()}).at(0).values() == Values{0, 3, 3, 6});
}

TEST_CASE("A tensor can be viewed as another dtype") {
  HostTensor a = make(DType::kInt8, {2, 8}, {0, 0, -128, 63, 0, 0, 0, 64, 1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(values_of("a.view(torch.uint8)[0, 2:4]", {a.argument()}) == Values{128, 63});
  CHECK(values_of("a[0].view(torch.float32)", {a.argument()}) == Values{1, 2});
  CHECK(eval("a.view(torch.float32)", {a.argument()}).shape == Shape{2, 2});
  CHECK(eval("a[:, 4:].view(torch.int16)", {a.argument()}).shape == Shape{2, 2});
  HostTensor f8 = make(DType::kUInt8, {2}, {0x38, 0xC0});
  CHECK(values_of("a.view(torch.float8_e4m3fn).to(torch.float32)", {f8.argument()}) == Values{1, -2});
}

TEST_CASE("Results keep the order of dimensions in memory, as torch's do") {
  HostTensor a = counting({2, 3});
  CHECK(values_of("(a.T * 2).is_contiguous()", {a.argument()}) == Values{0});
  CHECK(values_of("(a.T * 2).t().view(-1)", {a.argument()}) == Values{0, 2, 4, 6, 8, 10});
  CHECK(values_of("a.T.clone().stride()[0]", {a.argument()}) == Values{1});
  CHECK(values_of("a.T.contiguous().view(-1)", {a.argument()}) == Values{0, 3, 1, 4, 2, 5});
  CHECK(values_of("a.T.to(torch.float64).view(3, 2).sum()", {a.argument()}) == Values{15});
}

}  // namespace
