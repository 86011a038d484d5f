#include <fib.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <new>
#include <nlohmann/json.hpp>

#include "apply/results.h"
#include "c_api/text.h"
#include "device/cpu/hardware.h"
#include "support/places.h"
#include "support/tensors.h"

using namespace fib;
using nlohmann::json;
using tensor::DType;
using testing::HostTensor;
using testing::Text;

namespace {

struct ApplyTest {
  util::TemporaryFolder folder{std::filesystem::temp_directory_path(), "fib-c-"};
  testing::AppliedDataset data{folder.path() / "dataset"};
  fib_dataset* dataset = nullptr;
  HostTensor a{DType::kFloat32, {8}};
  HostTensor b{DType::kFloat32, {8}};
  HostTensor c{DType::kFloat32, {8}};
  fib_value values[3] = {a.value(), b.value(), c.value()};

  ApplyTest() {
    ::setenv("FIB_CACHE_PATH", (folder.path() / "cache").c_str(), 1);
    ::setenv("FIB_PROGRAM", testing::fib_binary().c_str(), 1);
    data.adder("ten", "10").adder("twenty", "20").result({"ten", 8, 3}).result({"twenty", 16, 2});
    REQUIRE(fib_dataset_open(data.root().c_str(), &dataset) == FIB_OK);
  }
  ~ApplyTest() { fib_dataset_close(dataset); }
  ApplyTest(const ApplyTest&) = delete;
  ApplyTest& operator=(const ApplyTest&) = delete;

  fib_apply* open(const char* config = nullptr) const {
    fib_apply* apply = nullptr;
    REQUIRE(fib_apply_open(dataset, config, &apply) == FIB_OK);
    return apply;
  }
};

}  // namespace

TEST_CASE_METHOD(ApplyTest, "a call through the C interface runs the winner") {
  fib_apply* apply = open();
  fib_dataset_close(dataset);  // it is not needed any more
  dataset = nullptr;
  const fib_function* function = nullptr;
  REQUIRE(fib_apply_find(apply, "add", &function) == FIB_OK);
  CHECK(fib_call(function, values, 3, nullptr) == FIB_APPLIED);
  CHECK(c.data<float>()[3] == 10);
  CHECK(fib_call(function, values, 2, nullptr) == FIB_WRONG_ARGUMENTS);
  CHECK(std::string(fib_last_error()) == "expected 3 arguments, the inputs and the outputs, got 2");
  CHECK(fib_call(nullptr, values, 3, nullptr) == FIB_CANNOT_RUN);

  const fib_prepared* prepared = nullptr;
  REQUIRE(fib_prepare(function, values, 3, nullptr, &prepared) == FIB_APPLIED);
  a.data<float>()[0] = 1;
  void* addresses[] = {a.data<void>(), b.data<void>(), c.data<void>()};
  CHECK(fib_prepared_call(prepared, addresses, nullptr) == FIB_APPLIED);
  CHECK(c.data<float>()[0] == 11);

  const std::int64_t n = 16;
  fib_outcome outcome = FIB_CANNOT_RUN;
  CHECK(std::string(fib_match(function, 1, 0, &n, 1, &outcome)) == "twenty");
  CHECK(outcome == FIB_APPLIED);

  fib_apply_drop(apply, "ten", "it is not wanted");
  CHECK(fib_prepared_call(prepared, addresses, nullptr) == FIB_DROPPED);
  Text text;
  REQUIRE(fib_apply_statistics(apply, text.out()) == FIB_OK);
  const auto statistics = json::parse(text.str());
  CHECK(statistics.at("calls").at("add") == json{{"applied", 2}, {"wrong_arguments", 1}, {"dropped", 1}});
  CHECK(statistics.at("dropped").at("ten") == "it is not wanted");
  REQUIRE(fib_apply_table(apply, text.out()) == FIB_OK);
  CHECK(json::parse(text.str()).at("index").at("add").at(0).at("solution") == "ten");
  fib_apply_close(apply);
}

TEST_CASE_METHOD(ApplyTest, "calls are compared with the program's own function where that is asked for") {
  const fib_fallback own = [](void* user, const fib_value* arguments, size_t count, void*) -> fib_status {
    ++*static_cast<int*>(user);
    if (count != 3) return FIB_INVALID;
    std::fill_n(static_cast<float*>(arguments[2].u.tensor->data), 8, 10.0F);  // as "ten" does, of zeros
    return FIB_OK;
  };
  fib_apply* apply = open(R"({"verify_first":true,"verify_rate":1})");
  int calls = 0;
  CHECK(fib_apply_set_fallback(nullptr, "add", own, &calls) == FIB_INVALID);
  CHECK(fib_apply_set_fallback(apply, nullptr, own, &calls) == FIB_INVALID);
  CHECK(fib_apply_set_fallback(apply, "nosuch", own, &calls) == FIB_NOT_FOUND);
  REQUIRE(fib_apply_set_fallback(apply, "add", own, &calls) == FIB_OK);
  const fib_function* function = nullptr;
  const fib_prepared* prepared = nullptr;
  REQUIRE(fib_apply_find(apply, "add", &function) == FIB_OK);
  CHECK(fib_call(function, values, 3, nullptr) == FIB_APPLIED);
  CHECK(std::string(fib_last_error()).empty());
  CHECK(c.data<float>()[3] == 10);
  REQUIRE(fib_prepare(function, values, 3, nullptr, &prepared) == FIB_APPLIED);
  void* addresses[] = {a.data<void>(), b.data<void>(), c.data<void>()};
  CHECK(fib_prepared_call(prepared, addresses, nullptr) == FIB_APPLIED);
  CHECK(calls == 2);
  a.data<float>()[3] = 1;  // now it differs
  c.data<float>()[3] = 0;
  CHECK(fib_prepared_call(prepared, addresses, nullptr) == FIB_DROPPED);  // with a line on standard error
  CHECK_THAT(fib_last_error(), Catch::Contains("first at c[3]: expected 10, got 11"));
  CHECK(c.data<float>()[3] == 0);
  Text text;
  REQUIRE(fib_apply_statistics(apply, text.out()) == FIB_OK);
  CHECK(json::parse(text.str()).at("verified").at("add") == json{{"agreed", 2}, {"differed", 1}});
  fib_apply_close(apply);
}

TEST_CASE_METHOD(ApplyTest, "the program's own function may call the library") {
  fib_apply* apply = open(R"({"verify_first":true,"verify_rate":1})");
  struct Own {
    const fib_function* function = nullptr;
    int calls = 0;
    fib_outcome inner = FIB_APPLIED;
  } own;
  // What a program has in place of its function: fib's solution, or else its own code. Its calls leave
  // errors.
  const fib_fallback dispatch = [](void* user, const fib_value* arguments, size_t count,
                                   void* stream) -> fib_status {
    auto& self = *static_cast<Own*>(user);
    if (++self.calls > 10) return FIB_FAILED;  // not without end
    self.inner = fib_call(self.function, arguments, count, stream);
    if (self.inner == FIB_APPLIED) return FIB_OK;
    const auto* left = static_cast<const float*>(arguments[0].u.tensor->data);
    auto* result = static_cast<float*>(arguments[2].u.tensor->data);
    for (int i = 0; i < 8; ++i) result[i] = left[i] + 10;
    (void)fib_apply_set_fallback(nullptr, "add", nullptr, nullptr);  // leaves an error
    return FIB_OK;
  };
  REQUIRE(fib_apply_find(apply, "add", &own.function) == FIB_OK);
  REQUIRE(fib_apply_set_fallback(apply, "add", dispatch, &own) == FIB_OK);
  CHECK(fib_call(own.function, values, 3, nullptr) == FIB_APPLIED);
  CHECK(std::string(fib_last_error()).empty());  // what calls in it have left is gone
  CHECK(own.calls == 1);
  CHECK(own.inner == FIB_NOT_READY);  // else the solution would be compared with itself
  CHECK(c.data<float>()[3] == 10);
  CHECK(fib_call(own.function, values, 3, nullptr) == FIB_APPLIED);
  CHECK(own.calls == 2);
  Text text;
  REQUIRE(fib_apply_statistics(apply, text.out()) == FIB_OK);
  const auto statistics = json::parse(text.str());
  CHECK(statistics.at("verified").at("add") == json{{"agreed", 2}, {"differed", 0}});
  CHECK(statistics.at("calls").at("add") == json{{"applied", 2}, {"not_ready", 2}});
  fib_apply_close(apply);
}

TEST_CASE_METHOD(ApplyTest, "runtimes are a stack, and the one on top answers") {
  CHECK(fib_apply_current() == nullptr);
  CHECK(fib_apply_call("add", values, 3, nullptr) == FIB_NO_RUNTIME);
  fib_apply* first = open();
  fib_apply* second = open(R"({"per_definition":{}})");
  REQUIRE(fib_apply_push(first) == FIB_OK);
  REQUIRE(fib_apply_push(first) == FIB_OK);  // nothing happens
  CHECK(fib_apply_call("add", values, 3, nullptr) == FIB_APPLIED);
  REQUIRE(fib_apply_push(second) == FIB_OK);
  CHECK(fib_apply_call("add", values, 3, nullptr) == FIB_NOT_CONFIGURED);
  CHECK(fib_apply_pop(first) == FIB_INVALID);
  CHECK_THAT(fib_last_error(), Catch::StartsWith("it is not the one on top of the stack"));
  REQUIRE(fib_apply_pop(second) == FIB_OK);
  CHECK(fib_apply_current() == first);
  fib_apply_close(first);  // closing takes it from the stack
  CHECK(fib_apply_current() == nullptr);
  CHECK(fib_apply_pop(second) == FIB_INVALID);
  fib_apply_close(second);
  fib_apply_close(nullptr);
}

TEST_CASE_METHOD(ApplyTest, "winners are built ahead, with a report") {
  fib_apply* apply = open();
  Text text;
  REQUIRE(fib_apply_warm(apply, nullptr, 1, 0, text.out()) == FIB_OK);
  CHECK(json::parse(text.str()) ==
        json{{{"solution", "ten"}, {"definition", "add"}, {"ready", true}, {"message", ""}},
             {{"solution", "twenty"}, {"definition", "add"}, {"ready", true}, {"message", ""}}});
  CHECK(fib_apply_warm(apply, "add", 1, 0, nullptr) == FIB_OK);
  CHECK(fib_apply_warm(apply, "add", 77, 0, nullptr) == FIB_FAILED);
  REQUIRE(fib_apply_hardware(apply, 1, 0, text.out()) == FIB_OK);
  CHECK(text.str() == device::cpu::model_name());
  CHECK(fib_apply_hardware(apply, 77, 0, text.out()) == FIB_FAILED);
  fib_apply_close(apply);
}

TEST_CASE_METHOD(ApplyTest, "a configuration that is wrong is told") {
  fib_apply* apply = nullptr;
  CHECK(fib_apply_open(dataset, R"({"max_atol":-1})", &apply) == FIB_INVALID);
  CHECK(std::string(fib_last_error()) == "max_atol: has to be a number above 0");
  CHECK(fib_apply_open(nullptr, nullptr, &apply) == FIB_INVALID);
  CHECK(apply == nullptr);
}

TEST_CASE("outcomes have their words") {
  CHECK(std::string(fib_outcome_name(FIB_APPLIED)) == "applied");
  CHECK(std::string(fib_outcome_name(FIB_NOT_TRUSTED)) == "not_trusted");
  CHECK(std::string(fib_outcome_name(static_cast<fib_outcome>(99))) == "unknown");
}
