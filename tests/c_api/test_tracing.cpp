#include <fib.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "c_api/text.h"
#include "dataset/load.h"
#include "support/dataset.h"
#include "support/process.h"
#include "support/temporary.h"
#include "support/tensors.h"

using namespace fib;
using nlohmann::json;
using testing::HostTensor;
using testing::Text;

namespace {

struct TracingTest {
  testing::TemporaryFolder folder;
  testing::DatasetBuilder builder{folder.path() / "dataset"};
  fib_dataset* dataset = nullptr;
  HostTensor a{tensor::DType::kFloat32, {8}};
  fib_value values[2] = {a.value(), a.value()};

  TracingTest() {
    builder.add_definition({});
    REQUIRE(fib_dataset_open(builder.root().c_str(), &dataset) == FIB_OK);
  }
  ~TracingTest() { fib_dataset_close(dataset); }
  TracingTest(const TracingTest&) = delete;
  TracingTest& operator=(const TracingTest&) = delete;

  fib_tracing* open(const char* config = nullptr) const {
    fib_tracing* tracing = nullptr;
    REQUIRE(fib_tracing_open(dataset, config, &tracing) == FIB_OK);
    return tracing;
  }
  [[nodiscard]] std::size_t workloads() const {
    const auto loaded = dataset::load(builder.root());
    CHECK(loaded.problems.empty());
    const auto found = loaded.workloads.find("add");
    return found == loaded.workloads.end() ? 0 : found->second.size();
  }
};

}  // namespace

TEST_CASE_METHOD(TracingTest, "calls that are collected through the C interface become workloads") {
  fib_tracing* tracing = open(R"({"input_dump_policy":"dump_all"})");
  const fib_site* site = nullptr;
  const fib_site* again = nullptr;
  REQUIRE(fib_tracing_find(tracing, "add", &site) == FIB_OK);
  REQUIRE(fib_tracing_find(tracing, "add", &again) == FIB_OK);
  CHECK(site == again);
  CHECK(fib_collect(site, values, 2, nullptr) == FIB_KEPT);
  CHECK(fib_collect(site, values, 2, nullptr) == FIB_PASSED_OVER);
  CHECK(fib_collect(site, values, 1, nullptr) == FIB_TRACED_WRONG_ARGUMENTS);
  CHECK(fib_collect(nullptr, values, 2, nullptr) == FIB_NOT_TRACED);
  CHECK(fib_tracing_flush(tracing) == FIB_OK);
  CHECK(workloads() == 1);
  Text text;
  REQUIRE(fib_tracing_statistics(tracing, text.out()) == FIB_OK);
  const auto of_add = json::parse(text.str()).at("definitions").at("add");
  CHECK(of_add.at("kept") == 1);
  CHECK(of_add.at("written") == 1);
  CHECK(of_add.at("passed_over") == 1);
  fib_tracing_close(tracing);
}

TEST_CASE_METHOD(TracingTest, "tracings in force are a stack") {
  CHECK(fib_tracing_current() == nullptr);
  CHECK(fib_tracing_collect("add", values, 2, nullptr) == FIB_NOT_TRACED);
  fib_tracing* outer = open();
  fib_tracing* inner = open(R"({"default":null})");
  CHECK(fib_tracing_push(outer) == FIB_OK);
  CHECK(fib_tracing_push(inner) == FIB_OK);
  CHECK(fib_tracing_push(inner) == FIB_OK);
  CHECK(fib_tracing_current() == inner);
  CHECK(fib_tracing_collect("add", values, 2, nullptr) == FIB_NOT_TRACED);
  CHECK(fib_tracing_pop(outer) == FIB_INVALID);
  CHECK(fib_tracing_pop(inner) == FIB_OK);
  CHECK(fib_tracing_collect("add", values, 2, nullptr) == FIB_KEPT);
  CHECK(fib_tracing_collect("none", values, 2, nullptr) == FIB_NOT_TRACED);
  fib_tracing_close(outer);  // writes
  CHECK(fib_tracing_current() == nullptr);
  fib_tracing_close(inner);
  fib_tracing_close(nullptr);
  CHECK(workloads() == 1);
}

TEST_CASE_METHOD(TracingTest, "mistakes in calls of tracing are told") {
  fib_tracing* tracing = nullptr;
  CHECK(fib_tracing_open(nullptr, nullptr, &tracing) == FIB_INVALID);
  CHECK(fib_tracing_open(dataset, nullptr, nullptr) == FIB_INVALID);
  CHECK(fib_tracing_open(dataset, R"({"filter_policy":"keep_some"})", &tracing) == FIB_INVALID);
  CHECK_THAT(fib_last_error(), Catch::Contains("there is no filter_policy \"keep_some\""));
  fib_dataset* in_memory = nullptr;
  REQUIRE(fib_dataset_from_json("{}", &in_memory) == FIB_OK);
  CHECK(fib_tracing_open(in_memory, nullptr, &tracing) == FIB_INVALID);
  CHECK_THAT(fib_last_error(), Catch::Contains("has no folder"));
  fib_dataset_close(in_memory);
  CHECK(tracing == nullptr);
  tracing = open();
  const fib_site* site = nullptr;
  CHECK(fib_tracing_find(tracing, "none", &site) == FIB_NOT_FOUND);
  CHECK(site == nullptr);
  CHECK(fib_tracing_flush(nullptr) == FIB_INVALID);
  CHECK(std::string(fib_traced_name(FIB_NOT_COPIED)) == "not_copied");
  fib_tracing_close(tracing);
}

// Run by the test below in a process of its own, since the environment is looked at once a process.
TEST_CASE("a call that is traced as the environment has it", "[.environment-tracing]") {
  HostTensor a(tensor::DType::kFloat32, {8});
  const fib_value values[] = {a.value(), a.value()};
  std::printf("%s\n", fib_traced_name(fib_tracing_collect("add", values, 2, nullptr)));
}

TEST_CASE_METHOD(TracingTest, "FIB_ENABLE_TRACING traces until the process exits") {
  const auto run = [&](const std::vector<std::string>& environment) {
    return testing::run_process({std::filesystem::read_symlink("/proc/self/exe"), "[.environment-tracing]"},
                                environment);
  };
  const auto on = run({"FIB_ENABLE_TRACING=1", "FIB_DATASET_PATH=" + builder.root().string()});
  CHECK_THAT(on.out, Catch::Contains("kept\n"));
  CHECK(on.err.empty());
  CHECK(on.exit_code == 0);
  CHECK(workloads() == 1);
  const auto off = run({"FIB_ENABLE_TRACING=true", "FIB_DATASET_PATH=" + builder.root().string()});
  CHECK_THAT(off.out, Catch::Contains("not_traced\n"));
  const auto wrong = run({"FIB_ENABLE_TRACING=1", "FIB_DATASET_PATH=/nowhere"});
  CHECK_THAT(wrong.out, Catch::Contains("not_traced\n"));
  CHECK(wrong.err == "fib: FIB_ENABLE_TRACING: there is no folder /nowhere\n");
}
