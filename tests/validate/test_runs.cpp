#include "validate/support.h"

using namespace fib::testing;

namespace {

Lines runs(const Checked& files) { return files.said("runs", kLenient, ""); }

}  // namespace

TEST_CASE("runs: records of runs and baselines that cannot be read") {
  const Checked files;
  CHECK(runs(files).empty());
  files.files.write("runs/runs.jsonl", "{\"run_id\":\"1\"}\n{\n");
  files.files.write("runs/baselines.jsonl", "[]\n");
  const auto lines = runs(files);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].starts_with("error: runs/runs.jsonl:2: "));
  CHECK(lines[1].starts_with("error: runs/baselines.jsonl:1: "));
  files.files.write("runs/runs.jsonl", "{\"run_id\":\"1\"}\n");
  files.files.write("runs/baselines.jsonl", "");
  CHECK(runs(files).empty());
}
