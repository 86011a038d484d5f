#include <catch2/catch.hpp>

#include "chart/png.h"
#include "cli/report_datasets.h"

using namespace fib;
using testing::run_fib;

TEST_CASE("charts in the terminal") {
  const testing::ReportDatasets datasets;
  datasets.check_run({"visualize", "--local", "runs"}, "visualize.txt");
  datasets.check_run({"visualize", "--local", "runs", "--history"}, "visualize_history.txt");
  datasets.check_run({"visualize", "--local", "sample", "--hardware", "AMD*"}, "visualize_sample.txt");
  datasets.check_run({"visualize", "--local", "empty"}, "visualize_empty.txt");
}

TEST_CASE("single charts are files") {
  const testing::ReportDatasets datasets;
  const auto svg = run_fib({"visualize", "--local", "runs", "--svg", "latency"}, datasets.folder());
  CHECK(svg.exit_code == 0);
  CHECK(svg.err == "latency.svg written\n");
  CHECK(util::read_file(datasets.folder() / "latency.svg").find("<svg ") != std::string::npos);
  const auto named =
      run_fib({"visualize", "--local", "runs", "--svg", "fast-p", "--output", "p.svg", "--theme", "dark"},
              datasets.folder());
  CHECK(named.exit_code == 0);
  CHECK(util::read_file(datasets.folder() / "p.svg").find("data-series=\"alice\"") != std::string::npos);
  if (!chart::png_problem().empty()) {
    WARN("skipped: " << chart::png_problem());
    return;
  }
  // Fontconfig gives nothing back at the end; a build with AddressSanitizer shall not mind.
  const auto png =
      run_fib({"visualize", "--local", "runs", "--png", "status"}, datasets.folder(),
              {{"COLUMNS", "80"}, {"HOME", datasets.folder().string()}, {"ASAN_OPTIONS", "detect_leaks=0"}});
  CHECK(png.exit_code == 0);
  CHECK(util::read_file(datasets.folder() / "status.png").starts_with("\x89PNG\r\n"));
}

TEST_CASE("every chart can be drawn of a dataset that has it") {
  const testing::ReportDatasets datasets;
  for (const char* name : {"authors", "fast-p", "speedups", "histogram", "roofline", "solutions", "latency",
                           "solution-speedups", "status", "history"}) {
    INFO(name);
    const auto output =
        run_fib({"visualize", "--local", "runs", "--svg", name, "--output", "-"}, datasets.folder());
    CHECK(output.exit_code == 0);
    CHECK(output.err.empty());
    CHECK(output.out.starts_with("<"));
  }
}

TEST_CASE("visualize says what it cannot draw") {
  const testing::ReportDatasets datasets;
  const auto fails = [&](std::vector<std::string> words, int code, const std::string& text) {
    words.insert(words.begin(), "visualize");
    const auto output = run_fib(words, datasets.folder());
    CHECK(output.exit_code == code);
    CHECK(output.out.empty());
    CHECK(output.err.find(text) != std::string::npos);
  };
  fails({"--local", "sample", "--svg", "latency"}, 1,
        "the chart is of one hardware, and there are 2: AMD EPYC");
  fails({"--local", "sample", "--svg", "latency", "--hardware", "AMD*"}, 1,
        "the chart is of one definition, and there are 2: gemm_n128");
  fails({"--local", "runs", "--svg", "sweep"}, 1, "no run of the dataset swept anything");
  fails({"--local", "empty", "--svg", "latency"}, 1, "no traces to draw");
  fails({"--local", "runs", "--svg", "pie"}, 2, "pie");
  fails({"--local", "runs", "--output", "x"}, 2, "neither is given");
  fails({"--local", "runs", "--theme", "dark"}, 2, "the HTML report has both");
  fails({"--local", "nowhere"}, 1, "there is no dataset folder nowhere");
  fails({"--local", "runs", "--html", "runs/traces/all.jsonl/x.html"}, 1, "runs/traces/all.jsonl");
}
