#include <catch2/catch.hpp>

#include "cli/golden.h"
#include "cli/run_fib.h"
#include "report/sample_dataset.h"

using namespace fib;
using testing::run_fib;
using Words = std::vector<std::string>;

namespace {

// A sample dataset `a` and one `b` beside it whose bob_gemm is another.
void write_two(const testing::TemporaryDataset& files) {
  const testing::TemporaryDataset sample;
  testing::write_sample(sample);
  for (const char* name : {"a", "b"})
    std::filesystem::copy(sample.root(), files.root() / name, std::filesystem::copy_options::recursive);
  files.write("b/solutions/bob/bob_gemm.json",
              testing::solution_text("bob_gemm", "bob", "triton", "cpu", "gemm_n128"));
}

testing::CommandOutput merge(const testing::TemporaryDataset& files, const Words& words, const Words& more) {
  Words all = words;
  all.insert(all.end(), more.begin(), more.end());
  return run_fib(all, files.root());
}

}  // namespace

TEST_CASE("a merge prints what it did in every format, under both names") {
  for (const std::string format : {"table", "json", "csv", "md"}) {
    for (const Words& words : {Words{"merge"}, Words{"report", "merge"}}) {
      const testing::TemporaryDataset files;
      write_two(files);
      const auto output = merge(
          files, words,
          {"--local", "a", "--local", "b", "--output", "c", "--on-conflict", "first", "--format", format});
      CHECK(output.err == "");
      CHECK(output.exit_code == 0);
      testing::check_golden("merge." + (format == "table" ? "txt" : format), output.out);
      CHECK(std::filesystem::is_directory(files.root() / "c/definitions"));
    }
  }
}

TEST_CASE("a conflict ends with a sentence, exit code 1 and no output; so does a missing folder") {
  const testing::TemporaryDataset files;
  write_two(files);
  const auto conflict = merge(files, {"merge"}, {"--local", "a", "--local", "b", "--output", "c"});
  CHECK(conflict.exit_code == 1);
  CHECK(conflict.out == "");
  CHECK(
      conflict.err ==
      "fib: the datasets contradict each other; correct one of them, or see --on-conflict for solutions and "
      "workloads:\n  solution \"bob_gemm\" (spec.language differs) differs between a and b\n");
  CHECK_FALSE(std::filesystem::exists(files.root() / "c"));
  const auto missing = merge(files, {"merge"}, {"--local", "a", "--local", "nowhere", "--output", "c"});
  CHECK(missing.exit_code == 1);
  CHECK(missing.err == "fib: there is no dataset folder nowhere; name each with --local DIR\n");
  CHECK(merge(files, {"merge"}, {"--local", "a"}).exit_code == 2);
}
