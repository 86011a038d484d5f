#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "support/temporary.h"
#include "util/beneath.h"
#include "util/error.h"
#include "util/files.h"

namespace fs = std::filesystem;
using namespace fib;

namespace {

int error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const std::system_error& error) {
    return error.code().value();
  }
  return 0;
}

// A chain of folders, deeper than any path may be long.
void make_deep(const fs::path& folder, int depth) {
  int at = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  for (int i = 0; i < depth; ++i) {
    REQUIRE(::mkdirat(at, "deep", 0755) == 0);
    const int next = ::openat(at, "deep", O_RDONLY | O_DIRECTORY);
    ::close(at);
    at = next;
  }
  ::close(::openat(at, "file", O_CREAT | O_WRONLY, 0600));
  ::close(at);
}

}  // namespace

TEST_CASE("folders and files below a folder are found and made, and no link is followed") {
  const testing::TemporaryFolder folder;
  const fs::path inside = folder.path() / "inside";
  const fs::path outside = folder.path() / "outside";
  fs::create_directory(inside);
  fs::create_directory(outside);
  util::write_file_atomic(outside / "file", "text");
  fs::create_symlink("../outside", inside / "link");
  fs::create_symlink("../outside/file", inside / "file");
  fs::create_symlink("../outside/new", inside / "dangling");
  const auto root = util::open_folder(inside);
  const auto made = util::folder_beneath(root.get(), "a/b", true);
  CHECK(fs::is_directory(inside / "a/b"));
  CHECK(util::file_beneath(root.get(), "a/b/new", O_CREAT | O_WRONLY).valid());
  CHECK(util::folder_beneath(root.get(), "", false).valid());
  CHECK(error_of([&] { (void)util::folder_beneath(root.get(), "a/c", false); }) == ENOENT);
  for (const bool create : {true, false}) {
    CHECK(error_of([&] { (void)util::folder_beneath(root.get(), "link", create); }) != 0);
    CHECK(error_of([&] { (void)util::folder_beneath(root.get(), "link/new", create); }) != 0);
  }
  CHECK(error_of([&] { (void)util::file_beneath(root.get(), "file", O_RDONLY); }) == ELOOP);
  CHECK(error_of([&] { (void)util::file_beneath(root.get(), "link/file", O_RDONLY); }) != 0);
  CHECK(error_of([&] { (void)util::file_beneath(root.get(), "dangling", O_CREAT | O_WRONLY); }) == ELOOP);
  CHECK_FALSE(fs::exists(outside / "new"));
  for (const char* path : {"../outside", "a/../../outside", "/tmp", "a//../x", ""}) {
    CHECK_THROWS_AS(util::file_beneath(root.get(), path, O_RDONLY), Error);
  }
}

TEST_CASE("whether a path lies in a folder is told by whole components, with .. resolved") {
  CHECK(util::lies_in("/a/b", "/a"));
  CHECK(util::lies_in("/a/b", "/a/"));
  CHECK(util::lies_in("/a", "/a"));
  CHECK(util::lies_in("/a/", "/a"));
  CHECK(util::lies_in("/a/./b/../c", "/a"));
  CHECK(util::lies_in("/a", "/"));
  CHECK_FALSE(util::lies_in("/a", "/a/b"));
  CHECK_FALSE(util::lies_in("/ab", "/a"));
  CHECK_FALSE(util::lies_in("/a/b/../../c", "/a"));
  CHECK_FALSE(util::lies_in("/a/..", "/a"));
}

TEST_CASE("a tree is removed however deep it is and whatever its modes are, and links are not followed") {
  const testing::TemporaryFolder folder;
  const fs::path tree = folder.path() / "tree";
  const fs::path kept = folder.path() / "kept";
  fs::create_directories(tree / "closed" / "inner");
  fs::create_directory(kept);
  util::write_file_atomic(kept / "file", "text");
  fs::permissions(kept, fs::perms(0755));
  fs::create_directory_symlink(kept, tree / "closed" / "inner" / "link");
  make_deep(tree, 3000);
  make_deep(tree / "closed", 50);
  fs::permissions(tree / "closed" / "inner", fs::perms(0));
  fs::permissions(tree / "closed", fs::perms(0));
  rlimit old{};
  ::getrlimit(RLIMIT_NOFILE, &old);
  const rlimit few{64, old.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &few);
  util::remove_tree(tree);
  ::setrlimit(RLIMIT_NOFILE, &old);
  CHECK_FALSE(fs::exists(tree));
  CHECK(fs::exists(kept / "file"));
  CHECK((fs::status(kept).permissions() & fs::perms::all) == fs::perms(0755));
  util::remove_tree(tree);  // nothing there
}
