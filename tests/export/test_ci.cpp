#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <sstream>

#include "dataset/standing.h"
#include "export/ci_dataset.h"
#include "export/ci_forms.h"
#include "export/ci_ranking.h"

using namespace fib;
using exports::CiForm;
using nlohmann::json;
using testing::failed_line;
using testing::kRun1;
using testing::RunTrace;
using testing::TemporaryDataset;

namespace {

RunTrace trace(const std::string& solution, const std::string& uuid, int m, double median = 1) {
  return {
      .run = kRun1, .definition = "gemm_n128", .solution = solution, .uuid = uuid, .m = m, .median = median};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

bool has_control_characters(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n'; });
}

std::string many_failures(int number) {
  std::string lines;
  for (int i = 0; i < number; ++i)
    lines += failed_line(std::string(200 + static_cast<std::size_t>(i), 'x') + testing::kHostileLog,
                         "f" + std::to_string(i), i + 1);
  return lines;
}

}  // namespace

TEST_CASE("GitHub gets a command for each failure, and a log cannot forge one") {
  const TemporaryDataset files;
  testing::write_traces(files, failed_line(testing::kHostileLog) +
                                   testing::changed_inputs(trace("alice_fast", "w1", 4).line()) +
                                   trace("alice_fast", "w2", 8).line());
  CHECK(ci_text(files, CiForm::github) ==
        "::error title=RUNTIME_ERROR%3A gemm_n128 / alice_slow::gemm_n128 / alice_slow / M=1 (NVIDIA H200)%0A"
        ": :error title=forged::not from fib%0A</pre></details></td></table>%0A# heading%0A]]></failure>%0A"
        "100%25 ?[31mred? & <script>alert(1)</script>\n"
        "::warning title=inputs changed%3A gemm_n128 / alice_fast::gemm_n128 / alice_fast / M=4 (NVIDIA "
        "H200)%0AIt passed, but the solution wrote to its inputs.\n"
        "::notice title=fib::3 results: 2 passed, 1 failed (1 RUNTIME_ERROR); 1 of those that passed changed "
        "inputs\n");
}

TEST_CASE("GitHub gets the first ten errors and how many more there are") {
  const TemporaryDataset files;
  testing::write_traces(files, many_failures(12));
  const auto lines = lines_of(ci_text(files, CiForm::github));
  REQUIRE(lines.size() == 12);
  for (std::size_t i = 0; i < 10; ++i)
    CHECK_THAT(lines[i], Catch::StartsWith("::error title=RUNTIME_ERROR%3A "));
  CHECK(lines[10] == "... and 2 more errors");
  CHECK(lines[11] == "::notice title=fib::12 results: 0 passed, 12 failed (12 RUNTIME_ERROR)");
  testing::write_traces(files, many_failures(10));
  CHECK(lines_of(ci_text(files, CiForm::github)).size() == 11);
}

TEST_CASE("the same error of a solution on many workloads is one annotation, with its log once") {
  const TemporaryDataset files;
  std::string traces;
  for (int i = 1; i <= 5; ++i) {
    const auto number = std::to_string(i);
    traces += failed_line("begin\ncall " + number + ": c[" + number + "] is off", "f" + number, i);
  }
  testing::write_traces(files, traces);
  CHECK(ci_text(files, CiForm::github) ==
        "::error title=RUNTIME_ERROR%3A gemm_n128 / alice_slow::gemm_n128 / alice_slow / M=1, M=2, M=3 and 2 "
        "more "
        "workloads (NVIDIA H200)%0ALog of M=1:%0Abegin%0Acall 1: c[1] is off\n"
        "::notice title=fib::5 results: 0 passed, 5 failed (5 RUNTIME_ERROR)\n");
  const auto junit = ci_text(files, CiForm::junit);
  CHECK(count(junit, "begin") == 1);
  CHECK(count(junit, "the log is that of alice_slow / M=1") == 4);
  CHECK(count(junit, "message=\"RUNTIME_ERROR: call 5: c[5] is off\"") == 1);
  const auto summary = ci_text(files, CiForm::job_summary);
  CHECK(count(summary, "begin") == 1);
  // The others have their own numbers.
  for (int i = 2; i <= 5; ++i)
    CHECK(count(summary, fmt::format("<td>call {}: c[{}] is off</td>", i, i)) == 1);
}

TEST_CASE("workloads on which a solution was skipped are told with the failure before them") {
  const TemporaryDataset files;
  std::string traces;
  for (int i = 1; i <= 4; ++i) {
    const std::string log = i < 3 ? "SIGSEGV at 0x7f" + std::string(i == 1 ? "ab" : "9c") + "0\n"
                                  : "Solution skipped after 2 failures. Last error: SIGSEGV at 0x7f9c0";
    const std::string line = failed_line(log, "f" + std::to_string(i), i);
    traces += i < 3 ? line : testing::skipped(line);
  }
  testing::write_traces(files, traces);
  CHECK(ci_text(files, CiForm::github) ==
        "::error title=RUNTIME_ERROR%3A gemm_n128 / alice_slow::gemm_n128 / alice_slow / M=1, M=2, M=3 and "
        "1 more workload (NVIDIA H200)%0ALog of M=1:%0ASIGSEGV at 0x7fab0\n"
        "::notice title=fib::4 results: 0 passed, 4 failed (4 RUNTIME_ERROR)\n");
  // Those before it may be left out of a table.
  const std::string alone = failed_line("Solution skipped after 3 failures. Last error: it broke");
  testing::write_traces(files, testing::skipped(alone));
  CHECK(count(ci_text(files, CiForm::github), "::error ") == 1);
  CHECK_THAT(ci_text(files, CiForm::junit),
             Catch::Contains("message=\"RUNTIME_ERROR (crash): Solution skipped"));
}

TEST_CASE("rows tell the error code of what did not pass") {
  const TemporaryDataset files;
  testing::write_traces(files,
                        testing::skipped(failed_line("Solution skipped after 2 failures. Last error: x")));
  std::vector<std::string> unreadable;
  const auto dataset = dataset::load_without_results(files.root(), unreadable);
  std::string csv;
  exports::export_text(dataset, {}, exports::TextForm::csv, unreadable,
                       [&](std::string_view part) { csv += part; });
  CHECK_THAT(csv, Catch::EndsWith(",crash,\n"));
}

TEST_CASE("what of a run was not done is told, since nobody sees what is missing") {
  const TemporaryDataset files;
  testing::write_traces(files, trace("alice_fast", "w1", 4).line());
  const testing::CiInput input(files);
  const report::RunRest not_done{kRun1, 3};
  const std::string text = "3 evaluations of run " + std::string(kRun1) + " have no result";
  const auto junit = exports::junit_results(input.results, not_done);
  CHECK_THAT(junit, Catch::Contains("<testsuite name=\"not done\" tests=\"1\"") &&
                        Catch::Contains("<skipped message=\"" + text + "\""));
  CHECK_THAT(exports::github_commands(input.results, input.dataset, "/", not_done),
             Catch::Contains("::warning title=not done::" + text));
  CHECK_THAT(exports::job_summary(input.results, input.dataset, exports::kSummaryBytes, not_done),
             Catch::Contains("0 failed; 3 evaluations of run"));
  CHECK_THAT(exports::junit_results(input.results), !Catch::Contains("not done"));
}

TEST_CASE("solutions that a run has skipped are told with the reason") {
  const TemporaryDataset files;
  testing::write_traces(files, trace("alice_fast", "w1", 4).line());
  const testing::CiInput input(files);
  const report::RunRest rest{kRun1, 0, true, {{"a|gpu", "needs <cuda>"}, {"b_gpu", "needs <cuda>"}}};
  const auto junit = exports::junit_results(input.results, rest);
  CHECK_THAT(
      junit,
      Catch::Contains("<testsuite name=\"skipped\" tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"2\"") &&
          Catch::Contains("name=\"a|gpu\"") && Catch::Contains("<skipped message=\"needs &lt;cuda&gt;\"") &&
          !Catch::Contains("not done"));
  CHECK_THAT(exports::github_commands(input.results, input.dataset, "/", rest),
             Catch::Contains("0 failed; 2 solutions were skipped"));
  const auto summary = exports::job_summary(input.results, input.dataset, exports::kSummaryBytes, rest);
  CHECK_THAT(summary, Catch::Contains("0 failed; 2 solutions were skipped") &&
                          Catch::Contains("\n### Skipped\n\n- a\\|gpu, b_gpu: needs \\<cuda\\>\n"));
  CHECK_THAT(exports::job_summary(input.results, input.dataset), !Catch::Contains("kipped"));
  const report::RunRest ticked{kRun1, 0, true, {{"[x] mine", "no"}}};  // no task that is done
  CHECK_THAT(exports::job_summary(input.results, input.dataset, exports::kSummaryBytes, ticked),
             Catch::Contains("\n- \\[x] mine: no\n"));
}

TEST_CASE("what a run skipped is told where all results are of that run, whether it was asked for or not") {
  const TemporaryDataset files;
  const std::string mine = trace("alice_fast", "w1", 4).line();
  REQUIRE(mine.find(kRun1) != std::string::npos);
  testing::write_traces(files, mine);
  CHECK_THAT(ci_text(files, CiForm::job_summary),
             !Catch::Contains("kipped"));  // without a record nothing is known
  files.write("runs/runs.jsonl",
              std::string(R"({"run_id":")") + kRun1 +
                  R"(","not_done":0,"skipped":[{"solution":"on_gpu","reason":"needs a GPU"}]})" + "\n");
  CHECK_THAT(ci_text(files, CiForm::job_summary),
             Catch::Contains("1 solution was skipped") && Catch::Contains("on_gpu: needs a GPU"));
  CHECK_THAT(ci_text(files, CiForm::junit), Catch::Contains("<skipped message=\"needs a GPU\""));
  dataset::Filter filter;
  filter.definitions = {"gemm_n128"};  // of a part nobody knows which run the rest is of
  CHECK_THAT(ci_text(files, CiForm::job_summary, filter), !Catch::Contains("kipped"));
  std::string other = trace("alice_slow", "w1", 4).line();
  other.replace(other.find(kRun1), std::string(kRun1).size(), "20260103T000000.000000Z-9");
  testing::write_traces(files, mine + other);
  CHECK_THAT(ci_text(files, CiForm::job_summary), !Catch::Contains("kipped"));
}

TEST_CASE("the latency of a solution that did not pass every workload stands in parentheses") {
  const TemporaryDataset files;
  testing::write_traces(files, failed_line("no", "w1", 4) + trace("alice_slow", "w2", 8, 2).line() +
                                   trace("alice_fast", "w1", 4).line() + trace("alice_fast", "w2", 8).line());
  const auto summary = ci_text(files, CiForm::job_summary);
  CHECK_THAT(summary, Catch::Contains("\n| - | alice_slow | alice | (2.00000) | - | 1 of 2 |\n"));
  CHECK_THAT(summary, Catch::Contains("| Latency [ms] (geo mean) | Speedup vs. reference (geo mean) |"));
}

TEST_CASE("an annotation stands at the solution's file, where that is in the repository") {
  const TemporaryDataset files;
  testing::write_traces(files, failed_line("no", "f1", 1));
  const testing::CiInput input(files);
  const auto at = [&](const std::filesystem::path& folder) {
    return exports::github_commands(input.results, input.dataset, folder);
  };
  const std::string root = files.root().filename().string();
  CHECK_THAT(
      at(files.root().parent_path()),
      Catch::StartsWith("::error file=" + root + "/solutions/alice/alice_slow.json,title=RUNTIME_ERROR"));
  CHECK_THAT(at(files.root()), Catch::StartsWith("::error file=solutions/alice/alice_slow.json,title="));
  CHECK_THAT(at("/elsewhere"), Catch::StartsWith("::error title="));
}

TEST_CASE("of a build that failed the first error is told") {
  const TemporaryDataset files;
  RunTrace failed = trace("alice_fast", "w1", 4);
  failed.status = "COMPILE_ERROR";
  failed.log =
      testing::in_json("kernel.cu:12:3: error: one\n" + std::string(60, '\n') + "a\nb\nc\nd\ne\nlast");
  testing::write_traces(files, failed.line());
  CHECK_THAT(ci_text(files, CiForm::github), Catch::Contains("%0Akernel.cu:12:3: error: one%0Aa%0A"));
  CHECK_THAT(ci_text(files, CiForm::junit),
             Catch::Contains("message=\"COMPILE_ERROR: kernel.cu:12:3: error: one\""));
}

TEST_CASE("JUnit has a suite for each definition and hardware, and survives hostile logs") {
  const TemporaryDataset files;
  RunTrace elsewhere = trace("alice_fast", "w1", 4, 250);
  elsewhere.hardware = testing::kCpu;
  testing::write_traces(files, failed_line(testing::kHostileLog) +
                                   testing::changed_inputs(trace("alice_fast", "w1", 4).line()) +
                                   elsewhere.line());
  const std::string text = ci_text(files, CiForm::junit);
  CHECK_THAT(text, Catch::Contains("<testsuites name=\"fib\" tests=\"3\" failures=\"1\""));
  CHECK_THAT(text,
             Catch::Contains("<testsuite name=\"gemm_n128 (AMD EPYC 9555 64-Core Processor)\" tests=\"1\""));
  CHECK_THAT(text, Catch::Contains("<testsuite name=\"gemm_n128 (NVIDIA H200)\" tests=\"2\" failures=\"1\""));
  CHECK_THAT(text, Catch::Contains("name=\"alice_fast / M=4\" time=\"0.25\">"));
  CHECK_THAT(text, Catch::Contains("<system-out>the solution wrote to its inputs</system-out>"));
  CHECK_THAT(text, Catch::Contains("<failure message=\"RUNTIME_ERROR: 100% ?[31mred? &amp; "
                                   "&lt;script&gt;alert(1)&lt;/script&gt;\">"));
  CHECK_THAT(text, Catch::Contains("&#10;]]&gt;&lt;/failure&gt;&#10;"));
  CHECK(count(text, "</failure>") == 1);
  CHECK_FALSE(has_control_characters(text));
}

TEST_CASE("a summary for GitHub has its failures in one block of HTML that no log can leave") {
  const TemporaryDataset files;
  testing::write_traces(files, failed_line(testing::kHostileLog) + failed_line("", "f2", 2) +
                                   trace("alice_fast", "w1", 4).line());
  const std::string text = ci_text(files, CiForm::job_summary);
  const std::size_t begin = text.find("<table>\n");
  const std::size_t end = text.find("</table>\n");
  REQUIRE(begin != std::string::npos);
  REQUIRE(end != std::string::npos);
  const auto rows = lines_of(text.substr(begin, end - begin));
  REQUIRE(rows.size() == 4);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    CHECK_THAT(rows[i], Catch::StartsWith("<tr>"));
    CHECK_THAT(rows[i], Catch::EndsWith("</tr>"));
  }
  CHECK(rows[2] ==
        "<tr><td>RUNTIME_ERROR</td><td>gemm_n128</td><td>alice_slow</td><td>M=1</td><td>NVIDIA H200</td><td>"
        "<details><summary>log</summary><pre>: :error title=forged::not from fib&#10;"
        "&lt;/pre&gt;&lt;/details&gt;&lt;/td&gt;&lt;/table&gt;&#10;# heading&#10;]]&gt;&lt;/failure&gt;&#10;"
        "100% ?[31mred? &amp; &lt;script&gt;alert(1)&lt;/script&gt;</pre></details></td></tr>");
  CHECK_THAT(rows[3], Catch::EndsWith("<td>-</td></tr>"));
  CHECK(count(text, "</table>") == 1);
  CHECK(count(text, "</details>") == 1);
  CHECK_FALSE(has_control_characters(text));
}

TEST_CASE("a summary stays below its limit and says what was left out") {
  const TemporaryDataset files;
  testing::write_traces(files, many_failures(40) + trace("alice_fast", "w1", 4).line());
  const testing::CiInput input(files);
  const std::string whole = exports::job_summary(input.results, input.dataset);
  CHECK_THAT(whole, !Catch::Contains("Left out"));
  CHECK(count(whole, "<tr><td>") == 40);
  const std::string part = exports::job_summary(input.results, input.dataset, 8192);
  CHECK(part.size() <= 8192);
  const std::size_t shown = count(part, "<tr><td>");
  CHECK(shown > 0);
  CHECK_THAT(part, Catch::Contains("Left out, since GitHub takes no summary of more than 1 MiB: " +
                                   std::to_string(40 - shown) + " failures. To see all: "));
  CHECK_THAT(part, Catch::Contains("</table>\n"));
  CHECK_THAT(part, Catch::Contains("| - | alice_fast | alice | (1.00000) | - | 1 of 41 |"));
}

TEST_CASE("a ranking is left out of a summary as a whole") {
  const TemporaryDataset files;
  std::string lines;
  for (int i = 0; i < 100; ++i)
    lines += trace("solution_with_a_long_name_" + std::to_string(i), "w1", 4).line();
  RunTrace other = trace("alice_fast", "w1", 4);
  other.definition = "other";
  testing::write_traces(files, lines + other.line());
  const testing::CiInput input(files);
  const std::string part = exports::job_summary(input.results, input.dataset, 4096);
  CHECK(part.size() <= 4096);
  CHECK_THAT(part, !Catch::Contains("solution_with_a_long_name"));
  CHECK_THAT(part, Catch::Contains("\n### NVIDIA H200\n\n#### other\n"));
  CHECK_THAT(part, Catch::Contains("more than 1 MiB: 1 ranking. To see all"));
}

TEST_CASE("solutions that did not pass every workload have no rank") {
  const TemporaryDataset files;
  RunTrace failed = trace("bob_gemm", "w2", 8);
  failed.status = "TIMEOUT";
  testing::write_traces(files,
                        trace("alice_slow", "w1", 4, 4).line() + trace("alice_slow", "w2", 8, 16).line() +
                            trace("alice_fast", "w1", 4, 2).line() + trace("alice_fast", "w2", 8, 8).line() +
                            trace("bob_gemm", "w1", 4, 1).line() + failed.line() +
                            trace("stranger", "w1", 4, 0.5).line());
  const testing::CiInput input(files);
  const auto rankings = exports::rank_results(input.results, input.dataset);
  REQUIRE(rankings.size() == 1);
  CHECK(exports::ranking_text(rankings[0]) ==
        "\n#### gemm_n128\n\n| Rank | Solution | Author | Latency [ms] (geo mean) | Speedup vs. reference "
        "(geo mean) | Passed |\n"
        "| ---: | --- | --- | ---: | ---: | ---: |\n"
        "| 1 | alice_fast | alice | 4.00000 | 2.0000 | 2 of 2 |\n"
        "| 2 | alice_slow | alice | 8.00000 | 2.0000 | 2 of 2 |\n"
        "| - | stranger | - | (0.50000) | - | 1 of 2 |\n"
        "| - | bob_gemm | bob | (1.00000) | - | 1 of 2 |\n");
}

TEST_CASE("github-action-benchmark gets medians with ranges, of what passed") {
  const TemporaryDataset files;
  testing::write_traces(files, failed_line("no") + trace("alice_fast", "w1", 4, 0.5).line() +
                                   testing::trace_line("old", "w2", 2, "cpu"));
  files.write("runs/runs.jsonl", std::string(R"({"run_id":")") + kRun1 +
                                     R"(","dataset_git":{"commit":"0123abcd","branch":"main"}})" + "\n");
  const json array = json::parse(ci_text(files, CiForm::action_benchmark));
  REQUIRE(array.size() == 2);
  CHECK(array[0] ==
        json{{"name", "gemm_n128 / alice_fast / M=4 (NVIDIA H200)"},
             {"unit", "ms"},
             {"value", 0.5},
             {"range", "± 0.001"},
             {"extra", std::string("status: PASSED\nspeedup: 2.0000\ncalls: 150\nclock: events\nrun: ") +
                           kRun1 + "\ncommit: 0123abcd"}});
  CHECK(array[1] == json{{"name", "d / old / M=2 (cpu)"},
                         {"unit", "ms"},
                         {"value", 2.0},
                         {"extra", "status: PASSED\nspeedup: 0.5000"}});
}

TEST_CASE("Bencher gets nanoseconds with bounds, and keeps entries of one name apart") {
  const TemporaryDataset files;
  // Names may be anything: these two read the same.
  RunTrace first = trace("y / z", "w1", 4, 0.5);
  first.definition = "x";
  RunTrace second = trace("z", "w1", 4, 0.25);
  second.definition = "x / y";
  second.speedup = 0;
  testing::write_traces(files, failed_line("no") + first.line() + second.line());
  const json document = json::parse(ci_text(files, CiForm::bencher));
  CHECK(document.size() == 2);
  CHECK(document["x / y / z / M=4 (NVIDIA H200)"] ==
        json{{"latency", {{"value", 500000.0}, {"lower_value", 499000.0}, {"upper_value", 501000.0}}},
             {"speedup", {{"value", 2.0}}}});
  CHECK(document["x / y / z / M=4 (NVIDIA H200) #2"] ==
        json{{"latency", {{"value", 250000.0}, {"lower_value", 249500.0}, {"upper_value", 250500.0}}}});
}

TEST_CASE("trackers get the interval of another run's latency as bounds where a trace has one") {
  const TemporaryDataset files;
  RunTrace known = trace("alice_fast", "w1", 4, 0.5);
  known.interval = 0.03;
  testing::write_traces(files, known.line());
  CHECK(json::parse(ci_text(files, CiForm::action_benchmark))[0]["range"] == "± 0.015");
  const json document = json::parse(ci_text(files, CiForm::bencher));
  CHECK(document["gemm_n128 / alice_fast / M=4 (NVIDIA H200)"]["latency"] ==
        json{{"value", 500000.0}, {"lower_value", 485000.0}, {"upper_value", 515000.0}});
}

TEST_CASE("every form for CI has a text for no results, and a count") {
  const TemporaryDataset files;
  testing::write_traces(files, "");
  CHECK(ci_text(files, CiForm::github) == "::notice title=fib::no results\n");
  CHECK_THAT(ci_text(files, CiForm::junit), Catch::Contains("<testsuites name=\"fib\" tests=\"0\""));
  CHECK(ci_text(files, CiForm::job_summary) == "## fib\n\nno results\n");
  CHECK(json::parse(ci_text(files, CiForm::action_benchmark)) == json::array());
  CHECK(json::parse(ci_text(files, CiForm::bencher)) == json::object());
  testing::write_traces(files, failed_line("no") + trace("alice_fast", "w1", 4).line());
  std::vector<std::string> unreadable;
  const auto dataset = dataset::load_without_results(files.root(), unreadable);
  const auto ignore = [](std::string_view) {};
  CHECK(exports::export_ci(dataset, {}, CiForm::junit, unreadable, ignore) == 2);
  CHECK(exports::export_ci(dataset, {}, CiForm::bencher, unreadable, ignore) == 1);
}

TEST_CASE("forms that people read say which traces do not count") {
  const TemporaryDataset files;
  testing::write_traces(files, trace("alice_fast", "w1", 4).line() + trace("gone", "w1", 4).line());
  std::vector<std::string> unreadable;
  const auto dataset = dataset::load_without_results(files.root(), unreadable);
  dataset::Filter filter;
  filter.standing =
      std::make_shared<const dataset::StandingResults>(dataset, dataset::read_results(dataset), filter);
  const std::string text = "1 trace does not count: 1 of solutions not here";
  CHECK_THAT(ci_text(files, CiForm::github, filter), Catch::Contains("::notice title=not counted::" + text));
  CHECK_THAT(ci_text(files, CiForm::job_summary, filter), Catch::Contains("\n\n" + text));
  CHECK_THAT(ci_text(files, CiForm::junit, filter), !Catch::Contains(text));
}
