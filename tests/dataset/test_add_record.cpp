#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "dataset/add_record.h"
#include "dataset/temporary_dataset.h"
#include "support/temporary.h"
#include "util/files.h"

using namespace fib;
namespace fs = std::filesystem;

TEST_CASE("a solution is written where the layout wants it, once, and never over another") {
  const testing::TemporaryDataset files;
  auto solution = model::parse_solution(testing::solution_text("s", "me", "cpp"));
  const fs::path file = dataset::add_solution(files.root(), solution, "op").file;
  CHECK(file == files.root() / "solutions/me/op" / solution.definition / "s.json");
  CHECK(util::read_file(file) == model::to_json(solution));
  CHECK(dataset::add_solution(files.root(), solution, "op").file == file);
  solution.sources[0].content += "// other\n";
  CHECK_THROWS_WITH(dataset::add_solution(files.root(), solution, "op"),
                    Catch::Contains("is there already, with another content"));
  solution.author = "../../x";
  CHECK_THROWS(dataset::add_solution(files.root(), solution, "op"));
}

TEST_CASE("links of a dataset lead no solution out of it") {
  const testing::TemporaryFolder outside;
  const testing::TemporaryDataset files;
  fs::create_directories(files.root());
  fs::create_directory_symlink(outside.path(), files.root() / "solutions");
  const auto solution = model::parse_solution(testing::solution_text("s", "me", "cpp"));
  CHECK_THROWS(dataset::add_solution(files.root(), solution, "op"));
  CHECK(fs::is_empty(outside.path()));
}

// A file with a hole costs no disk.
TEST_CASE("what is there already is not read where it is longer, nor where it is no file") {
  const testing::TemporaryDataset files;
  const auto solution = model::parse_solution(testing::solution_text("s", "me", "cpp"));
  const fs::path file = dataset::add_solution(files.root(), solution, "op").file;
  fs::resize_file(file, std::uintmax_t{1} << 40U);
  CHECK_THROWS_WITH(dataset::add_solution(files.root(), solution, "op"),
                    Catch::Contains("is there already, with another content"));
  using How = dataset::AddedRecord::How;
  CHECK(dataset::add_solution(files.root(), solution, "op", dataset::Existing::replace).how == How::replaced);
  CHECK(dataset::add_solution(files.root(), solution, "op").how == How::was_there);
  fs::remove(file);
  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  CHECK_THROWS_WITH(dataset::add_solution(files.root(), solution, "op"),
                    Catch::Contains("is there already, with another content"));
}
