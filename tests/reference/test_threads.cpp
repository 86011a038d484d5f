#include <atomic>
#include <catch2/catch.hpp>

#include "ops/runtime.h"
#include "reference/support.h"

namespace {

using namespace fib::test;  // NOLINT: all of it is used

TEST_CASE("Every step runs once, in parts that start at multiples of the grain") {
  for (const int threads : {1, 2, 5}) {
    std::vector<std::atomic<int>> seen(1000);
    fib::ops::parallel_for(threads, 1000, 1 << 20, 64, [&](std::int64_t begin, std::int64_t end) {
      if (begin % 64 != 0) throw fib::Error("bad start {}", begin);
      for (std::int64_t i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
    });
    for (const auto& count : seen) CHECK(count == 1);
  }
}

TEST_CASE("Small jobs stay on the caller's thread, nothing does nothing") {
  int parts = 0;
  fib::ops::parallel_for(8, 1000, 1, 1, [&](std::int64_t, std::int64_t) { ++parts; });
  CHECK(parts == 1);
  fib::ops::parallel_for(8, 0, 1, 1, [&](std::int64_t, std::int64_t) { ++parts; });
  CHECK(parts == 1);
}

TEST_CASE("An exception of a thread reaches the caller") {
  CHECK_THROWS_WITH(fib::ops::parallel_for(4, 100, 1 << 20, 1,
                                           [](std::int64_t, std::int64_t end) {
                                             if (end == 100) throw fib::Error("last part");
                                           }),
                    "last part");
}

TEST_CASE("Large operations give the same bits on one and on many threads") {
  HostTensor a = make_varied(DType::kFloat32, {600, 700}, 1);
  HostTensor b = make_varied(DType::kBFloat16, {700}, 2);
  HostTensor i = make(DType::kInt64, {3}, {5, 599, 0});
  const std::string body =
      "x = torch.exp(a * b) + a.T.contiguous().T\n"
      "return x, x.sum(), x.sum(0), x.mean(-1), torch.softmax(x, 0), torch.softmax(x, 1), "
      "x.to(torch.bfloat16), x[c], "
      "x.T.contiguous(), torch.where(x > 1, x, b), x.cumsum(1), torch.logsumexp(x, -1), x.argmax(-1), "
      "x.sort(dim=-1)[1], "
      "x.permute(1, 0).reshape(-1), (x > 1).any(0), x.max(dim=0)[0]";
  const std::vector<fib::reference::Argument> args = {a.argument(), b.argument(), i.argument()};
  const auto one = run_body(body, args, {.threads = 1});
  const auto many = run_body(body, args, {.threads = 4});
  REQUIRE(one.size() == many.size());
  for (std::size_t k = 0; k < one.size(); ++k) {
    INFO(k);
    CHECK(one[k].bytes == many[k].bytes);
  }
}

}  // namespace
