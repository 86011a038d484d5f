#include "support/fib_run.h"
#include "tracing/traced.h"

using namespace fib;
using testing::AddCall;
using testing::collect;
using testing::FibRun;

TEST_CASE("what was traced can be validated and run") {
  FibRun run;
  run.dataset.add_definition({});
  run.dataset.definition("test", "mixed", testing::kMixed, {});
  run.dataset.solution("good", "a",
                       "extern \"C\" void run(const float* a, const float* b, float* c, long n) {\n"
                       "  for (long i = 0; i < n; ++i) c[i] = a[i] + b[i];\n}\n");
  run.dataset.solution("copy", "a",
                       "extern \"C\" void run(const float* x, const long*, const signed char*, const bool*, "
                       "const int* zero, int count, float scale, bool flag, float* y, long n) {\n"
                       "  const bool right = *zero == 11 && count == 7 && scale == 0.5f && flag;\n"
                       "  for (long i = 0; i < n; ++i) y[i] = right ? x[i] : -1;\n}\n",
                       "mixed");
  {
    tracing::Tracing tracing(dataset::load(run.dataset.root()),
                             tracing::parse_config(R"({"input_dump_policy":"dump_all"})"));
    CHECK(collect(tracing, "add", AddCall(100)) == tracing::Outcome::kept);
    CHECK(collect(tracing, "add", AddCall(1000)) == tracing::Outcome::kept);
    CHECK(collect(tracing, "mixed", testing::MixedCall(50)) == tracing::Outcome::kept);
  }
  testing::expect_valid(run.dataset.root());
  const auto result = run.run({"--device", "cpu", "--iterations", "3", "--num-trials", "1"});
  INFO(result.out << result.err);
  CHECK(result.exit_code == 0);
  const auto traces = testing::read_traces(run.dataset.root());
  CHECK(traces.size() == 3);
  for (const auto& trace : traces) {
    INFO(trace.log);
    CHECK(trace.status == "PASSED");
  }
}
