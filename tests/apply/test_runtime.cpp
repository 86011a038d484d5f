#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <thread>

#include "apply/calls.h"
#include "apply/trust.h"

using namespace fib;
using apply::Runtime;
using tensor::DType;
using testing::AddCall;
using testing::counted;
using testing::HostTensor;
using testing::RuntimeTest;

TEST_CASE_METHOD(RuntimeTest, "calls run the solution that won their case") {
  data.result({"ten", 8, 3}).result({"twenty", 8, 2}).result({"ten", 16, 1}).result({"twenty", 16, 2});
  Runtime applied = runtime();
  const auto& function = applied.find("add");
  AddCall small(8);
  AddCall large(16);
  CHECK(small.call(function) == FIB_APPLIED);
  CHECK(small.added() == 10);
  CHECK(large.call(function) == FIB_APPLIED);
  CHECK(large.added() == 20);
  CHECK(small.why.empty());
  CHECK(counted(applied, "applied") == 2);
  CHECK(&applied.find("add") == &function);
}

TEST_CASE_METHOD(RuntimeTest, "a case without results is left to the program, or goes by the policy") {
  data.result({"ten", 8, 3}).result({"twenty", 256, 2}).result({"twenty", 512, 2});
  AddCall call(12);
  Runtime strict = runtime();
  CHECK(call.call(strict.find("add")) == FIB_NO_RESULT);
  CHECK(call.c.data<float>()[0] == 0);
  CHECK(counted(strict, "no_result") == 1);
  Runtime best = runtime(R"({"on_miss_policy":"use_def_best"})");
  CHECK(call.call(best.find("add")) == FIB_APPLIED);
  CHECK(call.added() == 20);
  Runtime nearest = runtime(R"({"on_miss_policy":"nearest"})");
  CHECK(call.call(nearest.find("add")) == FIB_APPLIED);
  CHECK(call.added() == 10);
}

TEST_CASE_METHOD(RuntimeTest, "what does not fit is told apart") {
  data.result({"ten", 8, 3});
  Runtime applied = runtime(R"({"per_definition":{"add":{},"missing":{}}})");
  AddCall call(8);
  CHECK(call.call(applied.find("other")) == FIB_NOT_CONFIGURED);
  CHECK(call.call(applied.find("missing")) == FIB_NO_DEFINITION);
  const auto& function = applied.find("add");
  const fib_value two[] = {call.a.value(), call.b.value()};
  std::string why;
  CHECK(function.call(two, 2, nullptr, why) == FIB_WRONG_ARGUMENTS);
  CHECK(why == "expected 3 arguments, the inputs and the outputs, got 2");
  HostTensor whole(DType::kInt32, {8});
  const fib_value wrong[] = {call.a.value(), whole.value(), call.c.value()};
  CHECK(function.call(wrong, 3, nullptr, why) == FIB_WRONG_ARGUMENTS);
  CHECK(why == "input \"b\" has dtype int32, the definition says float32");
  std::int64_t strides[] = {2};
  call.b.view().strides = strides;
  CHECK(call.call(function) == FIB_STRIDED);
  call.b.view().strides = nullptr;
  call.c.view().byte_offset = 4;
  CHECK(call.call(function) == FIB_UNALIGNED);
  CHECK(call.c.data<float>()[0] == 0);
}

TEST_CASE_METHOD(RuntimeTest, "a prepared case is called by addresses alone") {
  data.result({"ten", 8, 3});
  Runtime applied = runtime();
  AddCall call(8);
  const fib_value values[] = {call.a.value(), call.b.value(), call.c.value()};
  const apply::Prepared* prepared = nullptr;
  std::string why;
  REQUIRE(applied.find("add").prepare(values, 3, nullptr, prepared, why) == FIB_APPLIED);
  REQUIRE(prepared != nullptr);
  CHECK(call.c.data<float>()[0] == 0);  // nothing was called
  void* addresses[] = {call.a.data<void>(), call.b.data<void>(), call.c.data<void>()};
  CHECK(prepared->function->call(*prepared, addresses, nullptr, why) == FIB_APPLIED);
  CHECK(call.added() == 10);
  addresses[2] = static_cast<char*>(addresses[2]) + 4;
  CHECK(prepared->function->call(*prepared, addresses, nullptr, why) == FIB_UNALIGNED);
  CHECK(why == "the address of \"c\" is not a multiple of 64 bytes");
}

TEST_CASE_METHOD(RuntimeTest, "a solution that cannot be built is left to the program, and says why") {
  data.builder().solution("broken", "me", "this is no C++\n");
  data.result({"broken", 8, 3});
  Runtime applied = runtime();
  AddCall call(8);
  CHECK(call.call(applied.find("add")) == FIB_CANNOT_RUN);
  CHECK_THAT(call.why, Catch::StartsWith("it does not compile: "));
  const auto before = call.why;
  CHECK(call.call(applied.find("add")) == FIB_CANNOT_RUN);  // and is not built again
  CHECK(call.why == before);

  ::unsetenv("FIB_PROGRAM");
  Runtime without(data.load(), apply::parse_registry(""), {});
  CHECK(call.call(without.find("add")) == FIB_CANNOT_RUN);
  CHECK_THAT(call.why, Catch::StartsWith("the fib program, which builds solutions, was not found"));
}

TEST_CASE_METHOD(RuntimeTest, "a solution that reports an error is dropped") {
  data.builder().solution(
      "failing", "me",
      "#include <cstdint>\nextern \"C\" int run(const float*, const float*, float*, int64_t) "
      "{ return 7; }\n");
  data.result({"failing", 8, 3});
  Runtime applied = runtime();
  AddCall call(8);
  CHECK(call.call(applied.find("add")) == FIB_CALL_FAILED);
  CHECK(call.why == "it returned the error code 7");
  CHECK(call.call(applied.find("add")) == FIB_DROPPED);
  CHECK(call.why == "\"failing\" refused this case");
  CHECK(nlohmann::json::parse(applied.statistics_json()).at("dropped").empty());  // others of its cases go on
}

TEST_CASE_METHOD(RuntimeTest, "a solution that throws is dropped") {
  data.builder().solution(
      "throwing", "me",
      "#include <cstdint>\n#include <stdexcept>\nextern \"C\" void run(const float*, const float*, "
      "float*, int64_t) { throw std::runtime_error(\"bad \\xff\"); }\n");
  data.result({"throwing", 8, 3});
  Runtime applied = runtime();
  AddCall call(8);
  CHECK(call.call(applied.find("add")) == FIB_CALL_FAILED);
  CHECK(call.call(applied.find("add")) == FIB_DROPPED);
  const auto statistics = nlohmann::json::parse(applied.statistics_json());  // although its text is no UTF-8
  CHECK_THAT(statistics.at("dropped").at("throwing").get<std::string>(),
             Catch::StartsWith("it threw an exception: bad "));
}

TEST_CASE_METHOD(RuntimeTest, "results that credit a solution to another definition do not count") {
  const std::string other =
      R"({"name":"scale","op_type":"test","axes":{"n":{"type":"var"}},)"
      R"("inputs":{"a":{"shape":["n"],"dtype":"float32"}},)"
      R"("outputs":{"c":{"shape":["n"],"dtype":"float32"}},"reference":"def run(a):\n    return a\n"})";
  data.builder().definition("test", "scale", other, {});
  const auto solution = data.load().solutions.at("ten");
  const std::string line =
      R"({"definition":"scale","workload":{"axes":{"n":8},"inputs":{"a":{"type":"random"}},"uuid":"s8"},)"
      R"("solution":"ten","evaluation":{"status":"PASSED","log":"","environment":{"hardware":"any"},)"
      R"("timestamp":"2026-01-01T00:00:00","correctness":{},)"
      R"("performance":{"latency_ms":1,"reference_latency_ms":2,"speedup_factor":2}}})";
  util::write_file_atomic(data.root() / "traces" / "other.jsonl", line + "\n");
  Runtime applied = runtime(R"({"require_hash":false,"hardware":"any"})");
  HostTensor a(DType::kFloat32, {8});
  const fib_value values[] = {a.value(), a.value()};
  std::string why;
  CHECK(applied.find("scale").call(values, 2, nullptr, why) == FIB_NO_RESULT);
  CHECK(nlohmann::json::parse(applied.table_json())
            .at("left_out")
            .at("of a definition that is not the solution's") == 1);
}

TEST_CASE_METHOD(RuntimeTest, "sizes that no tensor has are refused whatever the policy") {
  data.result({"ten", 8, 3});
  Runtime applied = runtime(R"({"on_miss_policy":"nearest"})");
  AddCall call(8);
  call.a.view().shape[0] = call.b.view().shape[0] = call.c.view().shape[0] = -8;
  CHECK(call.call(applied.find("add")) == FIB_WRONG_ARGUMENTS);
  CHECK(call.why == "input \"a\" has the shape (-8): no size is negative");
  const std::int64_t n = -8;
  fib_outcome outcome = FIB_APPLIED;
  CHECK(applied.find("add").match(tvm_ffi::kCpu, 0, &n, 1, outcome, call.why) == nullptr);
  CHECK(outcome == FIB_WRONG_ARGUMENTS);
  AddCall bare(8);
  bare.b.view().data = nullptr;
  CHECK(bare.call(applied.find("add")) == FIB_WRONG_ARGUMENTS);
  CHECK(bare.why == "input \"b\" has no memory");
  const std::int64_t one = 8;
  CHECK(applied.find("add").match(99, 0, &one, 1, outcome, bare.why) == nullptr);
  CHECK(outcome == FIB_CANNOT_RUN);
}

TEST_CASE_METHOD(RuntimeTest, "a dropped solution is never called again") {
  data.result({"ten", 8, 3});
  Runtime applied = runtime();
  AddCall call(8);
  CHECK(call.call(applied.find("add")) == FIB_APPLIED);
  applied.drop("ten", "it differs from the fallback");
  applied.drop("unknown", "nothing");
  CHECK(call.call(applied.find("add")) == FIB_DROPPED);
  CHECK(nlohmann::json::parse(applied.statistics_json()).at("dropped").size() == 1);
}

TEST_CASE_METHOD(RuntimeTest, "Python solutions are for an interpreter to call") {
  data.builder().python_solution("snake", "def run(a, b, c):\n    c.copy_(a + b)\n");
  data.result({"snake", 8, 3});
  Runtime applied = runtime();
  AddCall call(8);
  CHECK(call.call(applied.find("add")) == FIB_OTHER_LANGUAGE);
  const std::int64_t n = 8;
  fib_outcome outcome = FIB_APPLIED;
  std::string why;
  const auto* chosen = applied.find("add").match(tvm_ffi::kCpu, 0, &n, 1, outcome, why);
  REQUIRE(chosen != nullptr);
  CHECK(chosen->name() == "snake");
  CHECK(outcome == FIB_OTHER_LANGUAGE);
  CHECK(applied.find("add").match(tvm_ffi::kCpu, 0, &n, 0, outcome, why) == nullptr);
  CHECK(outcome == FIB_WRONG_ARGUMENTS);
}

TEST_CASE_METHOD(RuntimeTest, "only accepted solutions run where trust is demanded") {
  data.result({"ten", 8, 3});
  AddCall call(8);
  Runtime before = runtime(R"({"require_trust":true})");
  CHECK(call.call(before.find("add")) == FIB_NOT_TRUSTED);
  CHECK(call.why == "solution \"ten\" is not on the list of `fib apply trust`");
  const auto loaded = data.load();
  apply::write_trust(apply::trust_file(),
                     {{apply::trust_key(loaded.solutions.at("ten"), loaded.definitions.at("add")), "ten"}});
  Runtime after = runtime(R"({"require_trust":true})");
  CHECK(call.call(after.find("add")) == FIB_APPLIED);
}

TEST_CASE_METHOD(RuntimeTest, "winners are built and loaded ahead") {
  data.builder().solution("broken", "me", "this is no C++\n");
  data.result({"ten", 8, 3}).result({"ten", 16, 3}).result({"broken", 32, 3});
  Runtime applied = runtime();
  const auto warmed = applied.warm("", tvm_ffi::kCpu, 0);
  REQUIRE(warmed.size() == 2);
  CHECK(warmed[0].solution == "ten");
  CHECK(warmed[0].definition == "add");
  CHECK(warmed[0].problem.empty());
  CHECK(warmed[1].solution == "broken");
  CHECK_THAT(warmed[1].problem, Catch::StartsWith("it does not compile: "));
  Runtime half = runtime(R"({"aot_ratio":0.5})");
  REQUIRE(half.warm("add", tvm_ffi::kCpu, 0).size() == 1);
  Runtime none = runtime(R"({"aot_ratio":0})");
  CHECK(none.warm("add", tvm_ffi::kCpu, 0).empty());
  CHECK(applied.warm("other", tvm_ffi::kCpu, 0).empty());
}

TEST_CASE_METHOD(RuntimeTest, "many threads call at once") {
  data.result({"ten", 8, 3}).result({"twenty", 16, 2});
  Runtime applied = runtime(R"({"on_miss_policy":"nearest"})");
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const std::int64_t n = 8 + (t + i) % 16;
        AddCall call(n);
        const float expected = n == 8 ? 10 : n == 16 ? 20 : call.added();
        const bool applies = call.call(applied.find("add")) == FIB_APPLIED;
        if (!applies || call.added() < 10 || (n % 8 == 0 && call.added() != expected)) ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(counted(applied, "applied") == 1600);
}
