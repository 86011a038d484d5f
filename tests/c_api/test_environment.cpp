#include <fib.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "apply/results.h"
#include "support/places.h"
#include "support/process.h"
#include "support/tensors.h"

using namespace fib;
using tensor::DType;
using testing::HostTensor;

// Run by the test below in a process of its own, since the environment is looked at once a process.
TEST_CASE("a call as the environment has it", "[.environment]") {
  HostTensor a(DType::kFloat32, {8});
  HostTensor c(DType::kFloat32, {8});
  const fib_value values[] = {a.value(), a.value(), c.value()};
  const fib_outcome outcome = fib_apply_call("add", values, 3, nullptr);
  std::printf("%s %g\n", fib_outcome_name(outcome), static_cast<double>(c.data<float>()[0]));
  std::printf("%s\n", fib_outcome_name(fib_apply_call("other", values, 3, nullptr)));
}

TEST_CASE("FIB_ENABLE_APPLY applies a dataset") {
  const util::TemporaryFolder folder(std::filesystem::temp_directory_path(), "fib-c-");
  testing::AppliedDataset data(folder.path() / "dataset");
  data.adder("ten", "10").result({"ten", 8, 3});
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> environment = {"FIB_PROGRAM=" + testing::fib_binary(),
                                            "FIB_CACHE_PATH=" + (folder.path() / "cache").string()};
    environment.insert(environment.end(), more.begin(), more.end());
    return testing::run_process({std::filesystem::read_symlink("/proc/self/exe"), "[.environment]"},
                                environment);
  };
  const auto on = run({"FIB_ENABLE_APPLY=1", "FIB_DATASET_PATH=" + data.root().string()});
  CHECK_THAT(on.out, Catch::Contains("applied 10\n") && Catch::Contains("no_definition\n"));
  CHECK(on.err.empty());
  const auto off = run({"FIB_ENABLE_APPLY=0", "FIB_DATASET_PATH=" + data.root().string()});
  CHECK_THAT(off.out, Catch::Contains("no_runtime 0\n"));
  const auto wrong = run({"FIB_ENABLE_APPLY=1", "FIB_DATASET_PATH=/nowhere"});
  CHECK_THAT(wrong.out, Catch::Contains("no_runtime 0\n"));
  CHECK(wrong.err == "fib: FIB_ENABLE_APPLY: there is no folder /nowhere\n");
}

// Run by the test below: the process exits while other threads still call.
TEST_CASE("threads that call until the end", "[.exit]") {
  for (int t = 0; t < 4; ++t) {
    std::thread([] {
      HostTensor a(DType::kFloat32, {8});
      HostTensor c(DType::kFloat32, {8});
      const fib_value values[] = {a.value(), a.value(), c.value()};
      while (true) {
        (void)fib_apply_call("add", values, 3, nullptr);
        (void)fib_tracing_collect("add", values, 3, nullptr);
      }
    }).detach();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  std::exit(0);  // NOLINT: that other threads are there is what is tested
}

TEST_CASE("a process may exit while other threads call") {
  const util::TemporaryFolder folder(std::filesystem::temp_directory_path(), "fib-c-");
  testing::AppliedDataset data(folder.path() / "dataset");
  data.adder("ten", "10").result({"ten", 8, 3});
  for (int i = 0; i < 10; ++i) {
    const auto ended = testing::run_process(
        {std::filesystem::read_symlink("/proc/self/exe"), "[.exit]"},
        {"FIB_PROGRAM=" + testing::fib_binary(), "FIB_CACHE_PATH=" + (folder.path() / "cache").string(),
         "FIB_ENABLE_APPLY=1", "FIB_ENABLE_TRACING=1", "FIB_DATASET_PATH=" + data.root().string()});
    INFO(ended.out << ended.err);
    CHECK(ended.exit_code == 0);
  }
}
