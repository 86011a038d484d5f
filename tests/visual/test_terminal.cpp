#include <catch2/catch.hpp>

#include "present/text.h"
#include "visual/scenes.h"
#include "visual/terminal.h"

using namespace fib;

TEST_CASE("terminal charts fit the terminal") {
  const testing::RunsScene runs;
  for (const std::size_t width : {60U, 80U, 120U}) {
    const present::TextStyle style{width, false};
    std::string text =
        visual::terminal_charts(runs.scene(), style) + visual::terminal_history(runs.scene(), style);
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin);
      CHECK(present::display_width(text.substr(begin, end - begin)) <= width);
      begin = end + 1;
    }
  }
}

TEST_CASE("a solution's latencies and runs are sparklines, failures crosses") {
  const testing::RunsScene runs;
  const std::string charts = visual::terminal_charts(runs.scene(), {100, false});
  CHECK(charts.find("gemm_n128: speedup against the reference, geometric mean") != std::string::npos);
  CHECK(charts.find("✗█✗") != std::string::npos);  // alice_slow: broken, fixed, failed
  const std::string history = visual::terminal_history(runs.scene(), {100, false});
  CHECK(history.find("alice_slow  ") != std::string::npos);
  CHECK(history.find("✗✗") != std::string::npos);
  CHECK(history.find("·█") != std::string::npos);  // bob was not in the first run
  CHECK(history.find("██") != std::string::npos);  // alice_fast: 1 % is no mountain
}

TEST_CASE("of many runs and workloads a line has the last runs, and workloads of every size") {
  const testing::TemporaryDataset files;
  files.write("definitions/gemm/d.json", testing::definition_text("d", "gemm"));
  files.write("solutions/s.json", testing::solution_text("s", "amy", "cuda", "NVIDIA", "d"));
  std::string text;
  for (int i = 100; i < 175; ++i) {
    const std::string number = std::to_string(i);
    text += testing::RunTrace{.run = "2026010" + number + "T000000Z-1",
                              .definition = "d",
                              .solution = "s",
                              .uuid = "w" + number,
                              .m = i}
                .line();
  }
  files.write("traces/t.jsonl", text);
  visual::Scene scene;
  visual::read_scene(files.root().string(), {}, scene);
  const std::string history = visual::terminal_history(scene, {});
  CHECK(history.find("latency over the last 60 of 75 runs, from 2026010115") != std::string::npos);
  const std::string charts = visual::terminal_charts(scene, {});
  CHECK(charts.find("60 of 75 workloads by size:") != std::string::npos);
}

TEST_CASE("without traces there is a sentence") {
  const visual::Scene scene;
  CHECK(visual::terminal_charts(scene, {}).find("No traces to show") == 0);
  CHECK(visual::terminal_history(scene, {}).find("No runs") == 0);
}
