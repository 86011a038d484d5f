#include <catch2/catch.hpp>

#include "bench/jit_cache.h"
#include "support/temporary.h"
#include "util/files.h"

using namespace fib;

TEST_CASE("what just-in-time compilers made is found by its key, and not believed when it is damaged") {
  const testing::TemporaryFolder folder;
  const bench::JitCache cache(folder.path());
  CHECK(cache.find("abc").empty());
  cache.keep("abc", std::string("files\0", 6));
  CHECK(cache.find("abc") == std::string("files\0", 6));
  CHECK(cache.find("abd").empty());
  cache.keep("abc", "newer");
  CHECK(cache.find("abc") == "newer");
  const auto place = folder.path() / "jit/ab/abc";
  auto content = util::read_file(place);
  content[0] = 'N';
  util::write_file_atomic(place, content);
  CHECK(cache.find("abc").empty());
  util::write_file_atomic(place, "short");
  CHECK(cache.find("abc").empty());
}
