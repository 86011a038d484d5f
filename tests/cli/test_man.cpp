#include <algorithm>
#include <fstream>
#include <regex>

#include "cli/completion_script.h"
#include "support/places.h"

using namespace fib;
namespace fs = std::filesystem;
using Words = std::vector<std::string>;

namespace {

// The man pages of this program, written to a folder of their own.
class ManPages {
 public:
  ManPages() : folder_(fs::temp_directory_path(), "fib-man-test-") {
    const auto output = testing::run_fib({"__man", path().string()}, "/");
    REQUIRE(output.err == "");
    REQUIRE(output.out == "");
    REQUIRE(output.exit_code == 0);
  }

  [[nodiscard]] fs::path path() const { return folder_.path() / "man1"; }
  [[nodiscard]] std::string text(const std::string& page) const { return util::read_file(path() / page); }

  [[nodiscard]] Words files() const {
    Words files;
    for (const auto& entry : fs::directory_iterator(path())) files.push_back(entry.path().filename());
    std::sort(files.begin(), files.end());
    return files;
  }

 private:
  util::TemporaryFolder folder_;
};

// The page as it is read on a terminal, without bold, underlines and the line breaks that filling makes.
std::string rendered(const fs::path& page) {
  auto result = testing::run_process({"mandoc", "-T", "ascii", page.string()});
  CHECK(result.err == "");
  const std::string plain = std::regex_replace(result.out, std::regex(".\b"), "");
  return std::regex_replace(plain, std::regex("\\s+"), " ");
}

// Variables that the sources name where they read the environment.
std::vector<std::string> variables_read() {
  static const std::regex read(R"re((?:getenv|from_environment|compiler_from)\("([A-Z_]+)")re");
  Words names;
  for (const auto& folder : {testing::source_folder() / "lib", testing::source_folder() / "cmd"}) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".cpp") continue;
      const std::string text = util::read_file(entry.path());
      for (std::sregex_iterator match(text.begin(), text.end(), read), end; match != end; ++match)
        names.push_back((*match)[1]);
    }
  }
  return names;
}

}  // namespace

TEST_CASE("each command has a man page that names all its options") {
  const ManPages pages;
  Words expected;
  for (const auto& page : testing::help_pages()) {
    const std::string file = page.name("-") + ".1";
    expected.push_back(file);
    const std::string text = std::regex_replace(pages.text(file), std::regex(R"(\\-)"), "-");
    INFO(file);
    for (const auto& option : page.options) CHECK_THAT(text, Catch::Contains("\\fB" + option + "\\fR"));
    CHECK_THAT(text, Catch::StartsWith(".TH \"" + page.name("-") + "\" 1 \"\" "));
  }
  std::sort(expected.begin(), expected.end());
  CHECK(pages.files() == expected);
}

TEST_CASE("man pages are the same each time, and hold no date") {
  const ManPages first;
  const ManPages second;
  for (const std::string& file : first.files()) {
    CHECK(first.text(file) == second.text(file));
    CHECK_FALSE(std::regex_search(first.text(file), std::regex("20[2-9][0-9]\\\\-")));
  }
}

TEST_CASE("mandoc finds nothing wrong with the man pages but the missing date") {
  if (testing::skips_without("mandoc")) return;
  const ManPages pages;
  for (const std::string& file : pages.files()) {
    const auto result = testing::run_process({"mandoc", "-T", "lint", "-W", "warning", pages.path() / file});
    for (const std::string& line : testing::lines_of(result.out + result.err)) {
      if (line.find("missing date") == std::string::npos) FAIL_CHECK(line);
    }
  }
}

TEST_CASE("groff formats the man pages without a warning") {
  if (testing::skips_without("groff")) return;
  const ManPages pages;
  for (const std::string& file : pages.files()) {
    const auto result =
        testing::run_process({"groff", "-man", "-ww", "-z", "-T", "utf8", pages.path() / file});
    CHECK(result.err == "");
    CHECK(result.exit_code == 0);
  }
}

TEST_CASE("a man page reads as help does") {
  if (testing::skips_without("mandoc")) return;
  const ManPages pages;
  const std::string run = rendered(pages.path() / "fib-run.1");
  CHECK_THAT(run, Catch::Contains("NAME fib-run - Compile, run, check and time the solutions of datasets"));
  CHECK_THAT(run, Catch::Contains("SYNOPSIS fib run [options] DESCRIPTION"));
  CHECK_THAT(run, Catch::Contains("How to measure --noise"));
  CHECK_THAT(run, Catch::Contains("--flush TEXT CUDA: what the L2 cache holds when a call begins"));
  CHECK_THAT(run, Catch::Contains("One of: clean, dirty, none. Default: clean."));
  CHECK_THAT(run, Catch::Contains("EXIT STATUS 0 everything planned has a trace 1 something has none"));
  CHECK_THAT(run,
             Catch::Contains("3 --strict, --expect or --fail-fast does not hold 130 interrupted EXAMPLES"));
  CHECK_THAT(run, Catch::Contains("fib run --local D --definitions 'gemm_*' --authors alice bob --resume"));
  const std::string merge = rendered(pages.path() / "fib-merge.1");
  CHECK_THAT(merge, Catch::Contains("fib merge [options] --local DIR ... --output DIR DESCRIPTION"));
  const std::string pack = rendered(pages.path() / "fib-pack.1");
  CHECK_THAT(pack, Catch::Contains("ARGUMENTS folder A folder with a config.toml and sources. Required."));
  CHECK_THAT(pack, Catch::Contains("name = \"my_gemm\" definition = \"gemm_n128_k2048\""));
  CHECK_THAT(pack, Catch::Contains("default: all .py .cu .cuh"));  // no line begins with a request
  const std::string best = rendered(pages.path() / "fib-report-best.1");
  CHECK_THAT(best, Catch::Contains("SEE ALSO fib(1), fib-report(1), fib-report-summary(1)"));
}

TEST_CASE("fib(1) lists commands, exit codes and every variable that fib reads") {
  const ManPages pages;
  const std::string page = pages.text("fib.1");
  for (const char* part : {"fib\\-run\\fR(1)", "ENVIRONMENT", "EXIT STATUS", "fib\\-completion\\fR(1)"})
    CHECK_THAT(page, Catch::Contains(part));
  const auto names = variables_read();
  CHECK(std::find(names.begin(), names.end(), "FIB_DATASET_PATH") != names.end());
  const std::string guide = util::read_file(testing::source_folder() / "docs/cli.md");
  for (const auto& name : names) {
    CHECK_THAT(page.substr(page.find("ENVIRONMENT")), Catch::Contains(name));
    CHECK_THAT(guide, Catch::Contains(name));
  }
}
