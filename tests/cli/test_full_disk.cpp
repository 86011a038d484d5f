#include <catch2/catch.hpp>
#include <fstream>

#include "cli/run_support.h"
#include "dataset/load.h"
#include "support/small_disk.h"
#include "util/files.h"

namespace fs = std::filesystem;
using namespace fib;
using namespace fib::testing;  // NOLINT: all of it is used

namespace {

// Right, and writes to its temporary folder until nothing more fits.
const std::string kFillsDisk = R"(
#include <cstdio>
#include <cstdlib>
#include <string>
extern "C" void run(const float* a, const float* b, float* c, long n) {
  static bool filled = false;
  if (!filled) {
    std::FILE* file = std::fopen((std::string(std::getenv("TMPDIR")) + "/filler").c_str(), "w");
    static char page[4096] = {1};
    for (int i = 0; i < 1000 && file && std::fwrite(page, 1, sizeof page, file) == sizeof page; ++i) std::fflush(file);
    filled = true;
  }
  for (long i = 0; i < n; ++i) c[i] = a[i] + b[i];
})";

// Blank lines up to the end of the file's last page, so that nothing more fits into it.
void end_page(const fs::path& file) {
  const std::size_t used = fs::file_size(file) % 4096;
  std::ofstream(file, std::ios::binary | std::ios::app) << std::string(4096 - used, '\n');
}

}  // namespace

TEST_CASE("a build on a full disk is no verdict") {
  SmallDisk disk;
  if (!disk.mounted()) {
    WARN("skipped: a limit on file sizes would also stop the compiler");
    return;
  }
  FibRun run;
  run.dataset.add_definition({100}).solution("one", "alice", kHonest);
  fs::create_directory_symlink(disk.root(), run.folder.path() / "cache");
  disk.fill();
  const auto pages = GENERATE(0U, 1U, 2U, 3U, 4U, 6U);
  fs::resize_file(disk.root() / "filler", fs::file_size(disk.root() / "filler") - pages * 4096);
  const auto full = run.run(few());
  INFO(full.err);
  const auto traces = testing::read_traces(run.dataset.root());
  CHECK((full.exit_code == 1 || pages > 0));  // a few pages may be enough
  if (full.exit_code == 1) {
    CHECK(full.err.find("not done: one w100: ") != std::string::npos);
    CHECK(full.err.find("No space left on device") != std::string::npos);
    CHECK(traces.empty());
  }
  for (const auto& trace : traces) CHECK(trace.status == "PASSED");
  disk.make_room();
  CHECK(run.run(few({"--resume"})).exit_code == 0);
}

TEST_CASE("a solution that fills the disk of temporary folders does not keep traces from being written") {
  SmallDisk disk;
  if (!disk.mounted()) {
    WARN("skipped: there is no disk to fill");
    return;
  }
  FibRun run;
  run.dataset.add_definition({100}).solution("filler", "alice", kFillsDisk);
  REQUIRE(run.run(few({"--no-save-results"})).exit_code == 0);  // it is in the cache from now on
  fs::create_directory(disk.root() / "tmp");
  fs::create_directory(disk.root() / "traces");
  disk.appear_at(run.dataset.root() / "traces", "traces");
  auto environment = run.environment();
  environment[0] = "TMPDIR=" + (disk.root() / "tmp").string();
  const auto result = run_process(run.words(few()), environment);
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK(fs::is_empty(disk.root() / "tmp"));
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == 1);
  CHECK(traces[0].status == "PASSED");
}

TEST_CASE("a run whose traces do not fit on the disk says so, ends, and keeps those that are there") {
  SmallDisk disk;
  if (!disk.mounted()) {
    WARN("skipped: a limit on file sizes would also stop the compiler");
    return;
  }
  FibRun run;
  run.dataset.add_definition({100}).solution("one", "alice", kHonest);
  disk.appear_at(run.dataset.root() / "traces");
  REQUIRE(run.run(few()).exit_code == 0);
  const fs::path file = disk.root() / "alice" / "test" / "add.jsonl";
  end_page(file);
  const std::string before = util::read_file(file);
  run.dataset.solution("two", "alice", kHonest);
  disk.fill();
  const auto full = run.run(few({"--resume"}));
  disk.make_room();
  INFO(full.err);
  CHECK(full.exit_code == 1);
  const std::string seen = (run.dataset.root() / "traces" / "alice" / "test" / "add.jsonl").string();
  CHECK_THAT(full.err, Catch::EndsWith("fib: append to " + seen + ": " + disk.word() + "\n"));
  CHECK(util::read_file(file) == before);
  CHECK(run.processes().empty());
  CHECK(run.run(few({"--resume"})).exit_code == 0);
  const auto dataset = dataset::load(run.dataset.root());
  const auto& traces = dataset.traces;
  REQUIRE(traces.size() == 2);
  CHECK(*traces[0].solution == "one");
  CHECK(*traces[1].solution == "two");
}
