#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "apply/function.h"
#include "apply/results.h"
#include "apply/runtime.h"
#include "apply/verify.h"
#include "support/places.h"
#include "support/temporary.h"
#include "support/tensors.h"

#if FIB_CUDA
#include "emulation/emulation.h"
#endif

using namespace fib;
using apply::Argument;
using apply::CallEnd;
using apply::Config;
using apply::Verifier;
using tensor::DType;
using testing::HostTensor;

namespace {

std::string add_definition(const std::string& op_type = "test", const std::string& dtype = "float32") {
  return R"({"name":"add","op_type":")" + op_type + R"(","axes":{"n":{"type":"var"}},)" +
         R"("inputs":{"a":{"shape":["n"],"dtype":")" + dtype + R"("},"b":{"shape":["n"],"dtype":")" + dtype +
         R"("},"count":{"shape":null,"dtype":"int32"},"scale":{"shape":null,"dtype":"float32"},)" +
         R"("flag":{"shape":null,"dtype":"bool"}},"outputs":{"c":{"shape":["n"],"dtype":")" + dtype +
         R"("}},"reference":"def run(a, b, count, scale, flag):\n    return a + b\n"})";
}

// A solution made of a function of the test.
class Made : public apply::PreparedCall {
 public:
  using Act = std::function<CallEnd(const Argument*)>;
  explicit Made(Act act) : act_(std::move(act)) {}
  [[nodiscard]] bool is_ready(void* /*stream*/) const override { return true; }
  void make_ready(void* /*stream*/) override {}
  [[nodiscard]] CallEnd call(const Argument* arguments, void* /*stream*/,
                             std::string& /*error*/) const override {
    return act_(arguments);
  }

 private:
  Act act_;
};

// What is written to standard error while it lives.
class StandardError {
 public:
  StandardError() : before_(::dup(2)) { REQUIRE(::freopen(path().c_str(), "w", stderr) != nullptr); }
  ~StandardError() {
    std::fflush(stderr);
    ::dup2(before_, 2);
    ::close(before_);
  }
  StandardError(const StandardError&) = delete;
  StandardError& operator=(const StandardError&) = delete;
  [[nodiscard]] std::string text() const {
    std::fflush(stderr);
    return util::read_file(path());
  }

 private:
  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "stderr"; }
  testing::TemporaryFolder folder_;
  int before_;
};

// A definition with one case, a solution, and calls of it: inputs a and b of n elements, output c.
struct VerifyTest {
  static constexpr std::int64_t kSize = 100;

  explicit VerifyTest(const Config& config, const std::string& json = add_definition())
      : VerifyTest(config, json, std::make_unique<apply::Devices>()) {}
  VerifyTest(const Config& config, const std::string& json, std::unique_ptr<apply::Devices> device)
      : devices(std::move(device)), definition(model::parse_definition(json)), signature(definition) {
    verifier = Verifier::make(config, definition, signature, *devices);
    model::Solution record;
    record.name = "mine";
    solution = std::make_unique<apply::AppliedSolution>(record, "");
    prepared.solution = solution.get();
    prepared.call = std::make_unique<Made>([this](const Argument* given) { return solve(given); });
    prepared.found = signature.case_of({{"n", kSize}}, tvm_ffi::kCpu, 0);
    prepared.device_type = tvm_ffi::kCpu;
    prepared.is_unverified = verifier != nullptr && verifier->is_first_due();
    for (std::int64_t i = 0; i < kSize; ++i) a.data<float>()[i] = static_cast<float>(i);
    arguments[0].address = a.data<std::byte>();
    arguments[1].address = b.data<std::byte>();
    arguments[2].scalar = 3;
    arguments[3].scalar = std::bit_cast<std::int64_t>(0.5);
    arguments[4].scalar = 1;
    arguments[5].address = c.data<std::byte>();
    if (verifier != nullptr) verifier->set_fallback(&VerifyTest::fall_back, this);
  }
  ~VerifyTest() { CHECK(wrongly_called == 0); }
  VerifyTest(const VerifyTest&) = delete;
  VerifyTest& operator=(const VerifyTest&) = delete;

  // a + b + `more`, of as many elements as the solution writes.
  CallEnd solve(const Argument* given) {
    ++solved;
    const auto* left = reinterpret_cast<const float*>(given[0].address);
    auto* result = reinterpret_cast<float*>(given[5].address);
    for (std::int64_t i = 0; i < writes; ++i) result[i] = left[i] + more;
    for (std::int64_t i = 0; i < wrong; ++i) result[i] += 1;
    if (spoils) reinterpret_cast<float*>(given[1].address)[kSize - 1] += 1;
    return end;
  }

  static fib_status fall_back(void* user, const fib_value* values, size_t count, void* /*stream*/) {
    auto& test = *static_cast<VerifyTest*>(user);
    ++test.fell_back;
    bool is_right = count == 6 && values[2].kind == FIB_INTEGER && values[2].u.integer == 3 &&
                    values[3].kind == FIB_FLOAT && values[3].u.number == 0.5 && values[4].kind == FIB_BOOL &&
                    values[4].u.integer == 1;
    for (const std::size_t place : {0, 1, 5}) {
      const fib_tensor& tensor = *values[place].u.tensor;
      is_right = is_right && values[place].kind == FIB_TENSOR && tensor.ndim == 1 &&
                 tensor.shape[0] == kSize && tensor.dtype_bits == 32 && tensor.strides == nullptr &&
                 tensor.device_type == test.prepared.found.device_type &&
                 tensor.data != test.arguments[place].address &&
                 reinterpret_cast<std::uintptr_t>(tensor.data) % 256 == 0;
    }
    if (!is_right) ++test.wrongly_called;
    auto* left = static_cast<float*>(values[0].u.tensor->data);
    auto* result = static_cast<float*>(values[5].u.tensor->data);
    std::copy_n(left, kSize, result);
    std::fill_n(left, kSize, -1.0F);  // a copy, of which the solution sees nothing
    return test.status;
  }

  bool passes() { return verifier->passes(prepared, arguments, nullptr, why); }

  std::unique_ptr<apply::Devices> devices;
  model::Definition definition;
  arguments::Signature signature;
  std::unique_ptr<Verifier> verifier;
  std::unique_ptr<apply::AppliedSolution> solution;
  apply::Prepared prepared;
  HostTensor a{DType::kFloat32, {kSize}};
  HostTensor b{DType::kFloat32, {kSize}};
  HostTensor c{DType::kFloat32, {kSize}};
  Argument arguments[6];
  std::string why;
  float more = 0;               // what the solution does wrong: adds this,
  std::int64_t writes = kSize;  // writes so many elements,
  std::int64_t wrong = 0;       // and makes a mistake in the first of them
  bool spoils = false;          // changes its input b
  CallEnd end = CallEnd::done;
  fib_status status = FIB_OK;
  std::atomic<int> solved = 0;
  std::atomic<int> fell_back = 0;
  std::atomic<int> wrongly_called = 0;  // with other arguments than copies of the call's
};

Config first() {
  Config config;
  config.verify_first = true;
  return config;
}

Config rate(double share) {
  Config config;
  config.verify_rate = share;
  return config;
}

}  // namespace

TEST_CASE("nothing is compared unless it is asked for, and no sampler") {
  CHECK(VerifyTest(Config{}).verifier == nullptr);
  CHECK(VerifyTest(first(), add_definition("sampling")).verifier == nullptr);
  CHECK(VerifyTest(rate(1), add_definition("top_k_sampling")).verifier == nullptr);
  CHECK(VerifyTest(first()).verifier != nullptr);
}

TEST_CASE("the first call of a case is compared on copies, and the others are not") {
  VerifyTest test(first());
  CHECK(test.passes());
  CHECK(test.fell_back == 1);
  CHECK(test.solved == 1);
  CHECK(test.passes());
  CHECK(test.fell_back == 1);
  CHECK(test.why.empty());
  CHECK(test.a.data<float>()[7] == 7);
  CHECK(test.c.data<float>()[7] == 0);  // the call itself is still to be made
  CHECK(test.verifier->counts().agreed == 1);
  CHECK_FALSE(test.solution->is_dropped());
}

TEST_CASE("a solution that differs is dropped, with a line that says so") {
  VerifyTest test(first());
  test.more = 1;
  const StandardError errors;
  CHECK_FALSE(test.passes());
  CHECK_THAT(
      test.why,
      Catch::Contains("it differs from the program's own function: output \"c\": 100 of 100 elements do not "
                      "match; first at c[0]: expected 0, got 1"));
  CHECK(test.solution->drop_reason() == test.why);
  CHECK(errors.text() == "fib: the solution mine is not used any more: " + test.why + "\n");
  CHECK(test.verifier->counts().differed == 1);
  CHECK(test.c.data<float>()[7] == 0);  // nothing was done
}

TEST_CASE("elements that the solution did not write are no luck of what lay there") {
  VerifyTest test(first());
  test.writes = 99;
  const StandardError errors;
  CHECK_FALSE(test.passes());
  CHECK_THAT(test.why, Catch::Contains("1 of 100 elements were never written; first at c[99]"));
}

TEST_CASE("a solution that changes its inputs differs, and the call's inputs stay as they are") {
  VerifyTest test(first());
  test.spoils = true;
  const StandardError errors;
  CHECK_FALSE(test.passes());
  CHECK(test.why == "it differs from the program's own function: it changes its input \"b\"");
  CHECK(test.solution->is_dropped());
  CHECK(test.b.data<float>()[VerifyTest::kSize - 1] == 0);
}

TEST_CASE("outputs are judged by the definition's rule and the configured tolerances") {
  Config wide = first();
  wide.verify_atol = 2;
  VerifyTest tolerant(wide);
  tolerant.more = 1.5;
  CHECK(tolerant.passes());
  const StandardError errors;
  VerifyTest strict(first());
  strict.wrong = 4;
  CHECK_FALSE(strict.passes());
  VerifyTest experts(first(), add_definition("moe"));  // 0.95 of the elements have to match
  experts.wrong = 4;
  CHECK(experts.passes());
  VerifyTest worse(first(), add_definition("moe"));
  worse.wrong = 6;
  CHECK_FALSE(worse.passes());
}

TEST_CASE("a share of all calls is compared") {
  VerifyTest test(rate(0.25));
  for (int i = 0; i < 2000; ++i) CHECK(test.passes());
  CHECK(test.fell_back > 400);
  CHECK(test.fell_back < 600);
  VerifyTest all(rate(1));
  for (int i = 0; i < 10; ++i) CHECK(all.passes());
  CHECK(all.fell_back == 10);
}

TEST_CASE("operations in place are not compared") {
  VerifyTest test(rate(1));
  test.arguments[5] = test.arguments[0];
  CHECK(test.passes());
  test.arguments[5].address = test.arguments[1].address + 4 * (VerifyTest::kSize - 1);  // one element of it
  CHECK(test.passes());
  CHECK(test.fell_back == 0);
  test.arguments[5].address = test.c.data<std::byte>();
  CHECK(test.passes());
  CHECK(test.fell_back == 1);
}

TEST_CASE("what cannot be compared is told once, and the calls are made") {
  const StandardError errors;
  SECTION("without a function of the program") {
    VerifyTest test(first());
    test.verifier->set_fallback(nullptr, nullptr);
    CHECK(test.passes());
    CHECK(test.passes());
    CHECK(errors.text() ==
          "fib: a call of add was not compared with the program's own function: the program has set "
          "none (fib_apply_set_fallback)\n");
    CHECK(test.verifier->counts().not_compared == 2);
    test.verifier->set_fallback(&VerifyTest::fall_back, &test);  // later than the first call
    CHECK(test.passes());
    CHECK(test.fell_back == 1);
  }
  SECTION("where the program's function fails") {
    VerifyTest test(first());
    test.status = FIB_FAILED;
    CHECK(test.passes());
    CHECK(test.passes());
    CHECK(test.fell_back == 1);  // and is not asked at every call
    CHECK(test.solved == 0);
    CHECK(test.verifier->counts().problem == "it returned the status 3");
    CHECK(test.why.empty());
  }
  SECTION("where the solution fails, which the call itself tells") {
    VerifyTest test(first());
    test.end = CallEnd::failed;
    CHECK(test.passes());
    CHECK(test.verifier->counts().not_compared == 0);
    test.end = CallEnd::done;
    CHECK(test.passes());
    CHECK(test.verifier->counts().agreed == 1);
  }
}

TEST_CASE("many threads are compared at once") {
  VerifyTest test(rate(1));
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      std::string why;
      for (int i = 0; i < 50; ++i)
        wrong += test.verifier->passes(test.prepared, test.arguments, nullptr, why) ? 0 : 1;
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(test.verifier->counts().agreed == 200);
}

TEST_CASE("a rule that looks at the inputs gets them") {
  const auto definition = model::parse_definition(R"({"name": "dsa_topk_indexer_small", "op_type": "dsa",
      "axes": {"b": {"type": "var"}, "h": {"type": "const", "value": 1}, "d": {"type": "const", "value": 4},
               "p": {"type": "const", "value": 1}, "s": {"type": "const", "value": 4},
               "one": {"type": "const", "value": 1}, "ds": {"type": "const", "value": 8},
               "m": {"type": "const", "value": 1}, "k": {"type": "const", "value": 5}},
      "inputs": {"q_index_fp8": {"shape": ["b", "h", "d"], "dtype": "float8_e4m3fn"},
                 "k_index_cache_fp8": {"shape": ["p", "s", "one", "ds"], "dtype": "int8"},
                 "weights": {"shape": ["b", "h"], "dtype": "float32"},
                 "seq_lens": {"shape": ["b"], "dtype": "int32"},
                 "block_table": {"shape": ["b", "m"], "dtype": "int32"}},
      "outputs": {"topk_indices": {"shape": ["b", "k"], "dtype": "int32"}}, "reference": "def run(): pass"})");
  const arguments::Signature signature(definition);
  apply::Devices devices;
  const auto verifier = Verifier::make(first(), definition, signature, devices);
  HostTensor queries(DType::kFloat8E4M3FN, {1, 1, 4});
  HostTensor keys(DType::kInt8, {1, 4, 1, 8});
  HostTensor weights(DType::kFloat32, {1, 1});
  HostTensor lengths(DType::kInt32, {1});
  HostTensor pages(DType::kInt32, {1, 1});
  HostTensor output(DType::kInt32, {1, 5});
  *lengths.data<std::int32_t>() = 4;  // whose scores are all equal
  std::vector<Argument> arguments(6);
  std::size_t next = 0;
  for (auto* tensor : {&queries, &keys, &weights, &lengths, &pages, &output})
    arguments[next++].address = tensor->data<std::byte>();
  static std::vector<std::int32_t> of_solution;
  of_solution = {3, 2, 1, 0, -1};
  verifier->set_fallback(
      [](void*, const fib_value* values, size_t, void*) -> fib_status {
        const std::int32_t indices[] = {0, 1, 2, 3, -1};
        std::copy_n(indices, 5, static_cast<std::int32_t*>(values[5].u.tensor->data));
        return FIB_OK;
      },
      nullptr);
  model::Solution record;
  apply::AppliedSolution solution(record, "");
  apply::Prepared prepared;
  prepared.solution = &solution;
  static bool spoils;
  spoils = false;
  prepared.call = std::make_unique<Made>([](const Argument* given) {
    std::copy_n(of_solution.data(), 5, reinterpret_cast<std::int32_t*>(given[5].address));
    if (spoils) *reinterpret_cast<std::int32_t*>(given[3].address) = 0;
    return CallEnd::done;
  });
  prepared.found = signature.case_of({{"b", 1}}, tvm_ffi::kCpu, 0);
  prepared.is_unverified = true;
  std::string why;
  CHECK(verifier->passes(prepared, arguments.data(), nullptr, why));  // in any order
  CHECK(verifier->counts().agreed == 1);
  prepared.is_unverified = true;
  of_solution = {3, 2, 1, 4, -1};
  const StandardError errors;
  CHECK_FALSE(verifier->passes(prepared, arguments.data(), nullptr, why));
  CHECK_THAT(why, Catch::Contains("indices"));
  of_solution = {-1, -1, -1, -1, -1};  // right for the lengths that it has made of its inputs
  spoils = true;
  CHECK_FALSE(verifier->passes(prepared, arguments.data(), nullptr, why));
  CHECK_THAT(why, Catch::Contains("topk_indices"));
}

TEST_CASE("a runtime compares calls, and leaves a solution that differs to the program") {
  const testing::TemporaryFolder folder;
  ::setenv("FIB_CACHE_PATH", (folder.path() / "cache").c_str(), 1);
  testing::AppliedDataset data(folder.path() / "dataset");
  data.adder("none", "0").adder("ten", "10").result({"none", 8, 3}).result({"ten", 16, 3});
  apply::Runtime applied(data.load(), apply::parse_registry(R"({"verify_first":true})"),
                         testing::fib_binary());
  const auto& function = applied.find("add");
  std::string why;
  const auto call = [&](std::int64_t n) {
    HostTensor a(DType::kFloat32, {n}), b(DType::kFloat32, {n}), c(DType::kFloat32, {n});
    a.data<float>()[1] = 5;
    const fib_value values[] = {a.value(), b.value(), c.value()};
    const fib_outcome outcome = function.call(values, 3, nullptr, why);
    CHECK(c.data<float>()[1] == (outcome == FIB_APPLIED ? 5 : 0));
    return outcome;
  };
  static int calls;
  calls = 0;
  const fib_fallback own = [](void*, const fib_value* values, size_t, void*) -> fib_status {
    const auto* a = static_cast<const float*>(values[0].u.tensor->data);
    std::copy_n(a, values[0].u.tensor->shape[0], static_cast<float*>(values[2].u.tensor->data));
    ++calls;
    return FIB_OK;
  };
  applied.set_fallback("add", own, nullptr);
  applied.set_fallback("missing", own, nullptr);  // whose calls tell that it is
  CHECK(call(8) == FIB_APPLIED);
  CHECK(call(8) == FIB_APPLIED);
  CHECK(why.empty());
  CHECK(calls == 1);
  const StandardError errors;
  CHECK(call(16) == FIB_DROPPED);
  CHECK_THAT(why, Catch::StartsWith("it differs from the program's own function: "));
  CHECK(call(16) == FIB_DROPPED);
  CHECK(calls == 2);
  CHECK(call(8) == FIB_APPLIED);
  const auto statistics = nlohmann::json::parse(applied.statistics_json());
  CHECK(statistics.at("verified") == nlohmann::json{{"add", {{"agreed", 1}, {"differed", 1}}}});
  CHECK(statistics.at("dropped").size() == 1);
  CHECK(statistics.at("calls").at("add") == nlohmann::json{{"applied", 3}, {"dropped", 2}});
}

#if FIB_CUDA

namespace {

// The same with all tensors on an emulated device.
struct OnDevice : VerifyTest {
  explicit OnDevice(const Config& config)
      : VerifyTest(config, add_definition(),
                   std::make_unique<apply::Devices>(std::make_unique<cuda::Driver>(emulation::driver()))) {
    prepared.found.device_type = prepared.device_type = tvm_ffi::kCuda;
    for (const std::size_t place : {0, 1, 5}) {
      CUdeviceptr address = 0;
      driver.allocate(&address, 4 * kSize);
      driver.copy_to_device(address, arguments[place].address, 4 * kSize, nullptr);
      arguments[place].address = reinterpret_cast<std::byte*>(address);
    }
  }
  ~OnDevice() {
    for (const std::size_t place : {0, 1, 5})
      driver.free(reinterpret_cast<CUdeviceptr>(arguments[place].address));
  }
  cuda::Driver driver = emulation::driver();
};

}  // namespace

TEST_CASE("calls on a device are compared there, and their outputs on the host") {
  OnDevice test(rate(1));
  const std::size_t held = emulation::device_bytes_in_use();
  CHECK(test.passes());
  CHECK(test.verifier->counts().agreed == 1);
  test.more = 1;
  const StandardError errors;
  CHECK_FALSE(test.passes());
  CHECK(emulation::device_bytes_in_use() == held);
  CHECK(reinterpret_cast<const float*>(test.arguments[5].address)[7] == 0);
}

TEST_CASE("a call on a stream that is being captured is not compared, and the next one is") {
  OnDevice test(first());
  const std::size_t allocations = emulation::allocations();
  emulation::set_capturing(true);
  CHECK(test.passes());
  emulation::set_capturing(false);
  CHECK(emulation::allocations() == allocations);
  CHECK(test.fell_back == 0);
  CHECK(test.passes());
  CHECK(test.fell_back == 1);
}

TEST_CASE("a call for whose copies the device has no room is made without being compared") {
  OnDevice test(first());
  const StandardError errors;
  emulation::set_device_memory(emulation::device_bytes_in_use());
  CHECK(test.passes());
  emulation::set_device_memory(std::size_t{4} << 30U);
  CHECK(test.fell_back == 0);
  CHECK_THAT(test.verifier->counts().problem, Catch::StartsWith("cuMemAlloc: "));
  CHECK(test.passes());
  CHECK(test.fell_back == 0);
}

#endif
