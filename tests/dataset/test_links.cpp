#include <catch2/catch.hpp>
#include <fstream>

#include "dataset/links.h"
#include "support/temporary.h"
#include "util/beneath.h"
#include "util/error.h"

using namespace fib;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& file) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << "text";
}

}  // namespace

TEST_CASE("hidden is what has a component that begins with a dot") {
  for (const char* path : {".git/config", "a/.b", "a/.b/c", "..."}) CHECK(util::is_hidden(path));
  for (const char* path : {"", "a", "a/b.c", "./a", "../a", "a/../b"}) CHECK_FALSE(util::is_hidden(path));
}

TEST_CASE("where it cannot be found out whether a file leads out, it does") {
  const testing::TemporaryFolder folder;
  const fs::path root = folder.path() / "d";
  fs::create_directory(root);
  fs::create_symlink("loop", root / "loop");
  CHECK(dataset::leads_out(root / "loop", root));
  CHECK(dataset::leads_out(root / "loop/x", root));
  CHECK(dataset::leads_out(root / std::string(5000, 'x'), root));
  CHECK(dataset::is_there(root / "loop"));
  CHECK(dataset::is_there(root / std::string(5000, 'x')));
  CHECK_FALSE(dataset::is_there(root / "nothing"));
}

TEST_CASE("of what lies beside a snapshot only what is named by a hash belongs to it") {
  const testing::TemporaryFolder folder;
  const fs::path root = folder.path() / "snapshots/abc";
  const fs::path blobs = folder.path() / "blobs";
  const std::string hash(40, 'a');
  fs::create_directories(root);
  for (const std::string& name : {hash, std::string("notes.txt"), ".git/" + hash, "x/" + hash})
    write(blobs / name);
  const auto leads_out = [&](const std::string& name) {
    fs::remove(root / "link");
    fs::create_symlink(blobs / name, root / "link");
    return dataset::leads_out(root / "link", root);
  };
  CHECK_FALSE(leads_out(hash));
  for (const std::string& name : {std::string("notes.txt"), ".git/" + hash, "x/" + hash})
    CHECK(leads_out(name));
}

TEST_CASE("files of a dataset are those inside of it that nothing hides") {
  const testing::TemporaryFolder folder;
  const fs::path root = folder.path() / ".cache/dataset";  // what is above the root hides nothing
  write(root / "blob/x");
  write(root / ".git/config");
  write(folder.path() / "secret");
  fs::create_symlink("x", root / "blob/inside");
  fs::create_symlink("../.git/config", root / "blob/hidden");
  fs::create_symlink(folder.path() / "secret", root / "blob/outside");
  fs::create_directory_symlink("../.git", root / "blob/folder");
  for (const char* file : {"blob/x", "blob/inside", "blob/new"})
    CHECK_FALSE(dataset::leads_out(root / file, root));
  for (const char* file : {"blob/hidden", "blob/outside", "blob/folder/config", ".git/config", "../secret"}) {
    INFO(file);
    CHECK(dataset::leads_out(root / file, root));
    CHECK_THROWS_AS(dataset::expect_inside(root / file, root), Error);
  }
}
