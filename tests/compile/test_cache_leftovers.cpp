#include <catch2/catch.hpp>
#include <filesystem>

#include "compile/cache_leftovers.h"
#include "support/temporary.h"
#include "util/files.h"

namespace fs = std::filesystem;
using namespace fib;

TEST_CASE("of a cache only what killed builds left is removed, and nothing behind links") {
  const testing::TemporaryFolder folder;
  const fs::path cache = folder.path() / "cache";
  const std::string key(64, 'a');
  const fs::path left = cache / "native/aa" / (key + ".tmp-x1");
  const fs::path kept[] = {cache / "native/aa" / key, cache / "native/aa/backup.tmp-2026",
                           cache / "native/aa" / (key.substr(1) + "g.tmp-x1"),
                           folder.path() / "elsewhere" / (key + ".tmp-x1")};
  util::write_file_atomic(left / "file", "x");
  for (const auto& one : kept) util::write_file_atomic(one / "file", "x");
  fs::create_directory_symlink(folder.path() / "elsewhere", cache / "native/bb");
  fs::create_directory_symlink(folder.path(), cache / "linked");
  compile::remove_cache_leftovers(cache);
  CHECK_FALSE(fs::exists(left));
  for (const auto& one : kept) {
    INFO(one);
    CHECK(fs::exists(one / "file"));
  }
}
