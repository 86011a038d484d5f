#include <catch2/catch.hpp>

#include "cli/report_datasets.h"
#include "report/show_dataset.h"

using namespace fib;
using testing::run_fib;

namespace {

using Words = std::vector<std::string>;

struct Shows {
  testing::TemporaryDataset files;
  Shows() { testing::write_show_sample(files, "shows/"); }

  [[nodiscard]] testing::CommandOutput run(Words words) const {
    words.insert(words.begin(), {"report", "show"});
    words.insert(words.end(), {"--local", "shows"});
    return run_fib(words, files.root());
  }
  void check(const Words& words, const std::string& golden) const {
    const auto output = run(words);
    CHECK(output.err == "");
    CHECK(output.exit_code == 0);
    testing::check_golden(golden, output.out);
  }
  void check_formats(const Words& words, const std::string& name) const {
    check(words, name + ".txt");
    for (const char* format : {"json", "csv", "md"}) {
      Words more = words;
      more.insert(more.end(), {"--format", format});
      check(more, name + "." + format);
    }
  }
  // "exit code: stderr"; stdout is empty.
  [[nodiscard]] std::string failure(const Words& words) const {
    const auto output = run(words);
    CHECK(output.out == "");
    return std::to_string(output.exit_code) + ": " + output.err;
  }
};

}  // namespace

TEST_CASE("records are shown in all formats", "[show]") {
  const Shows shows;
  shows.check_formats({"definition", "scale"}, "report_show_definition");
  shows.check_formats({"solution", "fast_scale"}, "report_show_solution");
  shows.check_formats({"workload", "33bf7"}, "report_show_workload");
  shows.check_formats({"trace", "fast_scale", "33bf7"}, "report_show_trace");
}

TEST_CASE("a name that says what it is needs no kind", "[show]") {
  const Shows shows;
  shows.check({"scale"}, "report_show_definition.txt");
  shows.check({"fast_scale"}, "report_show_solution.txt");
  shows.check({"33bf7"}, "report_show_workload.txt");
  shows.check({"fast_scale", "33bf7"}, "report_show_trace.txt");
  CHECK(
      shows.failure({"fast_skale"}) ==
      "1: fib: there is no definition, solution or workload \"fast_skale\"; did you mean \"fast_scale\"?\n");
  CHECK(shows.failure({"33b"}) == "1: fib: there is no definition, solution or workload \"33b\"\n");
  CHECK_THAT(shows.failure({"33bf"}), Catch::StartsWith("1: fib: \"33bf\" means 2 workloads;"));
  CHECK(shows.failure({"solutoin", "fast_scale"}) ==
        "1: fib: there are no traces of a solution \"solutoin\"; did you mean \"solution\"?\n");
}

TEST_CASE("a name that a definition and a solution share needs its kind", "[show]") {
  const Shows shows;
  shows.files.write("shows/solutions/a/scale.json",
                    R"({"name":"scale","definition":"scale","author":"a","spec":{"language":"python",)"
                    R"("target_hardware":["cpu"],"entry_point":"main.py::run"},)"
                    R"("sources":[{"path":"main.py","content":"def run(x): pass"}]})");
  CHECK(shows.failure({"scale"}) ==
        "1: fib: \"scale\" names a definition and a solution; say which: fib report show definition scale\n");
  CHECK_THAT(shows.run({"solution", "scale"}).out, Catch::Contains("def run"));
  CHECK_THAT(shows.run({"definition", "scale"}).out, Catch::Contains("Scales *rows*."));
}

TEST_CASE("whole logs, one hardware, records without traces", "[show]") {
  const Shows shows;
  shows.check({"solution", "fast_scale", "--full-log", "--hardware", "*H200"}, "report_show_full_log.txt");
  shows.check({"solution", "idle_scale"}, "report_show_untried.txt");
  shows.check({"workload", "33bf9", "--hardware", "*L4"}, "report_show_no_results.txt");
}

TEST_CASE("the same record of two datasets is shown twice", "[show]") {
  const Shows shows;
  shows.check({"workload", "33bf9", "--local", "shows"}, "report_show_two.txt");
}

TEST_CASE("names that are not there are errors with those that are like them", "[show]") {
  const Shows shows;
  CHECK(shows.failure({"definition", "scael"}) ==
        "1: fib: there is no definition \"scael\"; did you mean \"scale\"?\n");
  CHECK(shows.failure({"definition", "conv"}) == "1: fib: there is no definition \"conv\"\n");
  CHECK(shows.failure({"solution", "fast_skale"}) ==
        "1: fib: there is no solution \"fast_skale\"; did you mean \"fast_scale\"?\n");
  CHECK(shows.failure({"workload", "33bg"}) == "1: fib: no workload has a uuid that begins with \"33bg\"\n");
  CHECK(shows.failure({"workload", "33b"}) ==
        "1: fib: no workload has the uuid \"33b\"; at least 4 characters of a uuid are needed\n");
  CHECK(shows.failure({"workload", "33bf"}) ==
        "1: fib: \"33bf\" means 2 workloads; write more of the uuid, or --definitions:\n"
        "  33bf737d-3b37-4e38-be80-ea39b4b46ae6 of scale\n"
        "  33bf9999-0000-4e38-be80-ea39b4b46ae6 of scale\n");
  CHECK(shows.failure({"trace", "slow_scale", "33bf9"}) ==
        "1: fib: solution \"slow_scale\" has no traces on a workload \"33bf9\"; it has some on:\n"
        "  33bf737d-3b37-4e38-be80-ea39b4b46ae6\n");
  CHECK(shows.failure({"trace", "idle_scale", "33bf9"}) ==
        "1: fib: no traces of solution \"idle_scale\" match; to get some: fib run\n");
  CHECK(shows.failure({"trace", "fast_scal", "33bf9"}) ==
        "1: fib: there are no traces of a solution \"fast_scal\"; did you mean \"fast_scale\"?\n");
}

TEST_CASE("wrong usage of show", "[show]") {
  const Shows shows;
  CHECK(shows.failure({"trace", "fast_scale"}).starts_with("2: "));
  CHECK(shows.failure({"definition", "scale", "33bf"}).starts_with("2: "));
  CHECK(shows.failure({"fast_scale", "33bf7", "more"}).starts_with("2: "));
  CHECK(shows.failure({"definition"}) ==
        "2: NAME: the name of the definition is missing\nRun with --help for more information.\n");
  CHECK(shows.failure({}).starts_with("2: "));
}

TEST_CASE("what cannot be read is told, also when it may be why a record is not found", "[show]") {
  const Shows shows;
  shows.files.write("shows/definitions/other.json", "{");
  shows.files.write("shows/traces/torn.jsonl",
                    R"({"definition":"scale","solution":"fast_scale","workload":7})"
                    "\n");
  const auto missing = shows.run({"definition", "other"});
  CHECK(missing.exit_code == 1);
  CHECK_THAT(missing.err, Catch::StartsWith("error: shows/definitions/other.json"));
  CHECK_THAT(missing.err, Catch::Contains("fib: there is no definition \"other\""));
  const auto there = shows.run({"solution", "fast_scale"});
  CHECK(there.exit_code == 0);
  CHECK_THAT(there.err, Catch::Contains("torn.jsonl:1"));
  CHECK(shows.failure({"solution", "fast_scale", "--strict-load"}).starts_with("1: "));
}
