#include <catch2/catch.hpp>

#include "dataset/standing.h"
#include "dataset/temporary_dataset.h"
#include "model/solution.h"

using namespace fib;

namespace {

// One trace in the making.
struct Made {
  std::string latency = "1";  // empty: it failed
  std::string run = "r1";     // empty: another tool's, without a record
  std::string day = "01";
  std::string year = "2026";
  std::string source = {};  // empty: the present one; "-": not recorded
  std::string config = R"({"flush":"clean","clock":"auto"})";
  std::string more = {};  // members of the record
  std::string solution = "s";
  std::string uuid = "w";
  std::string hardware = "H200";
  std::string tolerance = {};  // a member of the workload
};

class Story {
 public:
  Story() {
    files_.write("definitions/d.json", testing::definition_text("d"));
    for (const char* name : {"s", "t"})
      files_.write(std::string("solutions/") + name + ".json", testing::solution_text(name, "me", "python"));
    files_.write("workloads/d.jsonl",
                 testing::workload_line("w") + "\n" + testing::workload_line("v") + "\n");
    source_ = model::content_sha256(model::parse_solution(testing::solution_text("s", "me", "python")));
  }

  void set_tolerance_of_w(const std::string& member) {
    std::string line = testing::workload_line("w");
    line.insert(line.find(R"("uuid":"w")") + std::string(R"("uuid":"w")").size(), member);
    files_.write("workloads/d.jsonl", line + "\n" + testing::workload_line("v") + "\n");
  }

  void set_size_of_w(int m) {
    files_.write("workloads/d.jsonl",
                 testing::workload_line("w", "d", m) + "\n" + testing::workload_line("v") + "\n");
  }

  void add(const Made& made) {
    std::string workload = testing::workload_text(made.uuid);
    workload.insert(workload.size() - 1, made.tolerance);
    std::string line = R"({"definition":"d","workload":)" + workload + R"(,"solution":")" + made.solution +
                       R"(","evaluation":{"environment":{"hardware":")" + made.hardware +
                       R"("},"timestamp":")" + made.year + "-01-" + made.day + R"(T00:00:00+00:00",)";
    if (made.latency.empty()) {
      line += R"("status":"TIMEOUT")";
    } else {
      line += R"("status":"PASSED","correctness":{},"performance":{"latency_ms":)" + made.latency + "}";
    }
    if (!made.run.empty()) {
      line += R"(,"fib":{"run_id":")" + made.run + R"(","config":)" + made.config;
      if (made.source != "-")
        line += R"(,"solution_sha256":")" + (made.source.empty() ? source_ : made.source) + "\"";
      line += made.more + "}";
    }
    traces_ += line + "}}\n";
  }

  // The latencies that stand, 0 for a failure, in file order; by rows and by whole traces alike.
  std::vector<double> standing(const dataset::Filter& filter = {}) {
    files_.write("traces/t.jsonl", traces_);
    const auto dataset = dataset::load(files_.root());
    REQUIRE(dataset.error_count() == 0);
    const dataset::StandingResults standing(dataset, dataset.traces, filter);
    left_out_ = standing.left_out();
    std::vector<double> found;
    for (const auto& row : dataset.traces) {
      if (standing.holds(row))
        found.push_back(row.evaluation->performance ? row.evaluation->performance->latency_ms : 0);
    }
    std::vector<std::string> unreadable;
    auto streamed = dataset::load_without_results(files_.root(), unreadable);
    dataset::Filter choice = filter;
    choice.standing =
        std::make_shared<const dataset::StandingResults>(streamed, dataset::read_results(streamed), filter);
    std::vector<double> again;
    dataset::for_each_trace(streamed, choice, unreadable, [&](const model::Trace& trace) {
      again.push_back(trace.evaluation->performance ? trace.evaluation->performance->latency_ms : 0);
    });
    CHECK(again == found);
    runs_ = standing.runs_of("H200", "d", "s");
    changed_ = standing.changed_since_run();
    return found;
  }

  [[nodiscard]] const dataset::LeftOut& left_out() const { return left_out_; }
  [[nodiscard]] dataset::SourceRuns runs() const { return runs_; }
  [[nodiscard]] const std::set<std::string>& changed() const { return changed_; }
  [[nodiscard]] const testing::TemporaryDataset& files() const { return files_; }

 private:
  testing::TemporaryDataset files_;
  std::string source_;
  std::string traces_;
  dataset::LeftOut left_out_;
  dataset::SourceRuns runs_;
  std::set<std::string> changed_;
};

using Latencies = std::vector<double>;

}  // namespace

TEST_CASE("of a run that is named results count whatever the source was, as it was then") {
  Story story;
  story.add({.latency = "1", .run = "r1", .day = "01", .source = "other"});
  story.add({.latency = "2", .run = "r2", .day = "02"});
  CHECK(story.standing() == Latencies{2});
  CHECK(story.changed().empty());
  dataset::Filter filter;
  filter.run = "r1";
  CHECK(story.standing(filter) == Latencies{1});
  CHECK(story.changed() == std::set<std::string>{"s"});
  CHECK(story.left_out().other_sources == 0);
  filter.run = "r2";
  CHECK(story.standing(filter) == Latencies{2});
  CHECK(story.changed().empty());
}

TEST_CASE("of one source the latest run counts, whatever an earlier one said") {
  Story story;
  story.add({.latency = "1", .run = "r1", .day = "01"});
  story.add({.latency = "3", .run = "r3", .day = "03"});
  story.add({.latency = "2", .run = "r2", .day = "02"});
  CHECK(story.standing() == Latencies{3});
  CHECK(story.left_out().earlier_runs == 2);
  CHECK(story.left_out().total() == 2);
  story.add({.latency = "", .run = "r4", .day = "04"});
  CHECK(story.standing() == Latencies{0});
  CHECK(story.runs().runs == 4);
  CHECK(story.runs().passed == 3);
  story.add({.latency = "5", .run = "r5", .day = "05"});
  CHECK(story.standing() == Latencies{5});
}

TEST_CASE("ties go by the order in the file, and a time that cannot be read is the oldest") {
  Story story;
  story.add({.latency = "1", .run = "r1", .day = "02"});
  story.add({.latency = "2", .run = "r2", .day = "02"});
  story.add({.latency = "3", .run = "r3", .day = "xx"});
  CHECK(story.standing() == Latencies{2});
}

TEST_CASE("traces of another source do not count") {
  Story story;
  story.add({.latency = "1", .run = "r1", .day = "01"});
  story.add({.latency = "9", .run = "r2", .day = "02", .source = "other"});
  story.add({.latency = "", .run = "r3", .day = "03", .source = "other"});
  CHECK(story.standing() == Latencies{1});
  CHECK(story.left_out().other_sources == 2);
  CHECK(dataset::to_string(story.left_out()) == "2 traces do not count: 2 of other sources");
}

TEST_CASE("solutions of which every trace is of another source are named") {
  Story story;
  story.add({.latency = "9", .run = "r2", .day = "02", .source = "other"});
  CHECK(story.standing().empty());
  REQUIRE(story.left_out().outdated.size() == 1);
  CHECK(dataset::to_string(story.left_out()) ==
        "1 trace does not count: 1 of other sources (all of " + *story.left_out().outdated.begin() + ")");
  dataset::LeftOut many;
  many.other_sources = 5;
  many.outdated = {"a", "b", "c", "d", "e"};
  CHECK(dataset::to_string(many) == "5 traces do not count: 5 of other sources (all of a, b, c and 2 more)");
}

TEST_CASE("of very many conditions the most frequent are named, and the others counted") {
  dataset::LeftOut many;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    many.other_conditions[name] = name == std::string("e") ? 7 : 2;
    many.ruled_out[name] = {{"d"}, {"1", "2", "3", "4"}, {}};
  }
  CHECK(dataset::to_string(many) ==
        "15 traces do not count: 7 of other conditions (e), 2 of other conditions (a), 2 of other conditions "
        "(b), 4 of 2 further conditions");
  const auto notes = dataset::condition_notes(many);
  REQUIRE(notes.size() == 4);
  CHECK(notes.front() == "Of d only results under a count; there are others under 1; or 2; or 3 and 1 more.");
  CHECK(notes.back() == "So it is with 2 further conditions.");
}

TEST_CASE("traces that do not say of which source count only where no other does") {
  Story story;
  story.add({.latency = "1", .run = "", .day = "01"});
  story.add({.latency = "2", .run = "", .day = "02"});
  CHECK(story.standing() == Latencies{2});
  story.add({.latency = "3", .run = "r1", .day = "01"});
  CHECK(story.standing() == Latencies{3});
  CHECK(story.left_out().without_source == 2);
}

TEST_CASE("traces of solutions that are not there, or of another definition of the name, stand aside") {
  Story story;
  story.add({.latency = "1", .solution = "gone"});
  story.add({.latency = "2", .more = R"(,"definition_sha256":"other")"});
  CHECK(story.standing().empty());
  CHECK(story.left_out().unknown_solutions == 1);
  CHECK_THAT(dataset::to_string(story.left_out()), Catch::Contains("1 of solutions not here (gone)"));
  CHECK(story.left_out().other_definitions == 1);
  const std::string hash = model::content_sha256(model::parse_definition(testing::definition_text("d")));
  story.add({.latency = "3", .more = R"(,"definition_sha256":")" + hash + "\""});
  CHECK(story.standing() == Latencies{3});
}

TEST_CASE("traces of a workload that had other sizes stand aside, and count again with the old ones") {
  Story story;
  story.add({.latency = "1"});
  CHECK(story.standing() == Latencies{1});
  story.set_size_of_w(3);
  CHECK(story.standing().empty());
  CHECK(story.left_out().other_workloads == 1);
  CHECK(dataset::to_string(story.left_out()) ==
        "1 trace does not count: 1 of other workloads of the same uuid");
  story.set_size_of_w(2);
  CHECK(story.standing() == Latencies{1});
}

TEST_CASE("workloads that are not in the dataset count where there is nothing else") {
  Story story;
  story.add({.latency = "1", .uuid = "swept"});
  CHECK(story.standing() == Latencies{1});
  story.add({.latency = "2", .solution = "t"});
  CHECK(story.standing() == Latencies{2});
  CHECK(story.left_out().unknown_workloads == 1);
  CHECK_THAT(dataset::to_string(story.left_out()), Catch::Contains("1 of workloads not here"));
}

TEST_CASE("traces of a workload that had another tolerance stand aside") {
  const std::string hash = model::content_sha256(model::parse_definition(testing::definition_text("d")));
  const auto story = [&](const std::string& more, const std::string& traced, const std::string& present) {
    Story told;
    told.add({.more = more, .tolerance = traced});
    told.set_tolerance_of_w(present);
    return told.standing().size();
  };
  const std::string known = R"(,"definition_sha256":")" + hash + "\"";
  const std::string loose = R"(,"tolerance":{"max_atol":1e30})";
  CHECK(story(known, loose, loose) == 1);
  CHECK(story(known, loose, "") == 0);
  CHECK(story("", loose, "") == 0);
  CHECK(story(known, "", loose) == 0);
  CHECK(story("", "", loose) == 1);  // by another tool, which knows no tolerances
  Story mixed;
  mixed.add({.latency = "1", .more = known});
  mixed.add({.latency = "2", .run = "", .solution = "t"});
  mixed.set_tolerance_of_w(loose);
  CHECK(mixed.standing() == Latencies{2});
}

TEST_CASE("a trace of a time to come is no later than those of now") {
  Story story;
  story.add({.latency = "", .year = "9999", .config = R"({"flush":"dirty","clock":"auto"})"});
  story.add({.latency = "2"});
  CHECK(story.standing() == Latencies{2});
}

TEST_CASE("any failure among the repeats of a run fails the key; of passing ones the middle counts") {
  Story story;
  for (const char* latency : {"4", "2", "3"}) story.add({.latency = latency});
  CHECK(story.standing() == Latencies{3});
  story.add({.latency = "9"});
  CHECK(story.standing() == Latencies{4});  // the slower of the two in the middle
  story.add({.latency = ""});
  CHECK(story.standing() == Latencies{0});
}

TEST_CASE("conditions never mix: those of the definition's latest run rule, for all its solutions") {
  const std::string other = R"({"flush":"none","clock":"auto"})";
  Story story;
  story.add({.latency = "1", .run = "r1", .day = "01"});
  story.add({.latency = "2", .run = "r1", .day = "01", .source = "-", .solution = "t"});
  story.add({.latency = "3", .run = "r1", .day = "01", .hardware = "H100"});
  CHECK(story.standing() == Latencies{1, 2, 3});
  story.add({.latency = "4", .run = "r2", .day = "02", .config = other});
  CHECK(story.standing() == Latencies{3, 4});
  CHECK(story.left_out().other_conditions ==
        std::map<std::string, std::size_t>{{"flush clean, clock auto", 2}});
  // How many calls were made is no condition.
  story.add({.latency = "5",
             .run = "r3",
             .day = "03",
             .config = R"({"iterations":9,"flush":"none","clock":"auto"})"});
  CHECK(story.standing() == Latencies{3, 5});
}

TEST_CASE("made inputs are a condition of their workload alone") {
  Story story;
  story.add({.latency = "1", .run = "r1", .day = "01", .more = R"(,"synthesized":["A"])"});
  story.add({.latency = "2", .run = "r1", .day = "01", .uuid = "v"});
  CHECK(story.standing() == Latencies{1, 2});
  story.add({.latency = "3", .run = "r2", .day = "02"});
  CHECK(story.standing() == Latencies{2, 3});
  CHECK(story.left_out().other_conditions == std::map<std::string, std::size_t>{{"made inputs A", 1}});
}

TEST_CASE("points of an option sweep count only where nothing else does") {
  const std::string point = R"(,"sweep":{"iterations":10})";
  Story story;
  story.add({.latency = "1", .run = "r1", .day = "01", .more = point});
  CHECK(story.standing() == Latencies{1});
  story.add({.latency = "2", .run = "r0", .day = "00"});
  story.add({.latency = "3", .run = "r2", .day = "02", .more = point, .uuid = "v"});
  CHECK(story.standing() == Latencies{2, 3});
  CHECK(story.left_out().sweep_points == 1);
  story.add(
      {.latency = "4", .run = "r3", .day = "03", .more = R"(,"sweep":{"M":2})"});  // an axis is no option
  CHECK(story.standing() == Latencies{3, 4});
}

TEST_CASE("of points of a sweep alone the last one stands: they are no repeats of each other") {
  Story story;
  story.add({.latency = "5", .run = "r1", .day = "01", .more = R"(,"sweep":{"iterations":5})"});
  story.add({.latency = "20", .run = "r1", .day = "01", .more = R"(,"sweep":{"iterations":20})"});
  story.add({.latency = "10", .run = "r1", .day = "01", .more = R"(,"sweep":{"iterations":10})"});
  CHECK(story.standing() == Latencies{10});
  CHECK(story.left_out().sweep_points == 2);
}

TEST_CASE("where one run has results under several conditions, none can be had by excluding it") {
  Story story;
  story.add({.latency = "1", .run = "r1", .day = "01", .more = R"(,"sweep":{"atol":1})"});
  const std::string loose = R"({"flush":"clean","clock":"auto","rtol":0.5,"atol":0.5})";
  const std::string point = R"(,"sweep":{"atol":2})";
  story.add({.latency = "2", .run = "r1", .day = "01", .config = loose, .more = point});
  CHECK(story.standing() == Latencies{2});
  CHECK_THAT(dataset::condition_notes(story.left_out()).at(0),
             Catch::Contains("count; there are others under flush clean"));
}

TEST_CASE("hardware, time and excluded runs hold before the choice, and only what is asked for is counted") {
  Story story;
  story.add({.latency = "1", .run = "r1", .day = "01"});
  story.add({.latency = "2", .run = "r2", .day = "02"});
  story.add({.latency = "3", .run = "r3", .day = "03", .source = "other", .solution = "t"});
  dataset::Filter filter;
  filter.excluded_runs = {"r2"};
  CHECK(story.standing(filter) == Latencies{1});
  filter = {};
  filter.hardware = {"H100"};
  CHECK(story.standing(filter).empty());
  const auto dataset = dataset::load(story.files().root());
  filter = {};
  CHECK(dataset::StandingResults(dataset, dataset.traces, filter).left_out().other_sources == 1);
  filter.solutions = {"s"};
  const auto of_s = dataset::StandingResults(dataset, dataset.traces, filter).left_out();
  CHECK(of_s.other_sources == 0);
  CHECK(dataset::to_string(of_s) == "1 trace does not count: 1 of earlier runs");
}

TEST_CASE("a failure before the reference was asked hides no result of other solutions") {
  const std::string asked = R"(,"rule":"default","reference":{"engine":"native"})";
  const std::string not_asked = R"(,"rule":"default","reference":{"engine":""})";
  Story story;
  story.add({.latency = "2", .more = asked});
  story.add({.latency = "3", .source = "-", .more = asked, .solution = "t"});
  story.add({.latency = "", .run = "r2", .day = "02", .more = not_asked});
  CHECK(story.standing() == Latencies{3, 0});
  story.add({.latency = "4", .run = "r3", .day = "03", .more = asked});
  CHECK(story.standing() == Latencies{3, 4});
}

TEST_CASE("failures before the reference was asked stand where there is nothing else") {
  Story story;
  story.add({.latency = "", .more = R"(,"rule":"default")"});
  CHECK(story.standing() == Latencies{0});
}

TEST_CASE("runs whose names are no words of a shell are quoted in what is to be pasted into one") {
  Story story;
  story.add({.latency = "1", .run = "r1", .day = "01"});
  const std::string loose = R"({"flush":"clean","clock":"auto","rtol":0.5,"atol":0.5})";
  for (const char* run : {"r2", "-x; touch y"}) story.add({.run = run, .day = "02", .config = loose});
  CHECK(story.standing().size() == 1);
  CHECK_THAT(dataset::condition_notes(story.left_out()).at(0),
             Catch::EndsWith(": --exclude-run r2 --exclude-run='-x; touch y'."));
}

TEST_CASE("where conditions keep results out, it is said whose, and how to count these") {
  const std::string loose = R"({"flush":"clean","clock":"auto","rtol":0.5,"atol":0.5})";
  Story story;
  story.add({.latency = "1", .run = "r1", .day = "01"});
  story.add({.latency = "2", .run = "r1", .day = "01", .solution = "t"});
  CHECK(story.standing() == Latencies{1, 2});
  CHECK(dataset::condition_notes(story.left_out()).empty());
  story.add({.latency = "3", .run = "r2", .day = "02", .config = loose});
  CHECK(story.standing() == Latencies{3});
  CHECK(dataset::condition_notes(story.left_out()) ==
        std::vector<std::string>{"Of d only results under flush clean, clock auto, rtol 0.5, atol 0.5 count; "
                                 "to "
                                 "count those under flush clean, clock auto: --exclude-run r2."});
  dataset::Filter filter;
  filter.excluded_runs = {"r2"};
  CHECK(story.standing(filter) == Latencies{1, 2});
  for (int i = 3; i <= 6; ++i)
    story.add({.run = "r" + std::to_string(i), .day = "0" + std::to_string(i), .config = loose});
  CHECK(story.standing().size() == 1);
  CHECK_THAT(dataset::condition_notes(story.left_out()).at(0),
             Catch::EndsWith(": --exclude-run with each of the 5 runs since, from r2."));
  story.add({.run = "", .day = "07", .config = loose});  // of another tool, which names no run
  CHECK(story.standing().size() == 1);
}
