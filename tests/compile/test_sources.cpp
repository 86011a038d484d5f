#include <catch2/catch.hpp>

#include "compile/sources.h"
#include "support/temporary.h"
#include "util/files.h"

using namespace fib;
namespace fs = std::filesystem;

namespace {

std::optional<std::string> write(const std::vector<std::string>& paths, const fs::path& folder) {
  model::Solution solution;
  for (const std::string& path : paths) solution.sources.push_back({path, "of " + path, {}});
  return compile::write_sources(solution, folder);
}

std::string numbered(int number) { return "s" + std::to_string(number) + ".h"; }

}  // namespace

TEST_CASE("sources lie below the folder, with folders of their own") {
  const testing::TemporaryFolder files;
  CHECK_FALSE(write({"a.cpp", "deep/er/b.h", "deep/c.h", "deep/er/d.h"}, files.path()));
  CHECK(util::read_file(files.path() / "deep/er/b.h") == "of deep/er/b.h");
}

TEST_CASE("a file is no folder of another one, in whatever order they come, nor twice there") {
  const std::string odd = "another source has the name of its folder";
  for (const auto& paths :
       {std::vector<std::string>{"a/b", "a"}, {"a", "a/b"}, {"a", "x", "a/b/c/d"}, {"a/b/c", "a/b"}}) {
    const testing::TemporaryFolder files;
    const auto why = write(paths, files.path());
    REQUIRE(why);
    CHECK_THAT(*why, Catch::EndsWith(odd));
  }
  const testing::TemporaryFolder files;
  CHECK(write({"a/b", "a/./b"}, files.path()) == "two sources are the same file \"a/./b\"");
}

// If each were compared with all before it, this would take minutes.
TEST_CASE("a solution of many sources is written in a moment") {
  const testing::TemporaryFolder files;
  std::vector<std::string> paths;
  for (int i = 0; i < 9000; ++i) paths.push_back(numbered(i));
  paths.push_back(numbered(17) + "/x.h");
  CHECK(write(paths, files.path()).has_value());
}
