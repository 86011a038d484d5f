#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <string>

#include "support/temporary.h"
#include "util/error.h"
#include "util/files.h"
#include "util/hash.h"
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

TEST_CASE("a copy has the content of a file, and its holes, and can be interrupted") {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() / "sparse";
  util::write_file_atomic(file, std::string(3'000'000, 'a'));
  std::filesystem::resize_file(file, std::uint64_t{1} << 33U);
  std::ofstream(file, std::ios::app) << "end";
  std::filesystem::permissions(file, std::filesystem::perms(0600));
  util::copy_file(file, folder.path() / "copy");
  CHECK(std::filesystem::status(folder.path() / "copy").permissions() == std::filesystem::perms(0600));
  const auto blocks = [](const std::filesystem::path& path) {
    struct stat info {};
    REQUIRE(::stat(path.c_str(), &info) == 0);
    return std::pair{info.st_size, info.st_blocks * 512 < 20'000'000};
  };
  CHECK(blocks(folder.path() / "copy") == std::pair<off_t, bool>{(off_t{1} << 33U) + 3, true});
  std::ifstream copy(folder.path() / "copy");
  std::string text(3'000'001, ' ');
  copy.read(text.data(), 3'000'001);
  CHECK(text == std::string(3'000'000, 'a') + '\0');
  copy.seekg(-4, std::ios::end);
  copy.read(text.data(), 4);
  CHECK(text.substr(0, 4) == std::string(1, '\0') + "end");
  const auto other = folder.path() / "other";
  util::write_file_atomic(other, "x");
  CHECK_THROWS_WITH(util::copy_file(file, other), Catch::Contains("cannot write"));
  const std::atomic<bool> interrupted = true;
  CHECK_THROWS_WITH(util::copy_file(file, folder.path() / "third", &interrupted), "interrupted");
  CHECK_THROWS_WITH(util::sha256_of_file(file, &interrupted), "interrupted");
}

TEST_CASE("a sparse file of any length is refused with a sentence") {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() / "sparse";
  util::write_file_atomic(file, "x");
  std::filesystem::resize_file(file, util::physical_memory());
  CHECK_THROWS_WITH(util::read_file(file),
                    Catch::Contains("sparse: it has") && Catch::Contains("more than an eighth"));
}
