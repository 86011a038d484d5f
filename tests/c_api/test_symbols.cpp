#include <fib.h>
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <regex>
#include <set>
#include <sstream>

#include "support/places.h"
#include "support/process.h"
#include "util/files.h"

extern "C" int fib_header_is_c(void);

using namespace fib;

namespace {

std::string library() { return FIB_LIBRARY_UNDER_TEST; }

}  // namespace

TEST_CASE("a C program can use the header") { CHECK(fib_header_is_c() == 1); }

TEST_CASE("the library shows the functions of its header and nothing else") {
  const auto listed = testing::run_process({"nm", "-D", "--defined-only", "--format=posix", library()});
  REQUIRE(listed.exit_code == 0);
  std::set<std::string> shown;
  const std::regex symbol("(\\S+?)(@@?\\S+)? [A-Za-z] .*");
  std::istringstream lines(listed.out);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    REQUIRE(std::regex_match(line, match, symbol));
    if (match[1] != "FIB_1") shown.insert(match[1]);
  }
  std::set<std::string> declared;
  const std::string header = util::read_file(testing::source_folder() / "include" / "fib.h");
  const std::regex declaration("FIB_API [^;(]*?\\*?\\s?(fib_\\w+)\\(");
  for (std::sregex_iterator it(header.begin(), header.end(), declaration), end; it != end; ++it)
    declared.insert((*it)[1]);
  CHECK(declared.size() > 25);
  CHECK(shown == declared);
}

TEST_CASE("the versions are told") {
  CHECK(fib_abi_version() == FIB_ABI_VERSION);
  CHECK_THAT(fib_version(), Catch::Matches("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

TEST_CASE("program, library, Python package and changelog have one version") {
  const std::string version = fib_version();
  const auto told = testing::run_process({testing::fib_binary(), "--version"});
  CHECK(told.out.starts_with("fib " + version + " "));
  CHECK(library().ends_with("/libfib.so." + version));
  const auto read = [](const char* file) { return util::read_file(testing::source_folder() / file); };
  CHECK(read("python/pyproject.toml").find("\nversion = \"" + version + "\"\n") != std::string::npos);
  CHECK(read("python/fib/__init__.py").find("\n__version__ = \"" + version + "\"\n") != std::string::npos);
  // The title of its section, or what the section of the next version says it will be.
  const std::string changes = read("CHANGELOG.md");
  CHECK((changes.find("\n## [" + version + "]") != std::string::npos ||
         changes.find(", " + version + ".") != std::string::npos));
}

TEST_CASE("the library's name counts changes of the interface") {
  const auto dynamic = testing::run_process({"readelf", "-d", library()});
  REQUIRE(dynamic.exit_code == 0);
  CHECK(dynamic.out.find(fmt::format("[libfib.so.{}]", FIB_ABI_VERSION)) != std::string::npos);
}
