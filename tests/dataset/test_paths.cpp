#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>

#include "dataset/paths.h"
#include "support/temporary.h"
#include "util/error.h"

namespace fs = std::filesystem;
using namespace fib;

TEST_CASE("every name on disk is where the format says") {
  CHECK(dataset::definition_file("r", "op", "d") == "r/definitions/op/d.json");
  CHECK(dataset::workloads_file("r", "op", "d") == "r/workloads/op/d.jsonl");
  CHECK(dataset::solution_file("r", "me", "op", "d", "s") == "r/solutions/me/op/d/s.json");
  CHECK(dataset::traces_file("r", "me", "op", "d") == "r/traces/me/op/d.jsonl");
  CHECK(dataset::blob_file("r", "op", "d", "u") == "r/blob/workloads/op/d/d_u.safetensors");
  CHECK(dataset::runs_file("r") == "r/runs/runs.jsonl");
  CHECK(dataset::torn_file("r/d.jsonl", "T") == "r/d.jsonl.torn-T");
}

TEST_CASE("a name that would leave its folder is refused") {
  const auto name =
      GENERATE(as<std::string>{}, "", ".", "..", "a/b", "/", "../x", std::string("a\0b", 3),
               std::string(241, 'x'), "a\nb", "a\x1b[31mb", "\x7f", "a\xc2\x9b\x62", ".git", "..x", "a\u200b",
               "a\u200db", "\u00ada", "a\u2060", "a\ufeff", "a\U000e0020", "a\ufff9", "a\U0001bca0",
               "a\U0001d173", "a\u00a0", "a\u2003b", "a\u202fb", "a\u2800", "a\u3000b", "a\u06dd", "a\ufffc",
               "a\ufffe", "a\ufdd0", "a\ue000", "a\U0001107f", "a\U00013430", "a\U00016fe4", "a\U0001d159",
               "a\U000e0041", "a\U000f0000", "a\U0010ffff", "a\U0001fffe", " a", "a ", "a  b");
  CHECK_THROWS_AS(dataset::traces_file("r", name, "op", "d"), Error);
  CHECK_THROWS_AS(dataset::traces_file("r", "me", name, "d"), Error);
  CHECK_THROWS_AS(dataset::traces_file("r", "me", "op", name), Error);
  CHECK_THROWS_AS(dataset::solution_file("r", "me", "op", "d", name), Error);
}

TEST_CASE("the refusal says what is wrong with which name") {
  CHECK_THROWS_WITH(dataset::checked_component("a/b", "author"),
                    Catch::StartsWith("author \"a/b\" ") && Catch::Contains("contains \"/\""));
}

TEST_CASE("ordinary names pass") {
  for (const char* name : {"gpt-5.2", "a b", "\xc3\xa9", "\xe6\xa0\xb8", "x.."}) {
    CHECK(dataset::checked_component(name, "author") == name);
  }
}

TEST_CASE("the environment chooses the default folders") {
  ::setenv("FIB_DATASET_PATH", "/data/x", 1);
  ::setenv("FIB_CACHE_PATH", "/cache/x", 1);
  CHECK(dataset::default_dataset_path() == "/data/x");
  CHECK(dataset::default_cache_path() == "/cache/x");
  ::unsetenv("FIB_DATASET_PATH");
  ::setenv("FIB_CACHE_PATH", "", 1);
  ::setenv("HOME", "/home/me", 1);
  CHECK(dataset::default_dataset_path() == "/home/me/.cache/flashinfer_bench/dataset");
  CHECK(dataset::default_cache_path() == "/home/me/.cache/flashinfer_bench/cache");
  ::unsetenv("FIB_CACHE_PATH");
}

TEST_CASE("a cache that others may write to is none") {
  const testing::TemporaryFolder folder;
  const fs::path cache = folder.path() / "a/cache";
  ::setenv("FIB_CACHE_PATH", cache.c_str(), 1);
  const mode_t mask = ::umask(0);
  CHECK(dataset::own_cache_path() == cache);
  ::umask(mask);
  CHECK(fs::is_directory(cache));
  CHECK(dataset::own_cache_path() == cache);
  fs::permissions(cache, fs::perms::group_write,
                  fs::perm_options::add);  // of a group of its own, on most systems
  CHECK(dataset::own_cache_path() == cache);
  fs::permissions(cache, fs::perms::others_write, fs::perm_options::add);
  CHECK_THROWS_WITH(dataset::own_cache_path(),
                    Catch::Contains("everybody may write to the cache " + cache.string()));
  fs::permissions(cache, fs::perms::owner_all);
  if (::geteuid() == 0 && ::chown(cache.c_str(), 65534, 65534) == 0) {
    CHECK_THROWS_WITH(dataset::own_cache_path(), Catch::Contains("is of another user (uid 65534), and"));
  }
  util::write_file_atomic(folder.path() / "file", "");
  ::setenv("FIB_CACHE_PATH", (folder.path() / "file/cache").c_str(), 1);
  CHECK_THROWS_WITH(dataset::own_cache_path(), Catch::StartsWith("cannot make the cache "));
  ::unsetenv("FIB_CACHE_PATH");
}
