#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "support/temporary.h"
#include "util/error.h"
#include "util/files.h"
#include "util/machine.h"

namespace fs = std::filesystem;
using namespace fib;

TEST_CASE("an atomic write replaces the file and leaves no temporary behind") {
  const testing::TemporaryFolder folder;
  const fs::path file = folder.path() / "a" / "b.txt";
  util::write_file_atomic(file, "one");
  util::write_file_atomic(file, "two");
  CHECK(util::read_file(file) == "two");
  CHECK(std::distance(fs::directory_iterator(file.parent_path()), fs::directory_iterator()) == 1);
}

TEST_CASE("an atomic write replaces nothing but regular files") {
  const testing::TemporaryFolder folder;
  const fs::path pipe = folder.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THROWS_WITH(util::write_file_atomic(pipe, "x"), Catch::Contains(pipe.string()));
  CHECK(fs::is_fifo(pipe));
  CHECK_THROWS_AS(util::write_file_atomic(folder.path(), "x"), Error);
  CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("reading what is not there names the path") {
  CHECK_THROWS_WITH(util::read_file("/no/such/file"), Catch::Contains("/no/such/file"));
  CHECK_THROWS_AS(util::read_file("/proc"), Error);
}

TEST_CASE("the entries of a folder are its own, and there are none of one that is not there") {
  const testing::TemporaryFolder folder;
  util::write_file_atomic(folder.path() / "a" / "b.txt", "one");
  util::write_file_atomic(folder.path() / "c.txt", "two");
  std::set<std::string> names;
  for (const auto& entry : util::entries_of(folder.path())) names.insert(entry.path().filename());
  CHECK(names == std::set<std::string>{"a", "c.txt"});
  CHECK(util::entries_of(folder.path() / "nowhere").empty());
  CHECK(util::entries_of(folder.path() / "c.txt").empty());
}

TEST_CASE("a sealed document can be read and not changed") {
  const auto fd = util::make_sealed_document("test", "hello");
  CHECK(util::read_document(fd.get(), 100) == "hello");
  CHECK_THROWS_WITH(util::read_document(fd.get(), 4), Catch::Contains("larger than the limit"));
  CHECK(::write(fd.get(), "x", 1) < 0);
  CHECK(::ftruncate(fd.get(), 0) != 0);
}

TEST_CASE("a sparse file of any length is refused with a sentence") {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() / "sparse";
  util::write_file_atomic(file, "x");
  std::filesystem::resize_file(file, util::physical_memory());
  CHECK_THROWS_WITH(util::read_file(file),
                    Catch::Contains("sparse: it has") && Catch::Contains("more than an eighth"));
}
