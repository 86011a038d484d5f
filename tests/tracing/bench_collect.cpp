#include <chrono>

#include "tracing/traced.h"

using namespace fib;
using testing::RaggedCall;
using testing::TracedDataset;

// A measurement, for people: test_tracing "[bench]".
TEST_CASE("what a call costs that is not kept", "[.bench]") {
  const TracedDataset data;
  for (const char* policy : {"keep_none", "keep_first", "keep_first_k_by_axes", "attention"}) {
    tracing::Tracing tracing(data.load(),
                             tracing::parse_config(std::string(R"({"filter_policy":")") + policy + "\"}"));
    tracing::Site* site = tracing.find("ragged");
    const RaggedCall call(8, 16, 100);
    (void)tracing.collect(*site, call.values, 5, nullptr);
    constexpr int kCalls = 1000000;
    const auto time = [&](const auto& collect) {
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < kCalls; ++i) (void)collect();
      return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() /
             kCalls;
    };
    const double by_site = time([&] { return tracing.collect(*site, call.values, 5, nullptr); });
    const double by_name = time([&] { return tracing.collect("ragged", call.values, 5, nullptr); });
    WARN(policy << ": " << by_site << " ns, by name " << by_name << " ns");
  }
}
