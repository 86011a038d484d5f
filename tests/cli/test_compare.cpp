#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/report_datasets.h"
#include "present/text.h"

using namespace fib;
using testing::run_fib;
using Words = std::vector<std::string>;

namespace {

// Two runs of one source that alice_fast has on workloads w0, w1, ...: 1 ms each in A, `latencies` in B.
class TwoRuns {
 public:
  explicit TwoRuns(const std::vector<double>& latencies) {
    std::string traces;
    for (const char* run : {testing::kRun1, testing::kRun2}) {
      for (std::size_t i = 0; i < latencies.size(); ++i) {
        const testing::RunTrace made{.run = run,
                                     .definition = "gemm_n128",
                                     .solution = "alice_fast",
                                     .uuid = "w" + std::to_string(i),
                                     .median = run == testing::kRun1 ? 1.0 : latencies[i]};
        std::string line = made.line();
        traces += line.insert(line.find("\"config\""), R"("solution_sha256":"x",)");
      }
    }
    datasets_.write("runs/traces/all.jsonl", traces);
    datasets_.record_runs();
  }

  // B against A, with a gate at 5 %.
  [[nodiscard]] auto compare(const Words& more) const {
    Words words{"report", "compare", "last~1", "last", "--local", "runs", "--fail-on-regression", "5%"};
    words.insert(words.end(), more.begin(), more.end());
    return run_fib(words, datasets_.folder(), {{"COLUMNS", "200"}});
  }

 private:
  testing::ReportDatasets datasets_;
};

}  // namespace

TEST_CASE("two runs are compared in all formats") {
  const testing::ReportDatasets datasets;
  datasets.record_runs();
  const Words words{"report", "compare", "last~1", "last", "--local", "runs"};
  const auto with = [&](const Words& more) {
    Words all = words;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  datasets.check_run(words, "report_compare.txt");
  for (const char* format : {"json", "csv", "md", "github", "junit"})
    datasets.check_run(with({"--format", format}), std::string("report_compare.") + format);
  datasets.check_run(with({"--fail-on-regression", "2.5%"}), "report_compare_gate.txt", 3);
  datasets.check_run(with({"--fail-on-regression", "2.5%", "--format", "github"}),
                     "report_compare_gate.github", 3);
  datasets.check_run(with({"--fail-on-regression", "5%", "--solutions", "alice_fast"}),
                     "report_compare_gate_holds.txt");
  const auto share = run_fib(with({"--fail-on-regression", "0.05"}), datasets.folder());
  CHECK(share.exit_code == 2);
  CHECK(share.err.find("--fail-on-regression: 0.05: write 0.05% or 5%") != std::string::npos);
}

TEST_CASE("authors, solutions and datasets are compared") {
  const testing::ReportDatasets datasets;
  datasets.check_run({"report", "compare", "alice", "bob", "--local", "runs"}, "report_compare_authors.txt");
  datasets.check_run({"report", "compare", "sample", "runs"}, "report_compare_datasets.txt");
  datasets.check_run({"report", "compare", "sample", "sample", "--hardware", "AMD*"},
                     "report_compare_itself.txt");
  datasets.check_run({"report", "compare", "empty", "failures"}, "report_compare_nothing.txt");
}

TEST_CASE("a gate does not hold where results are missing or cannot be read") {
  const testing::ReportDatasets datasets;
  // Of alice's four results bob has one.
  datasets.check_run({"report", "compare", "alice", "bob", "--local", "runs", "--fail-on-regression", "500%"},
                     "report_compare_missing.txt", 1);
  datasets.check_run({"report", "compare", "alice", "bob", "--local", "runs", "--fail-on-regression", "500%",
                      "--format", "junit"},
                     "report_compare_missing.junit", 1);
  datasets.write("runs/traces/broken.jsonl", "{\"definition\":\n");
  const auto broken =
      run_fib({"report", "compare", "last", "runs", "--local", "runs", "--fail-on-regression", "5%"},
              datasets.folder());
  CHECK(broken.exit_code == 1);
  CHECK(broken.err.find("broken.jsonl:1") != std::string::npos);
}

TEST_CASE("a gate does not hold where a run did not come to its end") {
  const testing::ReportDatasets datasets;
  const Words words{"report", "compare", "last~1", "last", "--local", "runs"};
  const auto gated = [&](const Words& more) {
    Words all = words;
    all.insert(all.end(), {"--fail-on-regression", "900%", "--solutions", "alice_fast"});
    all.insert(all.end(), more.begin(), more.end());
    return run_fib(all, datasets.folder(), {{"COLUMNS", "300"}});
  };
  datasets.record_runs();
  CHECK(gated({}).exit_code == 0);
  datasets.record_runs(3);
  const std::string rest = "B: 3 evaluations of run " + std::string(testing::kRun2) + " have no result";
  const auto interrupted = gated({});
  CHECK(interrupted.exit_code == 1);
  CHECK_THAT(interrupted.out, Catch::Contains(rest + ": the gate cannot hold."));
  CHECK_THAT(gated({"--format", "github"}).out, Catch::Contains("::error title=fib compare::" + rest));
  CHECK_THAT(gated({"--format", "junit"}).out,
             Catch::Contains("<testsuite name=\"gate\" tests=\"1\" failures=\"1\""));
  const auto json = nlohmann::json::parse(gated({"--format", "json"}).out);
  CHECK(json.at("cautions").at(0) == rest);
  CHECK(json.at("gate").at("cannot_hold").dump() == nlohmann::json::array({rest}).dump());
  // Who was killed left no record.
  std::filesystem::remove(datasets.folder() / "runs/runs/runs.jsonl");
  const auto killed = gated({});
  CHECK(killed.exit_code == 1);
  CHECK_THAT(killed.out,
             Catch::Contains("A: run " + std::string(testing::kRun1) + " has no record (it was killed"));
  const auto open = run_fib(words, datasets.folder(), {{"COLUMNS", "300"}});
  CHECK(open.exit_code == 0);
  CHECK_THAT(open.out, Catch::Contains("B: run " + std::string(testing::kRun2) + " has no record"));
}

TEST_CASE("a gate does not hold where B was not measured as it is now") {
  const testing::ReportDatasets datasets;
  const auto& root = datasets.folder();
  const auto gated = [&](Words more) {
    Words words{"report", "compare", "before", "runs", "--fail-on-regression", "900%"};
    words.insert(words.end(), more.begin(), more.end());
    return run_fib(words, root, {{"COLUMNS", "300"}});
  };
  const Words of_one{"--solutions", "alice_fast"};
  // Both have the same traces: nothing was measured anew.
  std::filesystem::copy(root / "runs", root / "before", std::filesystem::copy_options::recursive);
  const auto equal = gated(of_one);
  CHECK(equal.exit_code == 1);
  CHECK_THAT(equal.out, Catch::Contains("A and B hold the same measurements: the gate cannot hold."));
  // Those of before are of an older run.
  std::istringstream lines(util::read_file(root / "runs/traces/all.jsonl"));
  std::string older;
  for (std::string line; std::getline(lines, line);) {
    if (line.find(testing::kRun1) != std::string::npos) older += line + "\n";
  }
  datasets.write("before/traces/all.jsonl", older);
  CHECK(gated(of_one).exit_code == 0);
  const std::string outdated =
      "of another source than its solution has now, or of a solution or workload that is gone";
  CHECK_THAT(gated({}).out, !Catch::Contains(outdated));
  // The solution is gone.
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "runs/solutions")) {
    if (entry.path().filename().string().find("alice_fast") != std::string::npos) {
      std::filesystem::remove(entry.path());
      break;
    }
  }
  const auto gone = gated({"--exclude-solutions", "alice_slow"});
  CHECK(gone.exit_code == 1);
  CHECK_THAT(gone.out, Catch::Contains(outdated + ": the gate cannot hold."));
}

TEST_CASE("a gate does not hold where a dataset lacks a workload, or its last run has a rest") {
  const testing::ReportDatasets datasets;
  const auto& root = datasets.folder();
  const auto gated = [&](const std::string& a, const std::string& b) {
    return run_fib({"report", "compare", a, b, "--fail-on-regression", "900%", "--solutions", "alice_fast"},
                   root, {{"COLUMNS", "300"}});
  };
  std::filesystem::copy(root / "runs", root / "before", std::filesystem::copy_options::recursive);
  std::istringstream lines(util::read_file(root / "runs/traces/all.jsonl"));
  std::string older;
  for (std::string line; std::getline(lines, line);) {
    if (line.find(testing::kRun1) != std::string::npos) older += line + "\n";
  }
  datasets.write("before/traces/all.jsonl", older);
  datasets.record_runs();
  CHECK(gated("before", "runs").exit_code == 0);

  datasets.record_runs(3);
  const auto rest = gated("before", "runs");
  CHECK(rest.exit_code == 1);
  CHECK_THAT(rest.out, Catch::Contains("B: 3 evaluations of run " + std::string(testing::kRun2) +
                                       " have no result: the gate cannot hold."));
  // What was is no question of the gate.
  datasets.write("before/runs/runs.jsonl",
                 fmt::format("{{\"run_id\":\"{}\",\"not_done\":2}}\n", testing::kRun1));
  datasets.record_runs();
  const auto before = gated("before", "runs");
  CHECK(before.exit_code == 0);
  CHECK_THAT(before.out, Catch::Contains("A: 2 evaluations of run " + std::string(testing::kRun1)));

  for (const char* broken : {"runs/runs/runs.jsonl", "before/runs/runs.jsonl", "runs/runs/baselines.jsonl"}) {
    INFO(broken);
    const bool was_there = std::filesystem::exists(root / broken);
    const std::string text = was_there ? util::read_file(root / broken) : "";
    datasets.write(broken, text + "{\n");
    const auto unreadable = gated("before", "runs");
    CHECK(unreadable.exit_code == 1);
    CHECK_THAT(unreadable.out,
               Catch::Contains("1 line of the datasets cannot be read: the gate cannot hold."));
    CHECK_THAT(unreadable.err, Catch::Contains(broken));
    datasets.write(broken, text);
  }

  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "runs/workloads")) {
    if (!entry.is_regular_file()) continue;
    // Of the definition's workloads the first is taken away.
    std::string text = util::read_file(entry.path());
    if (text.find("gemm_n128") == std::string::npos) continue;
    text.erase(0, text.find('\n') + 1);
    datasets.write(std::filesystem::relative(entry.path(), root).string(), text);
  }
  const auto gone = gated("before", "runs");
  CHECK(gone.exit_code == 1);
  CHECK_THAT(gone.out, Catch::Contains("of a solution or workload that is gone: the gate cannot hold."));
  // With A's word for it that it is meant.
  std::filesystem::remove_all(root / "before/workloads");
  std::filesystem::copy(root / "runs/workloads", root / "before/workloads",
                        std::filesystem::copy_options::recursive);
  CHECK(gated("before", "runs").exit_code == 0);
}

TEST_CASE("what only one side has can be named") {
  const testing::ReportDatasets datasets;
  const auto& root = datasets.folder();
  std::filesystem::copy(root / "runs", root / "before", std::filesystem::copy_options::recursive);
  for (const char* folder : {"runs/traces", "runs/solutions"}) std::filesystem::remove_all(root / folder);
  const auto with = [&](const std::string& name) {
    return run_fib({"report", "compare", "before", "runs", "--exclude-solutions", name}, root,
                   {{"COLUMNS", "300"}});
  };
  const auto gone = with("alice_fast");
  CHECK(gone.exit_code == 0);
  CHECK_THAT(gone.out, Catch::Contains("alice_slow") && !Catch::Contains("alice_fast"));
  // A result tells of a solution whose record is gone.
  std::filesystem::remove_all(root / "before/solutions");
  CHECK(with("alice_fast").exit_code == 0);
  const auto unknown = with("alice_fsat");
  CHECK(unknown.exit_code == 1);
  CHECK_THAT(unknown.err,
             Catch::Contains("no solution is called \"alice_fsat\"; did you mean \"alice_fast\"?"));
}

TEST_CASE("a gate does not hold where nothing passed on either side") {
  const testing::ReportDatasets datasets;
  std::filesystem::copy(datasets.folder() / "failures", datasets.folder() / "again",
                        std::filesystem::copy_options::recursive);
  const auto gated =
      run_fib({"report", "compare", "failures", "again", "--fail-on-regression", "5%"}, datasets.folder());
  CHECK(gated.exit_code == 1);
  CHECK(gated.out.find("No result passed in A or in B: the gate cannot hold.") != std::string::npos);
  CHECK(gated.err == "error: no result passed in A or in B, so --fail-on-regression cannot hold\n");
  CHECK(run_fib({"report", "compare", "failures", "again"}, datasets.folder()).exit_code == 0);
}

TEST_CASE("the latest result counts, whatever the filter says of its status") {
  const testing::ReportDatasets datasets;
  const auto output = run_fib({"report", "compare", "last~1", "runs", "--local", "runs", "--status", "PASSED",
                               "--solutions", "alice_slow", "--format", "json"},
                              datasets.folder());
  CHECK(output.exit_code == 0);
  const auto json = nlohmann::json::parse(output.out);
  // w1 passed in the first run and broke in the second: no PASSED result of the second side stands for it.
  CHECK(json["totals"]["results"] == 0);
  CHECK(json["only_a"].size() == 1);
}

TEST_CASE("history and compare mean the same run by last, whatever the ids say of time") {
  const testing::ReportDatasets datasets;
  const auto last_of_history = [&] {
    const auto output =
        run_fib({"history", "last", "--local", "runs", "--format", "json"}, datasets.folder());
    return nlohmann::json::parse(output.out).at("datasets")[0].at("run").at("run_id").get<std::string>();
  };
  const auto compare = [&](const std::string& a, const std::string& b) {
    return run_fib({"report", "compare", a, b, "--local", "runs", "--format", "json"}, datasets.folder());
  };
  const auto side_b = [&] {
    return nlohmann::json::parse(compare("last", "last").out).at("b").get<std::string>();
  };
  const std::string second = last_of_history();
  CHECK(side_b() == "run " + second);
  const std::string both = run_fib({"history", "--local", "runs", "--format", "json"}, datasets.folder()).out;
  const std::string first = nlohmann::json::parse(both).at("datasets")[0].at("runs")[0].at("run_id");
  REQUIRE(first != second);

  // The run with the smaller id began later, as its record says.
  const std::string record = R"({"run_id":")" + first + R"(","started_utc":"2026-02-01T00:00:00Z"})";
  datasets.write("runs/runs/runs.jsonl", record + "\n");
  CHECK(last_of_history() == first);
  CHECK(side_b() == "run " + first);

  // A run in which nothing was evaluated is the last one too; comparing with it is no success.
  datasets.write("runs/runs/runs.jsonl",
                 record + "\n" + R"({"run_id":"0","started_utc":"2026-02-02T00:00:00Z"})" + "\n");
  CHECK(last_of_history() == "0");
  const auto nothing = compare("last~1", "last");
  CHECK(nothing.exit_code == 1);
  CHECK(nothing.err == "fib: run 0 has no traces in runs: nothing was evaluated in it\n");
  CHECK(compare("last~2", "last~1").exit_code == 0);

  // A record that cannot be read is named, where datasets are compared, too.
  datasets.write("runs/runs/runs.jsonl", "{\n");
  CHECK(compare("last~1", "last").err.find("runs.jsonl:1") != std::string::npos);
  const auto whole = compare("runs", "runs");
  CHECK(whole.exit_code == 0);
  CHECK(whole.err.find("runs.jsonl:1") != std::string::npos);
}

TEST_CASE("results only in B that another run than A has are counted") {
  const testing::ReportDatasets datasets;
  const auto trace = [](const char* run, const char* workload) {
    return testing::RunTrace{
        .run = run, .definition = "gemm_n128", .solution = "alice_fast", .uuid = workload}
        .line();
  };
  const auto compared = [&] {
    return run_fib({"report", "compare", testing::kRun2, "20260109T000000Z-9", "--local", "runs"},
                   datasets.folder(), {{"COLUMNS", "300"}})
        .out;
  };
  const std::string three = trace(testing::kRun2, "w0") + trace("20260109T000000Z-9", "w0") +
                            trace("20260109T000000Z-9", "w1") + trace("20260109T000000Z-9", "w2");
  datasets.write("runs/traces/all.jsonl", three);
  CHECK_THAT(compared(), Catch::Contains("2 results only in B: ") && !Catch::Contains("runs that are not A"));
  datasets.write("runs/traces/all.jsonl", three + trace(testing::kRun1, "w1"));
  CHECK_THAT(compared(),
             Catch::Contains("\n1 of the results only in B has others in runs that are not A: fib "
                             "history names these runs\n"));
}

TEST_CASE("a gate does not hold for what failed in B, is not in A, and passed in an earlier run") {
  const testing::ReportDatasets datasets;
  const auto trace = [](const char* run, const char* workload, const char* status = "PASSED") {
    return testing::RunTrace{
        .run = run, .definition = "gemm_n128", .solution = "alice_fast", .uuid = workload, .status = status}
        .line();
  };
  const auto gated = [&](const std::string& first, const std::string& sweep = "") {
    std::string failed = trace("20260109T000000Z-9", "w1", "RUNTIME_ERROR");
    failed.insert(failed.find(R"("config":)"), sweep);
    datasets.write("runs/traces/all.jsonl",
                   first + trace(testing::kRun2, "w0") + trace("20260109T000000Z-9", "w0") + failed);
    return run_fib({"report", "compare", testing::kRun2, "20260109T000000Z-9", "--local", "runs",
                    "--fail-on-regression", "10%"},
                   datasets.folder(), {{"COLUMNS", "300"}});
  };
  const std::string why =
      "1 result of B that failed has none in A, and passed in an earlier run: the gate "
      "cannot hold.";
  CHECK_THAT(gated(trace(testing::kRun1, "w1", "RUNTIME_ERROR")).out, !Catch::Contains(why));
  const auto broken = gated(trace(testing::kRun1, "w1"));
  CHECK(broken.exit_code == 1);
  CHECK_THAT(broken.out, Catch::Contains(why));
  // A point of a sweep is another result than that without.
  CHECK_THAT(gated(trace(testing::kRun1, "w1"), R"("sweep":{"iterations":5},)").out, !Catch::Contains(why));
}

TEST_CASE("measurements that both sides hold are doubted once") {
  const testing::ReportDatasets datasets;
  const auto cautions = [&](const char* a, const char* b) {
    return run_fib({"report", "compare", a, b, "--local", "runs"}, datasets.folder(), {{"COLUMNS", "300"}})
        .out;
  };
  CHECK_THAT(cautions("last~1", "last"), Catch::Contains("\n1 measurement at GPU clocks below"));
  CHECK_THAT(cautions("last", "last"), Catch::Contains("\n1 measurement at GPU clocks below"));
}

TEST_CASE("--only lists some verdicts, and counts and gates all") {
  const testing::ReportDatasets datasets;
  const auto compare = [&](Words more) {
    Words words{"report", "compare", "last~1", "last", "--local", "runs"};
    words.insert(words.end(), more.begin(), more.end());
    return run_fib(words, datasets.folder());
  };
  const auto some = compare({"--only", "broken,fixed", "--fail-on-regression", "2.5%"});
  CHECK(some.exit_code == 3);
  CHECK_THAT(some.out, Catch::Contains("7 results compared: 1 same, 1 faster, 2 slower") &&
                           Catch::Contains("  broken") && Catch::Contains("  fixed") &&
                           !Catch::Contains("  slower") && !Catch::Contains("  same"));
  CHECK_THAT(compare({"--only", "ambiguous"}).out, Catch::Contains("No result is ambiguous."));
  const auto json = nlohmann::json::parse(compare({"--only", "slower", "--format", "json"}).out);
  CHECK(json.at("results").size() == 2);
  CHECK(json.at("totals").at("results") == 7);
  CHECK(compare({"--only", "worse"}).exit_code == 2);
}

TEST_CASE("drift is said, and taken out where that is asked for") {
  const TwoRuns runs(std::vector<double>(5, 1.1));
  const auto raw = runs.compare({});
  CHECK(raw.exit_code == 3);
  CHECK_THAT(raw.out, Catch::Contains("5 slower") && Catch::Contains("Less drift") &&
                          Catch::Contains("Drift on NVIDIA") &&
                          Catch::Contains("5 results of the same source are 10.0%"));
  const auto corrected = runs.compare({"--correct-drift"});
  CHECK(corrected.exit_code == 0);
  CHECK_THAT(corrected.out, Catch::Contains("5 same") && Catch::Contains("+10.0%"));
  const auto json = nlohmann::json::parse(runs.compare({"--correct-drift", "--format", "json"}).out);
  CHECK(json.at("drift_corrected") == true);
  CHECK(json.at("drift").at(0).at("pairs") == 5);
  CHECK(json.at("drift").at(0).at("scatter") == 1);
}

TEST_CASE("what results of the same source scatter by is said, and no gate stops it") {
  std::vector<double> latencies;  // beyond 1 % and the noise of each
  for (int i = 0; i < 12; ++i) latencies.push_back(i % 2 == 0 ? 1.011 : 1 / 1.011);
  const TwoRuns runs(latencies);
  const auto table = runs.compare({});
  CHECK(table.exit_code == 0);
  CHECK_THAT(table.out, Catch::Contains("12 same") && Catch::Contains("+1.1%") &&
                            Catch::Contains("Scatter on NVIDIA") &&
                            Catch::Contains("3.0 times as wide as the results say themselves"));
  const auto json = nlohmann::json::parse(runs.compare({"--format", "json"}).out);
  CHECK(json.at("drift").at(0).at("scatter") == 3);
  const auto github = runs.compare({"--format", "github"});
  CHECK_THAT(github.out, !Catch::Contains("Drift on NVIDIA") &&
                             Catch::Contains("::notice title=caution::Scatter on NVIDIA"));
}

TEST_CASE("a comparison of two solutions names them once, and fits a terminal") {
  const testing::ReportDatasets datasets;
  const auto output = run_fib({"report", "compare", "alice_fast", "bob_gemm", "--local", "runs"},
                              datasets.folder(), {{"COLUMNS", "80"}});
  CHECK(output.exit_code == 0);
  CHECK_THAT(output.out, Catch::Contains("A: solution alice_fast   B: solution bob_gemm") &&
                             !Catch::Contains("A's solution") && !Catch::Contains("options changed"));
  std::istringstream lines(output.out);
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(present::display_width(line) <= 80);
  }
  const auto json = nlohmann::json::parse(
      run_fib({"report", "compare", "alice_fast", "bob_gemm", "--local", "runs", "--format", "json"},
              datasets.folder())
          .out);
  CHECK(json.at("results").at(0).at("solution_a") == "alice_fast");
  CHECK(json.at("results").at(0).at("solution_b") == "bob_gemm");
}

TEST_CASE("a gate does not hold where definition or workload add other conditions in B") {
  const testing::ReportDatasets datasets;
  const auto gate = [&](const std::string& of_a, const std::string& of_b) {
    std::string traces;
    for (const auto& [run, record] : {std::pair(testing::kRun1, of_a), std::pair(testing::kRun2, of_b)}) {
      const testing::RunTrace made{
          .run = run, .definition = "gemm_n128", .solution = "alice_fast", .uuid = "w1"};
      std::string line = made.line();
      traces += line.insert(line.find("\"config\""), record);
    }
    datasets.write("runs/traces/all.jsonl", traces);
    datasets.record_runs();
    return run_fib({"report", "compare", "last~1", "last", "--local", "runs", "--fail-on-regression", "50%"},
                   datasets.folder(), {{"COLUMNS", "200"}});
  };
  CHECK(gate("", "").exit_code == 0);
  CHECK(gate(R"("rule":"gemm",)", R"("rule":"gemm",)").exit_code == 0);
  CHECK(gate(R"("definition_sha256":"a",)", R"("definition_sha256":"a",)").exit_code == 0);
  // Of a changed definition nothing is compared.
  const auto changed = gate(R"("definition_sha256":"a",)", R"("definition_sha256":"b",)");
  CHECK(changed.exit_code == 1);
  CHECK_THAT(changed.out,
             Catch::Contains("1 result of A is not compared with what B has by the same names: the "
                             "definition has changed, or the workload's sizes or inputs"));
  const std::pair<const char*, const char*> others[] = {
      {R"("rule":"moe",)", "rule gemm → rule moe"},
      {R"("rule":"gemm","tolerance":{"atol":1000},)", "rule gemm, own tolerance atol 1000"},
      {R"("rule":"gemm","synthesized":["x"],)", "rule gemm, made inputs x"}};
  for (const auto& [record, remark] : others) {
    const auto other = gate(R"("rule":"gemm",)", record);
    INFO(other.out << other.err);
    CHECK(other.exit_code == 1);
    CHECK_THAT(other.out,
               Catch::Contains("1 result was made under other conditions: the gate cannot hold.") &&
                   Catch::Contains(remark));
  }
}

TEST_CASE("a folder does not take the place of a run, author or solution of its name") {
  const testing::ReportDatasets datasets;
  datasets.record_runs();
  for (const char* name : {"last", "alice_fast"}) datasets.write(std::string(name) + "/traces/t.jsonl", "");
  const auto compare = [&](const std::string& b) {
    return run_fib({"report", "compare", "last~1", b, "--local", "runs"}, datasets.folder());
  };
  for (const char* name : {"last", "alice_fast"}) {
    const auto either = compare(name);
    CHECK(either.exit_code == 1);
    CHECK_THAT(either.err, Catch::Contains("is more than one thing; write run:" + std::string(name)) &&
                               Catch::Contains("or dataset:" + std::string(name)));
  }
  CHECK(compare("run:last").exit_code == 0);
  CHECK_THAT(compare("./last").out + compare("dataset:last").out, Catch::Contains("dataset ./last"));
}

TEST_CASE("a gate does not hold for a run against itself, other conditions, or lines that cannot be read") {
  const testing::ReportDatasets datasets;
  const auto gate = [&](Words words) {
    words.insert(words.begin(), {"report", "compare"});
    words.insert(words.end(), {"--local", "runs", "--fail-on-regression", "50%"});
    return run_fib(words, datasets.folder(), {{"COLUMNS", "200"}});
  };
  const auto itself = gate({"last", "last"});
  CHECK(itself.exit_code == 1);
  CHECK_THAT(itself.err, Catch::Contains("A and B are both ") && Catch::Contains("would always hold"));
  // One folder by two names.
  const auto folder = gate({"runs", "./runs/"});
  CHECK(folder.exit_code == 1);
  CHECK_THAT(folder.err, Catch::Contains("would always hold"));
  std::string traces;
  for (const char* run : {testing::kRun1, testing::kRun2}) {
    const testing::RunTrace made{
        .run = run, .definition = "gemm_n128", .solution = "alice_fast", .uuid = "w1"};
    std::string line = made.line();
    const std::string calls = "\"iterations\":50";
    const std::string atol = run == testing::kRun2 ? "100.0" : "0.01";
    line.insert(line.find(calls) + calls.size(), ",\"atol\":" + atol);
    traces += line;
  }
  datasets.write("runs/traces/all.jsonl", traces);
  datasets.record_runs();
  const auto other = gate({"last~1", "last"});
  CHECK(other.exit_code == 1);
  CHECK_THAT(other.out, Catch::Contains("1 result was made under other conditions: the gate cannot hold.") &&
                            Catch::Contains("atol 0.01 → ") && Catch::Contains("atol 100"));
  datasets.write("runs/traces/torn.jsonl", "{\"definition\":\n");
  CHECK_THAT(gate({"last~1", "last"}).out,
             Catch::Contains("1 line of the datasets cannot be read: the gate cannot hold."));
  const auto unknown = gate({"last~1", "last", "--exclude-run", "nope"});
  CHECK(unknown.exit_code == 1);
  CHECK_THAT(unknown.err, Catch::Contains("no trace is of a run \"nope\""));
}

TEST_CASE("a file in place of a side is said to be one") {
  const testing::ReportDatasets datasets;
  datasets.write("file.json", "{}");
  const auto output = run_fib({"report", "compare", "./file.json", "./runs"}, datasets.folder());
  CHECK(output.exit_code == 1);
  CHECK_THAT(output.err, Catch::StartsWith("fib: ./file.json is a file, not a dataset folder; "));
}

TEST_CASE("a comparison says what it cannot do") {
  const testing::ReportDatasets datasets;
  const auto fails = [&](const Words& words, int code, const std::string& text) {
    Words all{"report", "compare"};
    all.insert(all.end(), words.begin(), words.end());
    const auto output = run_fib(all, datasets.folder());
    CHECK(output.exit_code == code);
    CHECK(output.err.find(text) != std::string::npos);
  };
  fails({"nobody", "alice", "--local", "runs"}, 1,
        "\"nobody\" is no dataset folder, and no run, baseline, author or solution of runs");
  fails({"alcie", "last", "--local", "runs"}, 1, "author or solution of runs; did you mean \"alice\"");
  for (const char* name : {"author:alcie", "solution:alice_fsat"})
    fails({name, name, "--local", "runs"}, 1, "did you mean \"alice");
  fails({"run:", "last", "--local", "runs"}, 1, "\"run:\" names nothing");
  fails({"last~1", "last", "--local", "runs", "--definitions", "nope"}, 1,
        "no definition is called \"nope\"");
  fails({"last", "last~2", "--local", "runs"}, 1, "last~2: there are 2 runs only");
  fails({"2026", "last", "--local", "runs"}, 1, "the ids of 2 runs begin with \"2026\"");
  fails({"alice", "last", "--local", "nowhere"}, 1,
        "\"alice\" is no dataset folder, and there is no dataset nowhere in which it could be");
  fails({"last~1", "last", "--local", "runs", "--fail-on-regression", "5x"}, 2, "5x: expected a percentage");
  fails({"last~1", "last", "--local", "runs", "--since", "noon"}, 2, "noon is no time");
  fails({"last~1"}, 2, "fib report compare: B is missing");
  fails({"empty", "failures", "--fail-on-regression", "1%"}, 1, "nothing was compared");
}
