#include <fib.h>

#include <catch2/catch.hpp>
#include <cstdlib>

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
