#include <catch2/catch.hpp>

#include "reference/support.h"

namespace {

using namespace fib::test;  // NOLINT: all of it is used
using Values = std::vector<double>;

struct Case {
  const char* expression;
  Shape shape;
  Values values;
};

// a counts through [3, 4]; b is [2, 0]; c is [[0, 2], [1, -1]].
TEST_CASE("Indexing with integers, slices, None, ellipsis and tensors") {
  const std::vector<Case> cases = {
      {"a[1]", {4}, {4, 5, 6, 7}},
      {"a[-1, 2]", {}, {10}},
      {"a[1:3, ::2]", {2, 2}, {4, 6, 8, 10}},
      {"a[..., 1]", {3}, {1, 5, 9}},
      {"a[:, -1:]", {3, 1}, {3, 7, 11}},
      {"a[None, 0, 1:2]", {1, 1}, {1}},
      {"a[5:]", {0, 4}, {}},
      {"a[b]", {2, 4}, {8, 9, 10, 11, 0, 1, 2, 3}},
      {"a[:, b]", {3, 2}, {2, 0, 6, 4, 10, 8}},
      {"a[b, b]", {2}, {10, 0}},
      {"a[b, 1:3]", {2, 2}, {9, 10, 1, 2}},
      {"a[b, -1]", {2}, {11, 3}},
      {"a[c, 1]", {2, 2}, {1, 9, 5, 9}},
      {"a[b[:, None], b]", {2, 2}, {10, 8, 2, 0}},
      {"a[[0, 2], 0]", {2}, {0, 8}},
      {"a[torch.tensor(1)]", {4}, {4, 5, 6, 7}},
      {"a[b.int()][0, :2]", {2}, {8, 9}},
      {"a[a > 8]", {3}, {9, 10, 11}},
      {"a[a[:, 0] > 3]", {2, 4}, {4, 5, 6, 7, 8, 9, 10, 11}},
      {"a[:, torch.tensor([True, False, False, True])]", {3, 2}, {0, 3, 4, 7, 8, 11}},
      {"a[b[:0]]", {0, 4}, {}},
      {"torch.nonzero(a > 9)", {2, 2}, {2, 2, 2, 3}},
      {"torch.nonzero(a[0] > 1).squeeze(1)", {2}, {2, 3}},
      {"torch.where(a > 9)[1]", {2}, {2, 3}},
      {"a.index_select(1, b)", {3, 2}, {2, 0, 6, 4, 10, 8}},
      {"torch.gather(a, 1, torch.tensor([[1], [0], [3]]))", {3, 1}, {1, 4, 11}},
      {"a.gather(0, torch.tensor([[1, 0]]))", {1, 2}, {4, 1}},
      {"a.take_along_dim(a.argsort(dim=1, descending=True), dim=1)[0]", {4}, {3, 2, 1, 0}},
      {"a.masked_select(a < 2)", {2}, {0, 1}},
      {"a[0].repeat_interleave(2)", {8}, {0, 0, 1, 1, 2, 2, 3, 3}},
      {"a[:2, :2].repeat_interleave(2, dim=0)", {4, 2}, {0, 1, 0, 1, 4, 5, 4, 5}},
      {"a[:2, :2].repeat_interleave(2, dim=-1)", {2, 4}, {0, 0, 1, 1, 4, 4, 5, 5}},
      {"a[:2, :2].t().repeat_interleave(torch.tensor([2]), dim=0)", {4, 2}, {0, 4, 0, 4, 1, 5, 1, 5}},
      {"a[:2, :2].repeat_interleave(0, dim=1)", {2, 0}, {}},
      {"torch.repeat_interleave(a[0], torch.tensor([2, 0, 1, 0]))", {3}, {0, 0, 2}},
      {"F.one_hot(b, 3)", {2, 3}, {0, 0, 1, 1, 0, 0}},
      {"F.embedding(b, a)[0, :1]", {1}, {8}},
  };
  HostTensor a = counting({3, 4});
  HostTensor b = make(DType::kInt64, {2}, {2, 0});
  HostTensor c = make(DType::kInt64, {2, 2}, {0, 2, 1, -1});
  for (const Case& test : cases) {
    INFO(test.expression);
    const HostTensor result = eval(test.expression, {a.argument(), b.argument(), c.argument()});
    CHECK(result.shape == test.shape);
    CHECK(result.values() == test.values);
  }
}

TEST_CASE("The dimensions of index tensors stand where torch puts them") {
  HostTensor a = counting({2, 3, 4, 5});
  const auto shape = [&](const std::string& index) { return eval("a[" + index + "]", {a.argument()}).shape; };
  CHECK(shape("0, torch.zeros(7, dtype=torch.long)") == Shape{7, 4, 5});
  CHECK(shape(":, torch.zeros(7, dtype=torch.long), torch.zeros(7, dtype=torch.long)") == Shape{2, 7, 5});
  CHECK(shape("torch.zeros(7, dtype=torch.long), :, torch.zeros(7, dtype=torch.long)") == Shape{7, 3, 5});
  CHECK(shape("..., torch.zeros(7, 6, dtype=torch.long)") == Shape{2, 3, 4, 7, 6});
  CHECK(shape(":, None, torch.zeros(7, dtype=torch.long)") == Shape{2, 1, 7, 4, 5});
}

TEST_CASE("Assignment to indexed elements") {
  const auto after = [](const std::string& change) {
    HostTensor a = counting({2, 3});
    HostTensor b = make(DType::kInt64, {2}, {1, 0});
    return run_body(change + "\nreturn a", {a.argument(), b.argument()}).at(0).values();
  };
  CHECK(after("a[0] = 9") == Values{9, 9, 9, 3, 4, 5});
  CHECK(after("a[:, 1] = torch.tensor([7, 8])") == Values{0, 7, 2, 3, 8, 5});
  CHECK(after("a[b, b] = -1") == Values{-1, 1, 2, 3, -1, 5});
  CHECK(after("a[b] = torch.tensor([[1.0], [2.0]])") == Values{2, 2, 2, 1, 1, 1});
  CHECK(after("a[a > 3] = 0") == Values{0, 1, 2, 3, 0, 0});
  CHECK(after("a[a > 3] += 10") == Values{0, 1, 2, 3, 14, 15});
  CHECK(after("a[...] = a.flip(1)") == Values{2, 1, 0, 5, 4, 3});
  CHECK(after("a[1, 2] = torch.tensor(8)") == Values{0, 1, 2, 3, 4, 8});
  CHECK(after("a[None, 0] = 4") == Values{4, 4, 4, 3, 4, 5});
  CHECK(after("a[b[:1]] = a[:1] + 100") == Values{0, 1, 2, 100, 101, 102});
  CHECK(after("a.masked_fill_(a > 2, float('-inf'))")[3] == -std::numeric_limits<double>::infinity());
  CHECK(after("a = a.masked_fill(a > 2, -1)") == Values{0, 1, 2, -1, -1, -1});
  CHECK(after("a.index_add_(0, b, torch.ones(2, 3))") == Values{1, 2, 3, 4, 5, 6});
  CHECK(after("a.index_add_(0, torch.tensor([0, 0]), torch.ones(2, 3), alpha=10)") ==
        Values{20, 21, 22, 3, 4, 5});
  CHECK(after("a.index_copy_(1, b, a[:, 1:].clone())") == Values{2, 1, 2, 5, 4, 5});
  CHECK(after("a.index_fill_(0, b[1:], 5)") == Values{5, 5, 5, 3, 4, 5});
  CHECK(after("a.scatter_(1, torch.tensor([[2], [0]]), 9.0)") == Values{0, 1, 9, 9, 4, 5});
  CHECK(after("a.scatter_(0, torch.tensor([[1, 0, 1]]), a + 10)") == Values{0, 11, 2, 10, 4, 12});
  CHECK(after("a.scatter_add_(0, torch.tensor([[1, 1, 1], [1, 1, 1]]), a.clone())") ==
        Values{0, 1, 2, 6, 9, 12});
  CHECK(after("a = a.to(torch.int32)\na[0, 0] = 3.9") == Values{3, 1, 2, 3, 4, 5});
}

TEST_CASE("Where an index names an element twice, the last value stays") {
  HostTensor a = counting({3});
  CHECK(run_body("a[torch.tensor([1, 1, 1])] = torch.tensor([5.0, 6.0, 7.0])\nreturn a", {a.argument()})
            .at(0)
            .values() == Values{0, 7, 2});
}

TEST_CASE("Indices out of range are errors") {
  HostTensor a = counting({3, 4});
  const auto error = [&](const std::string& expression) {
    return error_of("import torch\ndef run(a):\n    return " + expression + "\n", {a.argument()});
  };
  CHECK(error("a[3]") == "line 3: index 3 is out of range for dimension 0 of size 3");
  CHECK(error("a[0, -5]") == "line 3: index -5 is out of range for dimension 0 of size 4");
  CHECK(error("a[torch.tensor([3])]") == "line 3: index 3 is out of range for dimension 0 of size 3");
  CHECK(error("a[0, 0, 0]") == "line 3: 3 indices are too many for a tensor of 2 dimensions");
  CHECK(error("a[a > 0, 0]") == "line 3: 3 indices are too many for a tensor of 2 dimensions");
  CHECK(error("a[torch.tensor([0.5])]") == "line 3: tensors of float32 cannot be used as indices");
  CHECK(error("a.gather(0, torch.tensor([[-1]]))") ==
        "line 3: index -1 is out of range for dimension 0 of size 3");
  CHECK(error("a[::-1]") == "line 3: slices of tensors need a step above 0");
}

}  // namespace
