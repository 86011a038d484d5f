#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "cli/run_fib.h"
#include "dataset/temporary_dataset.h"
#include "model/shared_data.h"
#include "model/solution.h"
#include "support/small_disk.h"

using namespace fib;
using testing::run_fib;
namespace fs = std::filesystem;
using Files = testing::TemporaryDataset;

namespace {

const std::string kConfig = R"([solution]
name = "n"
definition = "d"
author = "a"

[build]
language = "cpp"
entry_point = "run"
)";

const std::string kPacked = R"({
  "name": "n",
  "definition": "d",
  "author": "a",
  "spec": {
    "language": "cpp",
    "target_hardware": [
      "cpu"
    ],
    "entry_point": "k.cpp::run"
  },
  "sources": [
    {
      "path": "k.cpp",
      "content": "void run() {}\n"
    }
  ]
})";

// A folder "in" that packs to kPacked.
void write_folder(const Files& files) {
  files.write("in/config.toml", kConfig);
  files.write("in/k.cpp", "void run() {}\n");
}

void check_done(const testing::CommandOutput& output, const std::string& out = "") {
  CHECK(output.err == "");
  CHECK(output.out == out);
  CHECK(output.exit_code == 0);
}

void check_error(const testing::CommandOutput& output, const std::string& message) {
  CHECK(output.err == "fib: " + message + "\n");
  CHECK(output.out == "");
  CHECK(output.exit_code == 1);
}

std::ptrdiff_t count_entries(const fs::path& folder) {
  return std::distance(fs::recursive_directory_iterator(folder), fs::recursive_directory_iterator());
}

}  // namespace

TEST_CASE("pack writes a solution to stdout or to a file, byte by byte") {
  const Files files;
  write_folder(files);
  check_done(run_fib({"pack", "in"}, files.root()), kPacked);
  check_done(run_fib({"pack", "in", "--output", "-"}, files.root()), kPacked);
  files.write("out.json", "old");
  check_done(run_fib({"pack", "in", "--output", "out.json"}, files.root()));
  CHECK(util::read_file(files.root() / "out.json") == kPacked);
  check_done(run_fib({"pack", "in", "--output", "new/folder/out.json"}, files.root()));
  CHECK(util::read_file(files.root() / "new/folder/out.json") == kPacked);
  CHECK(count_entries(files.root()) == 7);
}

TEST_CASE("pack takes another name") {
  const Files files;
  write_folder(files);
  const auto output = run_fib({"pack", "in", "--name", "other"}, files.root());
  std::string expected = kPacked;
  expected.replace(expected.find("\"n\""), 3, "\"other\"");
  check_done(output, expected);
}

TEST_CASE("unpack writes a folder that pack makes the same file of") {
  const Files files;
  files.write("solution.json", kPacked);
  check_done(run_fib({"unpack", "solution.json", "--output", "out"}, files.root()));
  CHECK(util::read_file(files.root() / "out/solution/cpp/k.cpp") == "void run() {}\n");
  CHECK_THAT(util::read_file(files.root() / "out/config.toml"),
             Catch::StartsWith("[solution]\nname = \"n\"\n"));
  check_done(run_fib({"pack", "out"}, files.root()), kPacked);
}

TEST_CASE("a real solution goes through both commands unchanged") {
  const auto folder = testing::shared_data("real/fib_a800/solutions");
  if (!folder) return;
  const Files files;
  const fs::path solution = *folder / "gpt-5.2_rmsnorm_h4096_cuda_optimized_r1_c0_high.json";
  const std::string text = util::read_file(solution);
  REQUIRE(model::to_json(model::parse_solution(text)) == text);
  check_done(run_fib({"unpack", solution, "--output", "out"}, files.root()));
  check_done(run_fib({"pack", "out"}, files.root()), text);
}

TEST_CASE("pack says in one sentence what it cannot pack, and writes nothing") {
  const Files files;
  const auto pack = [&] { return run_fib({"pack", "in", "--output", "out.json"}, files.root()); };
  files.write("out.json", "old");
  check_error(pack(), "in is no folder; name one with a config.toml");
  fs::create_directory(files.root() / "in");
  check_error(pack(), "in/config.toml is missing; `fib pack --help` shows one");
  files.write("in/config.toml", "[solution\n");
  CHECK_THAT(pack().err, Catch::StartsWith("fib: in/config.toml:1: "));
  files.write("in/config.toml", kConfig);
  check_error(pack(), "there are no sources (.py .cu .cuh .cpp .c .h .hpp .cc .cxx) in in");
  files.write("in/k.cpp", "");
  check_error(pack(), "in/k.cpp is empty; fill it, or list the sources in build.files");
  files.write("in/k.cpp", "\x80");
  check_error(pack(), "in/k.cpp is not UTF-8 text; convert it, or list the sources in build.files");
  files.write("secret", "void run();");
  fs::create_symlink(files.root() / "secret", files.root() / "in/linked.h");
  files.write("in/k.cpp", "void run();");
  check_error(pack(), "in/linked.h is a link out of in; put the file itself there");
  fs::remove(files.root() / "in/linked.h");
  fs::create_symlink("k.cpp", files.root() / "in/k.h");  // within
  check_error(pack(),
              "in/config.toml:8: entry_point \"run\" names no file, and no source defines it; write "
              "\"<file>::run\"");
  files.write("in/config.toml", kConfig + "file = 1\n");
  CHECK_THAT(pack().err, Catch::StartsWith("fib: in/config.toml:9: [build] has the unknown key \"file\""));
  CHECK(util::read_file(files.root() / "out.json") == "old");
}

TEST_CASE("pack refuses an output that is no file, and leaves it alone") {
  const Files files;
  write_folder(files);
  check_error(run_fib({"pack", "in", "--output", "in"}, files.root()),
              "cannot write in: it is not a regular file");
  check_error(run_fib({"pack", "in", "--output", "in/k.cpp/x"}, files.root()),
              "cannot write in/k.cpp/x: Not a directory");
  REQUIRE(::mkfifo((files.root() / "pipe").c_str(), 0600) == 0);
  check_error(run_fib({"pack", "in", "--output", "pipe"}, files.root()),
              "cannot write pipe: it is not a regular file");
  CHECK(fs::is_fifo(files.root() / "pipe"));
  CHECK(count_entries(files.root()) == 4);
  const auto full = run_fib({"pack", "in"}, files.root(), {}, "/dev/full");
  CHECK(full.err == "fib: cannot write to stdout: is the disk full?\n");
  CHECK(full.exit_code == 1);
}

TEST_CASE("a full disk: pack and unpack say so in one sentence, and what was there is as it was") {
  const Files files;
  testing::SmallDisk disk;
  write_folder(files);
  files.write("in/large.cpp", std::string(20000, 'x'));
  const fs::path out = disk.root() / "out.json";
  check_done(run_fib({"pack", "in", "--output", files.root() / "solution.json"}, files.root()));
  util::write_file_atomic(out, "old");
  const auto entries = count_entries(disk.root());
  disk.fill();
  const auto pack = run_fib({"pack", "in", "--output", out}, files.root());
  const auto unpack = run_fib({"unpack", "solution.json", "--output", disk.root() / "new"}, files.root());
  disk.make_room();
  check_error(pack, "cannot write " + out.string() + ": " + disk.word());
  CHECK(util::read_file(out) == "old");
  CHECK_THAT(unpack.err, Catch::StartsWith("fib: cannot write " + (disk.root() / "new/").string()) &&
                             Catch::EndsWith(": " + disk.word() + "\n"));
  CHECK(unpack.exit_code == 1);
  CHECK(count_entries(disk.root()) == entries);
  check_done(run_fib({"pack", "in", "--output", out}, files.root()));
  CHECK(util::read_file(out) == util::read_file(files.root() / "solution.json"));
}

TEST_CASE("unpack says in one sentence what it cannot unpack, and writes nothing") {
  const Files files;
  const auto unpack = [&](const std::string& solution, const std::string& folder) {
    return run_fib({"unpack", solution, "--output", folder}, files.root());
  };
  check_error(unpack("none.json", "out"), "cannot read none.json: No such file or directory");
  files.write("broken.json", "{");
  CHECK_THAT(unpack("broken.json", "out").err, Catch::StartsWith("fib: broken.json: "));
  files.write("bad.json", R"({"name":"n"})");
  const auto bad = unpack("bad.json", "out");
  CHECK_THAT(bad.err, Catch::StartsWith("fib: bad.json: ") && Catch::Contains("definition: Field required"));
  CHECK(bad.exit_code == 1);
  std::string leaving = kPacked;
  leaving.replace(leaving.find("\"path\": \"k.cpp\""), 15, "\"path\": \"../k\"");
  files.write("leaving.json", leaving);
  check_error(unpack("leaving.json", "out"),
              "leaving.json: sources.0: Invalid source path (parent directory traversal not allowed): ../k");
  CHECK_FALSE(fs::exists(files.root() / "out"));
  files.write("solution.json", kPacked);
  files.write("full/mine", "x");
  check_error(unpack("solution.json", "full"), "full is not empty; name a folder that is new or empty");
  check_error(unpack("solution.json", "full/mine"), "full/mine is no folder; name one that is new or empty");
  CHECK(count_entries(files.root() / "full") == 1);
}

TEST_CASE("pack and unpack know their usage") {
  const Files files;
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"pack"}, {"pack", "a", "b"}, {"pack", "a", "--nonsense"}, {"unpack"}, {"unpack", "a"}}) {
    const auto output = run_fib(words, files.root());
    CHECK(output.exit_code == 2);
    CHECK(output.out == "");
    CHECK(output.err != "");
  }
  for (const std::string command : {"pack", "unpack"}) {
    const auto help = run_fib({command, "--help"}, files.root());
    CHECK(help.exit_code == 0);
    CHECK(help.err == "");
    CHECK_THAT(help.out,
               Catch::Contains("Examples:\n  fib " + command) && Catch::Contains("Exit codes: 0 done"));
  }
}
