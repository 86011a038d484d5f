#include <catch2/catch.hpp>
#include <sstream>

#include "report/compare.h"
#include "run_support.h"

// `fib explain`: what codes, statuses and patterns mean.
using namespace fib;
using namespace fib::testing;

using Words = std::vector<std::string>;

TEST_CASE("fib explain knows every code, status and pattern") {
  const FibRun run;
  const auto explain = [&](const Words& words) {
    Words all{fib_binary(), "explain"};
    all.insert(all.end(), words.begin(), words.end());
    return run_process(all, run.environment());
  };
  CHECK_THAT(explain({}).out, Catch::Contains("unwritten_output") && Catch::Contains("INCORRECT_NUMERICAL"));
  CHECK_THAT(explain({"illegal_access"}).out, Catch::Contains("What to do: "));
  CHECK_THAT(explain({"TIMEOUT"}).out, Catch::Contains("load_timeout, timeout"));
  CHECK_THAT(explain({"busy_device"}).out, Catch::Contains("no verdict on the solution") &&
                                               Catch::Contains("the machine's") &&
                                               Catch::Contains("may succeed later"));
  CHECK_THAT(explain({}).out, Catch::Contains("reference_failed"));
  CHECK_THAT(explain({"same"}).out, Catch::Contains("differ by at most 1 %"));
  CHECK_THAT(explain({"ambiguous"}).out,
             Catch::Contains("what became of a result between two sides, A and B"));
  for (const auto verdict : report::kVerdicts)
    CHECK(explain({std::string(report::name_of(verdict))}).exit_code == 0);
  // Of the patterns those that docs/trace-record.md has.
  std::istringstream lines(util::read_file(testing::source_folder() / "docs/trace-record.md"));
  bool is_pattern = false;
  int patterns = 0;
  for (std::string line; std::getline(lines, line);) {
    is_pattern = line == "| pattern | meaning |" || (is_pattern && line.starts_with("|"));
    if (!is_pattern || line.starts_with("|--") || line == "| pattern | meaning |") continue;
    std::istringstream names(line.substr(2, line.find(" |", 2) - 2));
    for (std::string name; names >> name; ++patterns) {
      if (name.ends_with(',')) name.pop_back();
      CHECK_THAT(explain({name}).out, Catch::Contains("a pattern"));
    }
  }
  CHECK(patterns == 15);
  const auto wrong = explain({"ilegal_access"});
  CHECK(wrong.exit_code == 1);
  CHECK(wrong.err ==
        "fib: \"ilegal_access\" is no code, status, pattern or verdict; did you mean "
        "\"illegal_access\"?\n");
}
