#include <catch2/catch.hpp>

#include "dataset/temporary_dataset.h"
#include "model/solution.h"
#include "report/compare.h"
#include "report/run_results.h"

using namespace fib;

namespace {

// One trace in the making.
struct Made {
  std::string latency = "1";  // empty: it failed
  std::string day = "01";
  std::string solution = "s";
  std::string uuid = "w";
  std::string flush = "clean";
  std::string interval = "0.01";  // share
  std::string speedup = "2";
  std::string sweep = {};  // an object
  std::string log = "first line\nlast line\n";
  std::string status = "TIMEOUT";
  std::string engine = {};      // of the reference; empty: it was not asked
  std::string definition = {};  // its hash; empty: not recorded
  int m = 2;
  std::string source = {};  // its hash; empty: as it stands
  // Quartiles and the median of the calls between them; empty: not recorded.
  std::vector<double> quartiles = {};
};

// A dataset with solutions s and t of definition d, what was measured before, and a run.
class Story {
 public:
  Story() {
    files_.write("definitions/d.json", testing::definition_text("d"));
    for (const char* name : {"s", "t"}) {
      const auto text = testing::solution_text(name, "me", "python");
      files_.write(std::string("solutions/") + name + ".json", text);
      sources_[name] = model::content_sha256(model::parse_solution(text));
    }
    files_.write("workloads/d.jsonl",
                 testing::workload_line("w") + "\n" + testing::workload_line("v") + "\n");
  }

  Story& before(const Made& made) {
    traces_ += model::to_json(trace(made, "r0")) + "\n";
    return *this;
  }
  Story& now(const Made& made) {
    run_.push_back(trace(made, "r9"));
    return *this;
  }

  // The line of the last evaluation.
  std::string line() {
    load();
    return report::result_text(details_.back(), *earlier_);
  }
  // What `fib report compare` says of the same two results.
  report::Change compared() {
    load();
    return report::change_of(*earlier_->before(details_.back().row), details_.back().row);
  }
  std::string table() {
    load();
    return report::render_run_results(dataset_, *earlier_, details_, {});
  }

 private:
  model::Trace trace(const Made& made, const std::string& run) {
    std::string line = R"({"definition":"d","workload":)" + testing::workload_text(made.uuid, made.m) +
                       R"(,"solution":")" + made.solution +
                       R"(","evaluation":{"environment":{"hardware":"H200"},"timestamp":"2026-01-)" +
                       made.day + R"(T00:00:00+00:00",)";
    if (made.latency.empty()) {
      line += R"("status":")" + made.status + "\"";
    } else {
      const double latency = std::stod(made.latency);
      line += R"("status":"PASSED","correctness":{},"performance":{"latency_ms":)" + made.latency +
              R"(,"speedup_factor":)" + made.speedup + "}";
      interval_ = R"(,"interval":{"low_ms":)" + std::to_string(latency * (1 - std::stod(made.interval))) +
                  R"(,"high_ms":)" + std::to_string(latency * (1 + std::stod(made.interval))) + "}";
    }
    line += R"(,"fib":{"run_id":")" + run + R"(","config":{"flush":")" + made.flush +
            R"("},"solution_sha256":")" + (made.source.empty() ? sources_.at(made.solution) : made.source) +
            "\"" + (made.definition.empty() ? "" : R"(,"definition_sha256":")" + made.definition + "\"") +
            (made.latency.empty() ? "" : interval_) + quantiles(made.quartiles) +
            (made.engine.empty() ? "" : R"(,"reference":{"engine":")" + made.engine + "\"}") +
            (made.sweep.empty() ? "" : R"(,"sweep":)" + made.sweep) + "}}}";
    auto result = model::parse_trace(line);
    result.evaluation->log = made.latency.empty() ? made.log : "";
    return result;
  }

  static std::string quantiles(const std::vector<double>& quartiles) {
    if (quartiles.empty()) return "";
    std::string text;
    for (int i = 0; i <= 20; ++i)
      text += (i > 0 ? "," : "") + std::to_string(quartiles.at(i < 8 ? 0 : i < 13 ? 1 : 2));
    return R"(,"quantiles_ms":[)" + text + "]";
  }

  void load() {
    files_.write("traces/t.jsonl", traces_);
    dataset_ = dataset::load(files_.root());
    REQUIRE(dataset_.error_count() == 0);
    earlier_.emplace(dataset_);
    details_.clear();
    for (const auto& trace : run_)
      details_.push_back(report::make_detail(trace, *dataset_.pool, report::KeepLogs::of_failures));
  }

  testing::TemporaryDataset files_;
  std::map<std::string, std::string> sources_;
  std::string traces_;
  std::string interval_;
  std::vector<model::Trace> run_;
  dataset::Dataset dataset_;
  std::optional<report::EarlierResults> earlier_;
  std::vector<report::Detail> details_;
};

}  // namespace

TEST_CASE("the line of an evaluation has verdict, latency, spread, speedup, and what changed") {
  CHECK(Story().now({}).line() == "PASSED 1.00000 ms ±1.0%, 2.00x the reference");
  CHECK(Story().now({.speedup = "0"}).line() == "PASSED 1.00000 ms ±1.0%");
  CHECK(Story().before({.latency = "1.01"}).now({.day = "02"}).line() ==
        "PASSED 1.00000 ms ±1.0%, 2.00x the reference, as before");
  CHECK(Story().before({.latency = "1.25"}).now({.day = "02"}).line() ==
        "PASSED 1.00000 ms ±1.0%, 2.00x the reference, 20.0% faster than before with the same source");
  CHECK(Story().before({.latency = "0.5"}).now({.day = "02"}).line() ==
        "PASSED 1.00000 ms ±1.0%, 2.00x the reference, 100.0% slower than before with the same source");
  CHECK(Story().before({.latency = ""}).now({.day = "02"}).line() ==
        "PASSED 1.00000 ms ±1.0%, 2.00x the reference, TIMEOUT before");
  CHECK(Story()
            .before({.latency = "0.5", .day = "01"})
            .before({.latency = "", .day = "02"})
            .now({.day = "03"})
            .line() ==
        "PASSED 1.00000 ms ±1.0%, 2.00x the reference, TIMEOUT before (100.0% slower than when it "
        "last passed with the same source)");
  CHECK(Story()
            .before({.latency = "0.5", .day = "01"})
            .before({.latency = "", .day = "02"})
            .now({.day = "03"})
            .table()
            .find("1 fixed, +100.0% since last pass") != std::string::npos);
  CHECK(Story().now({.latency = ""}).line() == "TIMEOUT: last line");
  CHECK(Story().now({.latency = "", .log = ""}).line() == "TIMEOUT");
  CHECK(Story().now({.latency = "", .status = "COMPILE_ERROR"}).line() == "COMPILE_ERROR: first line");
  CHECK(Story().before({}).now({.latency = "", .log = "a\x1b[2J"}).line() ==
        "TIMEOUT (passed before): a?[2J");
  CHECK(Story().before({.latency = ""}).now({.latency = ""}).line() == "TIMEOUT (as before): last line");
  CHECK(Story().before({.latency = ""}).now({.latency = "", .status = "COMPILE_ERROR"}).line() ==
        "COMPILE_ERROR (TIMEOUT before): first line");
}

TEST_CASE("what was before is the latest result of the same conditions, workload and solution") {
  CHECK(Story().before({.latency = "2", .day = "02"}).before({.latency = "4", .day = "01"}).now({}).line() ==
        "PASSED 1.00000 ms ±1.0%, 2.00x the reference, 50.0% faster than before with the same source");
  const std::string alone = "PASSED 1.00000 ms ±1.0%, 2.00x the reference";
  CHECK(Story().before({.latency = "2", .flush = "none"}).now({}).line() == alone);
  CHECK(Story().before({.latency = "2", .uuid = "v"}).now({}).line() == alone);
  CHECK(Story().before({.latency = "2", .solution = "t"}).now({}).line() == alone);
  CHECK(Story().before({.latency = "2", .sweep = R"({"iterations":5})"}).now({}).line() == alone);
  CHECK(Story().before({.latency = "2"}).now({.sweep = R"({"iterations":5})"}).line() == alone);
}

TEST_CASE("a mean over fewer workloads than those of others stands in parentheses") {
  const auto table = Story()
                         .now({.latency = "1", .uuid = "v"})
                         .now({.latency = "1"})
                         .now({.latency = "0.5", .solution = "t"})
                         .table();
  CHECK_THAT(table, Catch::Contains("(0.50000 ±1.0%)") && Catch::Contains(" 1.00000 ±1.0% "));
}

TEST_CASE("of another definition or size nothing was before") {
  const auto line = [](const Made& before, const Made& now) {
    return Story().before(before).now(now).line();
  };
  CHECK_THAT(line({.latency = "2", .definition = "aa"}, {.definition = "aa"}), Catch::Contains("before"));
  CHECK_THAT(line({.latency = "2", .definition = "aa"}, {.definition = "bb"}), !Catch::Contains("before"));
  CHECK_THAT(line({.latency = "2", .m = 7}, {}), !Catch::Contains("before"));
}

TEST_CASE("a solution that did not build before is said to have failed then") {
  Story story;
  story.before({.latency = "1", .engine = "native"});
  story.before({.latency = "", .day = "02", .status = "COMPILE_ERROR"});
  story.now({.latency = "", .day = "03", .engine = "native"});
  CHECK(story.line() == "TIMEOUT (COMPILE_ERROR before): last line");
}

TEST_CASE("the table ranks by all that stands, and names a winner that was not run") {
  CHECK(Story().table().empty());
  Story story;
  story.before({.latency = "0.5", .solution = "t"}).before({.latency = "0.5", .solution = "t", .uuid = "v"});
  story.before({.latency = "2"});
  story.now({.day = "02"}).now({.day = "02", .uuid = "v"});
  CHECK(story.table() ==
        "Results on H200:\n"
        "  Solution  Rank  Passed   Latency (ms)  vs. reference  vs. before  First failure\n"
        "---------------------------------------------------------------------------------\n"
        "d\n"
        "  s            2     2/2  1.00000 ±1.0%          2.00x      -50.0%\n"
        "\n"
        "The source of s is the same as before: the machine, its software or chance made the difference\n"
        "\n"
        "Best of d: t, 0.50000 ms over 2 workloads, which was not run now\n");
  story.now({.latency = "", .day = "02", .solution = "t"});
  CHECK(
      story.table() ==
      "Results on H200:\n"
      "  Solution  Rank  Passed   Latency (ms)  vs. reference  vs. before  First failure\n"
      "--------------------------------------------------------------------------------------\n"
      "d\n"
      "  s            1     2/2  1.00000 ±1.0%          2.00x      -50.0%\n"
      "  t            -     0/1              -              -    1 broken  TIMEOUT: last line\n"
      "\n"
      "The source of s, t is the same as before: the machine, its software or chance made the difference\n");
}

TEST_CASE("solutions that cannot be told apart share a rank, and points of a sweep have none") {
  Story story;
  story.now({.latency = "1"}).now({.latency = "1.01", .solution = "t"});
  CHECK(story.table().find("s          1 =     1/1") != std::string::npos);
  CHECK(story.table().find("t          1 =     1/1") != std::string::npos);
  Story swept;
  swept.now({.sweep = R"({"iterations":5})"}).now({.sweep = R"({"iterations":9})"});
  const auto table = swept.table();
  CHECK(table.find("s iterations=5     -     1/1") != std::string::npos);
  CHECK(table.find("s iterations=9     -     1/1") != std::string::npos);
}

TEST_CASE("a run says of a change what a comparison of the two runs says") {
  // Beyond the noise of the intervals, but most calls of the one took as long as those of the other.
  Story overlapping;
  overlapping.before({.quartiles = {0.9, 1, 1.3}})
      .now({.latency = "1.2", .day = "02", .quartiles = {1, 1.2, 1.4}});
  CHECK(overlapping.compared().verdict == report::Verdict::ambiguous);
  CHECK_THAT(overlapping.line(), Catch::EndsWith("20.0% slower than before with the same source, ambiguous"));
  CHECK_THAT(overlapping.table(), Catch::Contains("ambiguous"));
  // A trial was disturbed: the latency is another one, the median of the calls is not.
  Story disturbed;
  disturbed.before({.quartiles = {0.9, 1, 1.3}})
      .now({.latency = "1.2", .day = "02", .quartiles = {0.9, 1, 1.4}});
  CHECK(disturbed.compared().verdict == report::Verdict::ambiguous);
  CHECK_THAT(disturbed.line(), Catch::EndsWith("20.0% slower than before with the same source, ambiguous"));
  Story slower;
  slower.before({.quartiles = {0.9, 1, 1.1}})
      .now({.latency = "1.2", .day = "02", .quartiles = {1.15, 1.2, 1.4}});
  CHECK(slower.compared().verdict == report::Verdict::slower);
  CHECK_THAT(slower.line(), Catch::EndsWith("20.0% slower than before with the same source"));
}

TEST_CASE("a changed source is not said to be the same") {
  CHECK_THAT(Story().before({.latency = "1.25", .source = "another"}).now({.day = "02"}).line(),
             Catch::EndsWith("20.0% faster than before"));
}

TEST_CASE("what the machine does to unchanged sources is no change of a solution, and is told") {
  // Ten workloads whose source is the same are 6 % faster or slower in turn, with an interval of 1 %.
  const auto table = [](bool scattered, const std::string& all) {
    Story story;
    for (int i = 0; i < 10; ++i) {
      const std::string uuid = i < 5 ? "w" : "v";
      const std::string before = scattered ? (i % 2 == 0 ? "1.06" : "0.94") : all;
      story.before({.latency = before, .uuid = uuid, .m = 2 + i})
          .now({.day = "02", .uuid = uuid, .m = 2 + i});
    }
    story.before({.latency = "0.98", .solution = "t", .source = "another"})
        .now({.day = "02", .solution = "t"});
    return story.table();
  };
  CHECK_THAT(table(false, "1"), Catch::Contains("+2.0%") && !Catch::Contains("same source"));
  CHECK_THAT(table(true, "1"),
             !Catch::Contains("+2.0%") && Catch::Contains("Results of the same source lie so far"));
  CHECK_THAT(table(false, "0.9"),
             Catch::Contains("10 results of the same source are 11.1% slower than before (median)"));
}
