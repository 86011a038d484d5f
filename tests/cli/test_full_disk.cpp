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

// Blank lines up to the end of the file's last page, so that nothing more fits into it.
void end_page(const fs::path& file) {
  const std::size_t used = fs::file_size(file) % 4096;
  std::ofstream(file, std::ios::binary | std::ios::app) << std::string(4096 - used, '\n');
}

}  // namespace

TEST_CASE("a run whose traces do not fit on the disk says so, ends, and keeps those that are there") {
  SmallDisk disk;
  if (!disk.mounted()) {
    WARN("skipped: a limit on file sizes would also stop the compiler");
    return;
  }
  FibRun run;
  run.dataset.add_definition({100}).solution("one", "alice", kHonest);
  fs::create_directory_symlink(disk.root(), run.dataset.root() / "traces");
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
