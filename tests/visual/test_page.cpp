#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "visual/html.h"
#include "visual/page.h"
#include "visual/scenes.h"

using namespace fib;

namespace {

std::string page_of(const visual::Scene& scene) { return visual::page(scene, {"name", "0.0.0", false, {}}); }

std::string page_of(const testing::TemporaryDataset& files, const visual::SceneOptions& options = {}) {
  visual::Scene scene;
  visual::read_scene(files.root().string(), options, scene);
  return page_of(scene);
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a page is the same for the same data") {
  const testing::RunsScene one;
  CHECK(page_of(one.scene()) == page_of(one.scene()));
  CHECK(holds(page_of(one.scene()), "<title>name – fib report</title>"));
  CHECK(holds(page_of(one.scene()), "the latest of 2026-01-02 00:00 UTC"));
}

TEST_CASE("nothing of a hostile dataset becomes markup") {
  const std::string evil = "</pre></script><img src=x onerror=alert(1)>";
  const testing::TemporaryDataset files;
  testing::RunTrace trace{
      .run = testing::kRun1, .definition = evil, .solution = evil, .status = "TIMEOUT", .log = evil};
  trace.hardware = "NVIDIA " + evil;
  files.write("traces/t.jsonl", trace.line());
  visual::Scene scene;
  visual::read_scene(files.root().string(), {.every_trace = true}, scene);
  REQUIRE(scene.details.size() == 1);
  const std::string html = visual::page(scene, {evil, evil, false, {}});
  CHECK(!holds(html, "<img"));
  CHECK(holds(html, "&lt;img src=x onerror=alert(1)&gt;"));
}

TEST_CASE("nor do the names of runs") {
  const testing::TemporaryDataset files;
  std::string lines;
  for (const char* run : {"<zz a=x1>", "<zz a=x2>"})  // the digit is the day of its traces
    lines +=
        testing::RunTrace{.run = run, .definition = "d", .solution = "s", .median = run[7] == '1' ? 1.0 : 2.0}
            .line();
  files.write("traces/t.jsonl", lines);
  const std::string html = page_of(files, {.every_trace = true});
  CHECK(holds(html, "in the run &lt;zz a=x1&gt;"));
  CHECK(!holds(html, "<zz"));
}

TEST_CASE("the page says which of its numbers are to be doubted, and why") {
  const auto html = [](double sm_clock) {
    const testing::TemporaryDataset files;
    testing::RunTrace trace{.run = testing::kRun1, .definition = "d", .solution = "s"};
    const std::string first = trace.line();
    trace.uuid = "w2";
    trace.sm_clock = sm_clock;
    files.write("traces/t.jsonl", first + trace.line());
    return page_of(files, {.every_trace = true});
  };
  CHECK_FALSE(holds(html(1980), "GPU clocks below"));
  const std::string slow = html(1200);
  CHECK(holds(slow, "to doubt some of these numbers"));
  CHECK(holds(slow, "at GPU clocks below 90% of their maximum"));
}

TEST_CASE("the page says which means its speedups are") {
  const testing::TemporaryDataset files;
  testing::write_runs(files);
  const auto html = [&](bool every_trace) { return page_of(files, {.every_trace = every_trace}); };
  CHECK(holds(html(false), "Speedup: geometric mean of"));
  const std::string of_every_trace = html(true);
  CHECK(holds(of_every_trace, "Speedup: arithmetic mean of"));
  CHECK(!holds(of_every_trace, "table has geometric means"));
}

TEST_CASE("a solution with many different logs has one line for them") {
  const auto html = [](int logs) {
    const testing::TemporaryDataset files;
    std::string lines;
    for (int i = 0; i < logs; ++i) {
      const std::string number = std::to_string(i);
      lines += testing::RunTrace{.run = testing::kRun1,
                                 .definition = "d",
                                 .solution = "s",
                                 .uuid = "w" + number,
                                 .status = "TIMEOUT",
                                 .log = "no answer to question " + number}
                   .line();
    }
    files.write("traces/t.jsonl", lines);
    return page_of(files, {.every_trace = true});
  };
  CHECK(!holds(html(8), "different logs"));
  const std::string many = html(9);
  CHECK(holds(many, "9 different logs</summary><details id="));
  CHECK(holds(many, "no answer to question 8"));
}

TEST_CASE("a chart that shows some of the solutions says how many") {
  const auto html = [](int solutions) {
    const testing::TemporaryDataset files;
    std::string lines;
    for (int i = 0; i < solutions; ++i)
      lines +=
          testing::RunTrace{.run = testing::kRun1, .definition = "d", .solution = "s" + std::to_string(i)}
              .line();
    files.write("traces/t.jsonl", lines);
    return page_of(files, {.every_trace = true});
  };
  CHECK(!holds(html(40), "means); the first 40 of"));
  CHECK(holds(html(45), "means); the first 40 of 45 solutions"));
}

TEST_CASE("failures link to the end of their logs") {
  const testing::TemporaryDataset files;
  const testing::RunTrace trace{.run = testing::kRun1,
                                .definition = "d",
                                .solution = "s",
                                .status = "TIMEOUT",
                                .log = R"(begins\n)" + std::string(20000, 'x') + R"(\nat the end)"};
  files.write("definitions/d.json", testing::definition_text("d"));
  files.write("solutions/s.json", testing::solution_text("s", "me", "cuda"));
  files.write("traces/t.jsonl", trace.line());
  const std::string html = page_of(files);
  CHECK(holds(html, "<a href=\"#log-1\" title=\"TIMEOUT: at the end\">timeout</a>"));
  CHECK(holds(html, "<details id=\"log-1\"><summary>s on d"));
  CHECK(!holds(html, "begins"));
  CHECK(holds(html, "x\nat the end"));
  CHECK(holds(html, "The whole log: fib report show trace s w1"));
}

TEST_CASE("a log that several workloads of a solution share is told once") {
  const testing::TemporaryDataset files;
  files.write("definitions/d.json", testing::definition_text("d"));
  files.write("solutions/s.json", testing::solution_text("s", "me", "cuda"));
  std::string traces;
  for (int m = 1; m <= 4; ++m) {
    const testing::RunTrace trace{.run = testing::kRun1,
                                  .definition = "d",
                                  .solution = "s",
                                  .uuid = "w" + std::to_string(m),
                                  .m = m,
                                  .status = "COMPILE_ERROR",
                                  .log = "s.cu:1:1: error: no"};
    traces += trace.line();
  }
  files.write("traces/t.jsonl", traces);
  const std::string html = page_of(files);
  CHECK(holds(html, "<details id=\"log-1\"><summary>s on d w1 M=1; w2 M=2; w3 M=3 and 1 more workload ("));
  CHECK(!holds(html, "log-2"));
}

TEST_CASE("logs stand by definition and solution; an empty one is told by the errors of the result") {
  const testing::TemporaryDataset files;
  std::string traces;
  for (const std::string name : {"b", "a"}) {
    files.write("definitions/" + name + ".json", testing::definition_text(name));
    files.write("solutions/" + name + ".json", testing::solution_text(name, "me", "cuda", "NVIDIA", name));
    std::string line = testing::RunTrace{.run = testing::kRun1,
                                         .definition = name,
                                         .solution = name,
                                         .status = "INCORRECT_NUMERICAL",
                                         .log = name == "a" ? "" : "why"}
                           .line();
    line.insert(line.find("\"fib\":{"),
                R"("correctness":{"max_absolute_error":3.0,"max_relative_error":1.5},)");
    traces += line;
  }
  files.write("traces/t.jsonl", traces);
  const std::string html = page_of(files);
  CHECK(html.find("<summary>a on a") < html.find("<summary>b on b"));
  CHECK(holds(html, "max abs error"));
  CHECK(holds(html, "<caption>Verdict of every workload and solution"));
  CHECK(holds(html, "<caption>Who won</caption>"));
}

TEST_CASE("a result shows how much slower it is than the fastest, and names how many failures they have") {
  const testing::TemporaryDataset files;
  files.write("definitions/d.json", testing::definition_text("d"));
  std::string traces;
  for (const auto& [name, latency] :
       std::map<std::string, double>{{"a", 1}, {"b", 1.05}, {"c", 1.4}, {"e", 2}, {"f", 9}, {"g", 11}}) {
    files.write("solutions/" + name + ".json", testing::solution_text(name, "me", "cuda"));
    testing::RunTrace trace{.run = testing::kRun1, .definition = "d", .solution = name};
    trace.median = latency;
    traces += trace.line();
  }
  files.write("solutions/bad.json", testing::solution_text("bad", "me", "cuda"));
  traces +=
      testing::RunTrace{.run = testing::kRun1, .definition = "d", .solution = "bad", .status = "TIMEOUT"}
          .line();
  files.write("traces/t.jsonl", traces);
  const std::string html = page_of(files);
  CHECK(holds(html, "<td class=\"p w\">1.000"));
  CHECK(holds(html, "<td class=p>1.050"));
  CHECK(holds(html, "<td class=\"p s1\">1.400"));
  CHECK(holds(html, "<td class=\"p s2\">2.000"));
  CHECK(holds(html, "<td class=\"p s3\">9.000"));
  CHECK(holds(html, "<td class=\"p s4\">11.00"));
  CHECK(holds(html, "M=1 <b class=\"failed\">1 failed</b>"));
  CHECK(holds(html, "bad</a> <b class=\"failed\">1 failed</b>"));
  CHECK(holds(
      html,
      "<a href=\"#d-d-on-NVIDIA~20H200\">d</a></td><td class=\"n\" data-v=\"7\" data-name=\"Results\">7"));
}

TEST_CASE("solutions that were not tried are named, and where nothing ever passed there is no empty chart") {
  const testing::TemporaryDataset files;
  files.write("definitions/d.json", testing::definition_text("d"));
  files.write("solutions/s.json", testing::solution_text("s", "me", "cuda"));
  files.write("solutions/idle.json", testing::solution_text("idle", "me", "cuda"));
  std::string traces;
  for (const char* run : {testing::kRun1, testing::kRun2}) {
    traces += testing::RunTrace{.run = run, .definition = "d", .solution = "s", .status = "TIMEOUT"}.line();
  }
  files.write("traces/t.jsonl", traces);
  const std::string html = page_of(files);
  CHECK(holds(html, "<summary>1 solution has no result that counts</summary><p>idle: for "));
  CHECK(holds(html, "; no run says why there is no result</p>"));
  files.write("runs/runs.jsonl",
              std::string(R"({"run_id":")") + testing::kRun2 +
                  R"(","hardware":"NVIDIA H200","skipped":[{"solution":"idle","reason":"it needs <tcl>"}]})" +
                  "\n");
  CHECK(holds(page_of(files), "<p>idle: it needs &lt;tcl&gt;</p>"));
  files.write(
      "runs/runs.jsonl",
      std::string(R"({"run_id":")") + testing::kRun2 +
          R"(","hardware":"NVIDIA H200","not_done_reasons":[{"solution":"idle","reason":"#error no"}]})" +
          "\n");
  CHECK(holds(page_of(files), "<p>idle: #error no</p>"));
  CHECK(holds(html, "<p>d on NVIDIA H200: nothing passed in any of 2 runs.</p>"));
  CHECK(!holds(html, "latency over runs"));
}

TEST_CASE("the page says how solutions fail, what broke, and what its bars and numbers mean") {
  const testing::TemporaryDataset files;
  files.write("definitions/d.json", testing::definition_text("d"));
  for (const char* name : {"fast", "slow", "broken"})
    files.write(std::string("solutions/") + name + ".json", testing::solution_text(name, "me", "cuda"));
  std::string traces;
  const auto add = [&](const char* run, const char* solution, const char* uuid, double median,
                       const char* status) {
    traces += testing::RunTrace{.run = run,
                                .definition = "d",
                                .solution = solution,
                                .uuid = uuid,
                                .median = median,
                                .status = status}
                  .line();
  };
  for (const char* run : {testing::kRun1, testing::kRun2}) {
    const bool is_first = run == testing::kRun1;
    for (const char* uuid : {"w1", "w2"}) {
      add(run, "fast", uuid, 0.25, "PASSED");
      add(run, "slow", uuid, 0.5, "PASSED");
    }
    add(run, "broken", "w1", 0.125, is_first ? "PASSED" : "RUNTIME_ERROR");
    add(run, "broken", "w2", 0.125, is_first ? "PASSED" : "TIMEOUT");
  }
  files.write("traces/t.jsonl", traces);
  const std::string html = page_of(files);
  CHECK(holds(html, "ERROR, 1 TIMEOUT; first w1"));
  CHECK(holds(html, "0.12500 → failed"));
  CHECK(holds(html, "Solutions on NVIDIA H200, longer bars are faster"));
  CHECK(holds(html, "--w:100.0%"));
  CHECK(holds(html, "--w:50.0%"));
  CHECK(holds(html, "Timed calls: over all workloads."));
  // Of the first run nothing counts any more.
  CHECK(holds(html, "data-name=\"In reports\">0</td>"));
  CHECK(holds(html, "data-name=\"In reports\">6</td>"));
  CHECK(holds(html, "results passed; failed: 1 RUNTIME_<wbr>ERROR, 1 TIMEOUT"));
  CHECK(holds(html, "style=\"min-width:12ch\">Solution"));  // "broken" and a little
}

TEST_CASE("a failure is named with its code, where that says more than its status") {
  const testing::TemporaryDataset files;
  const auto add = [&](const std::string& solution, const std::string& status, const std::string& code) {
    auto trace = nlohmann::json::parse(
        testing::RunTrace{.run = testing::kRun1, .definition = "d", .solution = solution, .status = status}
            .line());
    trace["evaluation"]["fib"]["failure"] = {{"code", code}, {"stage", "build"}};
    return trace.dump() + "\n";
  };
  files.write("traces/t.jsonl",
              add("a", "COMPILE_ERROR", "compile_error") + add("b", "COMPILE_ERROR", "missing_symbol"));
  const std::string html = page_of(files, {.every_trace = true});
  CHECK(holds(html, "COMPILE_<wbr>ERROR (missing_<wbr>symbol)"));
  CHECK(!holds(html, "(compile_"));
}

TEST_CASE("a chart of speedups says who passed nothing, and of a baseline alone there is none") {
  const auto html = [](bool with_other) {
    const testing::TemporaryDataset files;
    files.write("definitions/d.json", testing::definition_text("d"));
    for (const char* name : {"base", "other", "bad"})
      files.write(std::string("solutions/") + name + ".json",
                  testing::solution_text(name, std::string(name) == "base" ? "baseline" : "me", "cuda"));
    std::string lines;
    const auto add = [&](const char* solution, const char* status, double median = 0.5) {
      lines += testing::RunTrace{.run = testing::kRun1,
                                 .definition = "d",
                                 .solution = solution,
                                 .median = median,
                                 .status = status}
                   .line();
    };
    add("base", "PASSED");
    add("bad", "TIMEOUT");
    if (with_other) add("other", "PASSED", 0.25);
    files.write("traces/t.jsonl", lines);
    return page_of(files);
  };
  CHECK(holds(html(true), "(the table has geometric means); 1 passed nothing"));
  CHECK(holds(html(true), "definitions won against the baseline alone"));
  CHECK(!holds(html(false), "Speedups against the baseline over the workloads"));
}

TEST_CASE("definitions of which no trace counts are named, and solutions stand as people count") {
  const testing::TemporaryDataset files;
  files.write("definitions/d.json", testing::definition_text("d"));
  std::string lines;
  for (const char* name : {"round_10", "round_9"}) {
    files.write(std::string("solutions/") + name + ".json", testing::solution_text(name, "me", "cuda"));
    lines += testing::RunTrace{.run = testing::kRun1, .definition = "d", .solution = name}.line();
  }
  lines += testing::RunTrace{.run = testing::kRun1, .definition = "gone", .solution = "elsewhere"}.line();
  files.write("traces/t.jsonl", lines);
  const std::string html = page_of(files);
  CHECK(holds(html, "<p>No trace of gone counts.</p>"));
  CHECK(html.find("<details id=\"s-round_9\"") < html.find("<details id=\"s-round_10\""));
}

TEST_CASE(
    "where a few results changed, it is said by how much these did; a few more failures have their rows") {
  const testing::TemporaryDataset files;
  files.write("definitions/d.json", testing::definition_text("d"));
  std::string lines;
  const auto add = [&](const char* run, const std::string& solution, const std::string& uuid, double median,
                       const std::string& status, const std::string& log) {
    files.write("solutions/" + solution + ".json", testing::solution_text(solution, "me", "cuda"));
    lines += testing::RunTrace{.run = run,
                               .definition = "d",
                               .solution = solution,
                               .uuid = uuid,
                               .median = median,
                               .status = status,
                               .log = log}
                 .line();
  };
  for (const char* run : {testing::kRun1, testing::kRun2}) {
    const bool is_first = run == testing::kRun1;
    for (const char* uuid : {"w1", "w2", "w3", "w4"})
      add(run, "some", uuid, uuid[1] == '1' && !is_first ? 0.5 : 0.25, "PASSED", "");
    for (int i = 0; i < 43; ++i)
      add(run, fmt::format("bad_{}", i), "w1", 1, "RUNTIME_ERROR", fmt::format("problem number {}", i));
  }
  files.write("traces/t.jsonl", lines);
  const std::string html = page_of(files);
  CHECK(holds(html, "(+100.0% where it changed)"));
  CHECK(holds(html, ">1 slower of 4</td>"));  // nothing says what the source was
  CHECK(!holds(html, "more that failed"));
}

TEST_CASE(
    "of a solution that has results of an earlier source alone that is said, and of a last run of a part its "
    "part") {
  const testing::TemporaryDataset files;
  std::string lines;
  for (const char* definition : {"d", "e"}) {
    files.write(fmt::format("definitions/{}.json", definition), testing::definition_text(definition));
    const std::string solution = std::string("of_") + definition;
    files.write("solutions/" + solution + ".json",
                testing::solution_text(solution, "me", "cuda", "any", definition));
    for (const char* run : {testing::kRun1, testing::kRun2}) {
      if (run == testing::kRun2 && *definition == 'e') continue;
      lines +=
          testing::RunTrace{.run = run, .definition = definition, .solution = solution, .uuid = "w1"}.line();
    }
  }
  std::string old =
      testing::RunTrace{.run = testing::kRun1, .definition = "d", .solution = "edited", .uuid = "w1"}.line();
  old.insert(old.find("\"config\""), R"("solution_sha256":"other",)");
  files.write("solutions/edited.json", testing::solution_text("edited", "me", "cuda", "any", "d"));
  files.write("traces/t.jsonl", lines + old);
  const std::string html = page_of(files);
  CHECK(holds(html, "<p>edited: results of an earlier source alone</p>"));
  CHECK(holds(html, " (1 of 2 definitions)."));
}

TEST_CASE("where no run has a record the traces say what libraries there were") {
  const testing::TemporaryDataset files;
  files.write("definitions/d.json", testing::definition_text("d"));
  files.write("solutions/s.json", testing::solution_text("s", "me", "cuda"));
  const auto line = [](const char* day, const char* libs) {
    return fmt::format(
        R"({{"definition":"d","solution":"s","workload":{{"axes":{{}},"inputs":{{}},"uuid":"w"}},"evaluation":{{)"
        R"("status":"TIMEOUT","environment":{{"hardware":"A800","libs":{{{}}}}},"timestamp":"2026-01-{}T00:00:00","log":""}}}})"
        "\n",
        libs, day);
  };
  files.write("traces/t.jsonl",
              line("02", R"("torch":"2.9.1","<b>":"1")") + line("01", R"("torch":"2.8.0")"));
  const std::string html = page_of(files);
  CHECK(holds(html, "#environment\"><span>Environment</span>"));
  CHECK(holds(html, "What the latest trace on A800 names"));
  CHECK(holds(html, ">torch</td><td>2.9.1</td>"));
  CHECK(holds(html, "&lt;b&gt;"));
  CHECK(!holds(html, "2.8.0"));
  files.write("traces/t.jsonl", line("01", ""));
  CHECK(!holds(page_of(files), "Environment"));
}

TEST_CASE("of what is slower though its source is the same that is said") {
  const testing::TemporaryDataset files;
  files.write("definitions/d.json", testing::definition_text("d"));
  const std::string solution = testing::solution_text("s", "me", "cuda");
  files.write("solutions/s.json", solution);
  const std::string source = model::content_sha256(model::parse_solution(solution));
  std::string lines;
  for (const auto& [run, median] : {std::pair(testing::kRun1, 1.0), std::pair(testing::kRun2, 2.0)}) {
    std::string line =
        testing::RunTrace{.run = run, .definition = "d", .solution = "s", .uuid = "w1", .median = median}
            .line();
    lines += line.insert(line.find("\"config\""), R"("solution_sha256":")" + source + "\",");
  }
  files.write("traces/t.jsonl", lines);
  CHECK(holds(page_of(files), ">1 slower of 1; same source</td>"));
}

TEST_CASE("empty logs of one solution stand together, with a line for each workload") {
  const testing::TemporaryDataset files;
  files.write("definitions/d.json", testing::definition_text("d"));
  files.write("solutions/s.json", testing::solution_text("s", "me", "cuda"));
  std::string lines;
  for (int i = 1; i <= 3; ++i) {
    lines += fmt::format(
        R"({{"definition":"d","solution":"s","workload":{{"axes":{{}},"inputs":{{}},"uuid":"w{}"}},"evaluation":{{)"
        R"("status":"INCORRECT_NUMERICAL","environment":{{"hardware":"NVIDIA H200","libs":{{}}}},"timestamp":"2026-01-01T00:00:00","log":"",)"
        R"("correctness":{{"max_absolute_error":{}.5,"max_relative_error":1.0}},"performance":null}}}})"
        "\n",
        i, i);
  }
  files.write("traces/t.jsonl", lines);
  const std::string html = page_of(files);
  CHECK(html.find("The log is empty.") == html.rfind("The log is empty."));
  CHECK(holds(html, "The log is empty."));
  CHECK(holds(html, "max abs error 3.50"));
}

TEST_CASE("numbers are not broken") {
  CHECK(visual::breakable("got=-0.0036315918;first.at") == "got=<wbr>-0.0036315918;<wbr>first.<wbr>at");
  CHECK(visual::breakable("kernel_file.cu(12):error") == "kernel_<wbr>file.<wbr>cu(12):<wbr>error");
}

TEST_CASE("long names are broken behind their underscores, in the contents too") {
  const testing::TemporaryDataset files;
  const std::string name = "gqa_paged_decode_h32_kv4_d128_ps1";
  files.write("traces/t.jsonl",
              testing::RunTrace{.run = testing::kRun1, .definition = name, .solution = "s"}.line());
  const std::string html = page_of(files, {.every_trace = true});
  CHECK(holds(html, "<span>gqa_<wbr>paged_<wbr>decode_<wbr>h32_<wbr>kv4_<wbr>d128_<wbr>ps1</span>"));
}

TEST_CASE("the first screen says that the last run was interrupted") {
  const testing::TemporaryDataset files;
  testing::write_runs(files);
  files.write("runs/runs.jsonl", std::string(R"({"run_id":")") + testing::kRun2 +
                                     R"(","interrupted":true,"planned":9,"finished":4,"not_done":0})" + "\n");
  const std::string html = page_of(files);
  CHECK_THAT(html.substr(html.find("in the last run against"), 300),
             Catch::Contains("interrupted after 4 of 9 evaluations; also"));
  CHECK(holds(html, ", interrupted after 4 of 9 evaluations</caption>"));
}

TEST_CASE("of two values the median is their mean") {
  const testing::TemporaryDataset files;
  testing::write_runs(files);
  std::string traces;
  for (const double clock : {1000.0, 2000.0}) {
    const testing::RunTrace made{.run = testing::kRun1,
                                 .definition = "gemm_n128",
                                 .solution = "alice_fast",
                                 .uuid = clock < 1500 ? "w1" : "w2",
                                 .m = clock < 1500 ? 1 : 2,
                                 .sm_clock = clock};
    traces += made.line();
  }
  files.write("traces/all.jsonl", traces);
  const std::string html = page_of(files);
  const std::string table = html.substr(html.find("How it was measured"));
  CHECK(holds(table.substr(0, table.find("</table>")), ">1500<"));
}

TEST_CASE("a dataset without traces has a page") {
  const testing::TemporaryDataset files;
  files.write("definitions/d.json", testing::definition_text("d"));
  CHECK(holds(page_of(files), "No traces"));
}

TEST_CASE("a page of the history alone has no results") {
  const testing::RunsScene runs;
  const std::string html = visual::page(runs.scene(), {"name", "0.0.0", true, {}});
  CHECK(holds(html, "<h2>History</h2>"));
  CHECK(!holds(html, "<section id=\"on-"));
  CHECK(!holds(html, "href=\"#on-"));
  CHECK(holds(page_of(runs.scene()), "<section id=\"on-"));
}

TEST_CASE("what could not be read is said in the page") {
  const testing::TemporaryDataset files;
  files.write("traces/t.jsonl", "{\"broken\n");
  CHECK(holds(page_of(files), "What could not be read"));
}

TEST_CASE("where each solution has a workload of its own the page has no cell for each pair") {
  const testing::TemporaryDataset files;
  files.write("definitions/gemm/d.json", testing::definition_text("d", "gemm"));
  std::string text;
  for (int i = 100; i < 230; ++i) {
    const std::string number = std::to_string(i);
    files.write("solutions/s" + number + ".json",
                testing::solution_text("s" + number, "amy", "cuda", "NVIDIA", "d"));
    text +=
        testing::RunTrace{
            .run = testing::kRun1, .definition = "d", .solution = "s" + number, .uuid = "w" + number, .m = i}
            .line();
  }
  files.write("traces/t.jsonl", text);
  const std::string page = page_of(files);
  CHECK(page.find("Of 130 solutions the first 100 are here.") != std::string::npos);
  std::size_t empty = 0;
  for (std::size_t at = page.find("<td>"); at != std::string::npos; at = page.find("<td>", at + 1)) ++empty;
  CHECK(empty < 130 * 130);
}
