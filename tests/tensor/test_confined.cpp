#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tensor/confined.h"
#include "util/error.h"
#include "util/files.h"

namespace {

namespace fs = std::filesystem;
using fib::tensor::confined;

// <temporary>/root/{data/a.bin, links}, <temporary>/outside/b.bin
class Folders {
 public:
  Folders() : temporary_(fs::temp_directory_path(), "fib-confined-") {
    fs::create_directories(root() / "data");
    fs::create_directories(path() / "outside");
    std::ofstream(root() / "data" / "a.bin") << "a";
    std::ofstream(path() / "outside" / "b.bin") << "b";
  }
  [[nodiscard]] fs::path path() const { return fs::canonical(temporary_.path()); }
  [[nodiscard]] fs::path root() const { return path() / "root"; }

 private:
  fib::util::TemporaryFolder temporary_;
};

TEST_CASE("paths inside the root are resolved, whether they exist or not") {
  const Folders folders;
  const fs::path file = folders.root() / "data" / "a.bin";
  CHECK(confined(folders.root(), "data/a.bin") == file);
  CHECK(confined(folders.root(), "./data/../data//a.bin") == file);
  CHECK(confined(folders.root(), file) == file);
  CHECK(confined(folders.root(), "new/c.bin") == folders.root() / "new" / "c.bin");
  CHECK(confined(folders.root(), "..data") == folders.root() / "..data");
}

TEST_CASE("paths that leave the root are errors") {
  const Folders folders;
  CHECK_THROWS_WITH(confined(folders.root(), "../outside/b.bin"),
                    Catch::Contains("outside " + folders.root().string()));
  CHECK_THROWS_AS(confined(folders.root(), "data/../../outside/b.bin"), fib::Error);
  CHECK_THROWS_AS(confined(folders.root(), "/etc/passwd"), fib::Error);
  CHECK_THROWS_AS(confined(folders.root(), folders.path() / "root2" / "x"), fib::Error);
}

TEST_CASE("symbolic links count as where they lead") {
  const Folders folders;
  fs::create_symlink("data/a.bin", folders.root() / "inside");
  fs::create_symlink("../outside", folders.root() / "leak");
  fs::create_symlink("/etc/passwd", folders.root() / "passwd");
  CHECK(confined(folders.root(), "inside") == folders.root() / "data" / "a.bin");
  CHECK_THROWS_AS(confined(folders.root(), "leak/b.bin"), fib::Error);
  CHECK_THROWS_AS(confined(folders.root(), "leak/not-there"), fib::Error);
  CHECK_THROWS_AS(confined(folders.root(), "passwd"), fib::Error);
}

TEST_CASE("links that lead nowhere or in a circle are errors") {
  const Folders folders;
  fs::create_symlink("../later", folders.root() / "dangling");
  fs::create_symlink("loop", folders.root() / "loop");
  CHECK_THROWS_WITH(confined(folders.root(), "dangling"), Catch::Contains("leads to nothing"));
  CHECK_THROWS_AS(confined(folders.root(), "dangling/x"), fib::Error);
  CHECK_THROWS_AS(confined(folders.root(), "loop"), fib::Error);
}

TEST_CASE("the root itself may be a link, and must exist") {
  const Folders folders;
  fs::create_directory_symlink("root", folders.path() / "alias");
  CHECK(confined(folders.path() / "alias", "data/a.bin") == folders.root() / "data" / "a.bin");
  CHECK_THROWS_AS(confined(folders.path() / "missing", "a"), fib::Error);
}

}  // namespace
