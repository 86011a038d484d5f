#include <catch2/catch.hpp>

#include "cli/golden.h"
#include "cli/run_fib.h"
#include "report/sample_dataset.h"

using namespace fib;
using testing::run_fib;
using Words = std::vector<std::string>;

namespace {

void check(const Words& more, const std::string& golden) {
  const testing::TemporaryDataset files;
  testing::write_sample(files);
  Words words{"list"};
  words.insert(words.end(), more.begin(), more.end());
  words.insert(words.end(), {"--local", "."});
  const auto output = run_fib(words, files.root());
  CHECK(output.err == "");
  CHECK(output.exit_code == 0);
  testing::check_golden(golden, output.out);
}

}  // namespace

TEST_CASE("list shows an overview") {
  check({}, "list.txt");
  check({"--format", "json"}, "list.json");
  check({"--format", "csv"}, "list.csv");
  check({"--format", "md"}, "list.md");
}

TEST_CASE("list shows definitions, solutions, workloads and traces") {
  for (const std::string kind : {"definitions", "solutions", "workloads", "traces"}) {
    check({kind}, "list_" + kind + ".txt");
    check({kind, "--format", "csv"}, "list_" + kind + ".csv");
  }
}

TEST_CASE("list takes names and globs as filters") {
  check({"solutions", "--definitions", "gemm_*", "--authors", "alice", "b*"}, "list_solutions_filtered.txt");
  check({"traces", "--op-types", "norm", "--authors", "bob"}, "list_traces_filtered.txt");
  check({"traces", "--authors", "nobody"}, "list_nothing.txt");
}

TEST_CASE("list refuses other words") {
  const testing::TemporaryDataset files;
  CHECK(run_fib({"list", "kernels"}, files.root()).exit_code == 2);
}

TEST_CASE("list of a folder that holds nothing says so") {
  const testing::TemporaryDataset files;
  const auto output = run_fib({"list", "--local", "."}, files.root());
  CHECK(output.out == "No definitions, solutions, workloads or traces in .\n");
  CHECK(output.exit_code == 0);
}
