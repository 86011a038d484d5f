#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>

#include "bench/jit_cache.h"
#include "support/temporary.h"
#include "util/files.h"

namespace fs = std::filesystem;
using namespace fib;
using bench::JitCache;

TEST_CASE("what just-in-time compilers made is found by its key in later runs, not in the same one") {
  const testing::TemporaryFolder folder;
  JitCache run(folder.path());
  CHECK(run.find("abc").empty());
  run.keep("abc", std::string("files\0", 6));
  CHECK(run.find("abc").empty());
  JitCache later(folder.path());
  CHECK(later.find("abc") == std::string("files\0", 6));
  CHECK(later.find("abd").empty());
  later.keep("abc", "newer");
  CHECK(later.find("abc").empty());
  CHECK(JitCache(folder.path()).find("abc") == "newer");
}

TEST_CASE("what just-in-time compilers made is not believed when it is damaged") {
  const testing::TemporaryFolder folder;
  JitCache(folder.path()).keep("abc", "files");
  const auto place = folder.path() / "jit/ab/abc";
  auto content = util::read_file(place);
  content[0] = 'F';
  util::write_file_atomic(place, content);
  CHECK(JitCache(folder.path()).find("abc").empty());
  util::write_file_atomic(place, "short");
  CHECK(JitCache(folder.path()).find("abc").empty());
}

TEST_CASE("the oldest of what just-in-time compilers made goes when there is too much") {
  const testing::TemporaryFolder folder;
  const std::string content(1000, 'x');  // 1064 bytes with its digest
  JitCache cache(folder.path(), 2500);
  cache.keep("aa1", content);
  cache.keep("bb2", content);
  fs::last_write_time(folder.path() / "jit/bb/bb2", fs::file_time_type::clock::now() - std::chrono::hours(2));
  fs::last_write_time(folder.path() / "jit/aa/aa1", fs::file_time_type::clock::now() - std::chrono::hours(1));
  cache.keep("cc3", content);
  const JitCache later(folder.path(), 2500);
  CHECK(later.find("aa1") == content);
  CHECK(later.find("bb2").empty());
  CHECK(later.find("cc3") == content);
}
