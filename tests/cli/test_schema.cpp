#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/run_support.h"
#include "model/shared_data.h"
#include "profile/profile_page.h"
#include "support/places.h"
#include "support/schema_check.h"
#include "util/files.h"

// `fib schema`: what fib reads and writes holds what its schemas say.
using namespace fib;
using namespace fib::testing;

namespace {

namespace fs = std::filesystem;

// The files of `folder` with this suffix, whole, or a line each.
std::vector<std::string> documents_below(const fs::path& folder, const std::string& suffix) {
  std::vector<std::string> documents;
  if (!fs::exists(folder)) return documents;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != suffix) continue;
    const std::string text = util::read_file(entry.path());
    const auto lines = suffix == ".jsonl" ? lines_of(text) : std::vector<std::string>{text};
    documents.insert(documents.end(), lines.begin(), lines.end());
  }
  return documents;
}

// Solutions that fail in every way that a CPU knows quickly, and one that passes.
void add_solutions(FibRun& run) {
  const std::string head = "extern \"C\" void run(const float* a, const float* b, float* c, long n)";
  run.dataset.add_definition({100})
      .solution("good", "alice", kHonest)
      .solution("broken", "alice", "extern \"C\" void run( {}")
      .solution("wrong", "alice", head + " { for (long i = 0; i < n; ++i) c[i] = a[i] - b[i]; }")
      .solution("infinite", "alice", head + " { for (long i = 0; i < n; ++i) c[i] = 1 / (a[0] - a[0]); }")
      .solution("unwritten", "alice", head + " {}")
      .solution("crashes", "alice", head + " { *(volatile int*)8 = 1; }");
}

}  // namespace

TEST_CASE("fib schema lists its schemas, and prints each") {
  const auto list = run_process({fib_binary(), "schema"});
  CHECK(list.exit_code == 0);
  CHECK(list.err.empty());
  const auto lines = lines_of(list.out);
  REQUIRE(lines.size() == 26);
  for (const std::string& line : lines) {
    const auto printed = run_process({fib_binary(), "schema", line.substr(0, line.find(' '))});
    CHECK(printed.exit_code == 0);
    CHECK(nlohmann::json::parse(printed.out).at("$schema") == "https://json-schema.org/draft/2020-12/schema");
  }
  const auto unknown = run_process({fib_binary(), "schema", "evall"});
  CHECK(unknown.exit_code == 1);
  CHECK(unknown.err == "fib: there is no schema \"evall\"; did you mean \"eval\"?\n");
}

TEST_CASE("the records of dataset-examples hold what their schemas say") {
  if (!has_jsonschema()) {
    WARN("skipped: Python's jsonschema is not here (Debian: python3-jsonschema)");
    return;
  }
  const fs::path root = source_folder() / "dataset-examples";
  CHECK(schema_problems("definition", documents_below(root / "definitions", ".json")) == "");
  CHECK(schema_problems("solution", documents_below(root / "solutions", ".json")) == "");
  CHECK(schema_problems("workload", documents_below(root / "workloads", ".jsonl")) == "");
  CHECK(schema_problems("definition", {R"({"name": "x"})"}) != "");
  CHECK(schema_problems("trace", {R"({"definition": "d", "solution": "s"})"}) != "");
}

TEST_CASE("traces, tries and events hold what their schemas say, whatever failed") {
  if (!has_jsonschema()) {
    WARN("skipped: Python's jsonschema is not here (Debian: python3-jsonschema)");
    return;
  }
  FibRun run;
  add_solutions(run);
  const auto events = run.run(few({"--format", "jsonl"}));
  CHECK(schema_problems("run-events", lines_of(events.out)) == "");
  const auto runs = documents_below(run.dataset.root() / "runs", ".jsonl");
  CHECK(runs.size() == 1);
  CHECK(schema_problems("run", runs) == "");
  CHECK(schema_problems("run", {R"({"run_id": "r"})"}) != "");
  const auto timeline = run.dataset.root() / "timeline.json";
  CHECK(run.run(few({"--no-save-results", "--timeline", timeline.string()})).exit_code == 0);
  const std::string events_of_processes = util::read_file(timeline);
  CHECK(nlohmann::json::parse(events_of_processes).size() > 20);
  CHECK(schema_problems("timeline", {events_of_processes}) == "");
  CHECK(schema_problems("timeline", {R"([{"name": "run", "ph": "X"}])"}) != "");
  const auto traces = documents_below(run.dataset.root() / "traces", ".jsonl");
  CHECK(traces.size() == 6);
  CHECK(schema_problems("trace", traces) == "");
  const auto exported =
      run_process({fib_binary(), "export", "--local", run.dataset.root(), "--format", "json"});
  CHECK(nlohmann::json::parse(exported.out).size() == 6);
  CHECK(schema_problems("export", {exported.out}) == "");
  CHECK(schema_problems("export", {R"([{"definition": "d"}])"}) != "");
  std::vector<std::string> words = {fib_binary(), "eval", "--local", run.dataset.root(), "--format", "json"};
  for (const auto& entry : fs::recursive_directory_iterator(run.dataset.root() / "solutions"))
    if (entry.path().extension() == ".json") words.push_back(entry.path());
  const auto tried = run_process(few(words), run.environment());
  CHECK(tried.exit_code == 3);
  CHECK(schema_problems("eval", {tried.out}) == "");
  auto other = nlohmann::json::parse(tried.out);
  other["solutions"][0]["results"][0]["status"] = "FINE";
  CHECK(schema_problems("eval", {other.dump()}) != "");
  const auto no_such =
      run_process({fib_binary(), "eval", "nothing.json", "--local", run.dataset.root(), "--format", "json"},
                  run.environment());
  CHECK(no_such.exit_code == 1);
  CHECK(schema_problems("eval", {no_such.out}) == "");
  CHECK_THAT(nlohmann::json::parse(no_such.out).at("error").get<std::string>(),
             Catch::Contains("nothing.json"));
  CHECK(schema_problems("run-events", {R"({"event": "warning", "time": "now"})"}) != "");
  const std::string root = run.dataset.root().string();
  REQUIRE(run_process({fib_binary(), "baseline", "set", "main", "last", "--local", root}).exit_code == 0);
  const std::map<std::string, std::vector<std::vector<std::string>>> more = {
      {"baselines", {{"baseline", "list"}}},
      {"apply", {{"apply", "show", "--hardware", "any"}, {"apply", "check", "--hardware", "any"}}}};
  for (const auto& [schema, commands] : more) {
    for (std::vector<std::string> command : commands) {
      command.insert(command.begin(), fib_binary());
      command.insert(command.end(), {"--local", root, "--format", "json"});
      const auto printed = run_process(command, run.environment());
      INFO(command[1] << " " << command[2] << ": " << printed.out << printed.err);
      CHECK_THAT(printed.out, Catch::Contains("\"main\"") || Catch::Contains("\"good\""));
      CHECK(schema_problems(schema, {printed.out}) == "");
      CHECK(schema_problems(schema, {R"({"schema_version": 1, "report": "other", "datasets": []})"}) != "");
    }
  }
}

namespace {

const std::vector<std::pair<std::string, std::vector<std::string>>> kReports = {
    {"summary", {"report", "summary"}},
    {"best", {"report", "best"}},
    {"summary", {"report", "summary", "--show", "authors"}},
    {"sol", {"report", "sol", "--show", "solutions"}},
    {"best", {"report", "best", "--per-workload"}},
    {"rank", {"report", "rank"}},
    {"fast-p", {"report", "fast-p"}},
    {"sol", {"report", "sol"}},
    {"list", {"list"}},
    {"list", {"list", "definitions"}},
    {"list", {"list", "solutions"}},
    {"list", {"list", "workloads"}},
    {"list", {"list", "traces"}},
    {"history", {"history"}},
    {"baselines", {"baseline", "list"}},
    {"apply", {"apply", "show", "--hardware", "any"}},
    {"validate", {"validate", "--disable-gpu"}},
    {"validate", {"validate", "--disable-gpu", "--mode", "upstream"}}};

}  // namespace

TEST_CASE("what reports print for programs holds what their schemas say") {
  if (!has_jsonschema()) {
    WARN("skipped: Python's jsonschema is not here (Debian: python3-jsonschema)");
    return;
  }
  const fs::path golden = source_folder() / "tests/cli/golden";
  for (const auto& [schema, names] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"summary", {"report_summary"}},
           {"best", {"report_best"}},
           {"rank", {"report_rank"}},
           {"fast-p", {"report_fast-p"}},
           {"sol", {"report_sol"}},
           {"show",
            {"report_show_definition", "report_show_solution", "report_show_trace", "report_show_workload"}},
           {"compare", {"report_compare"}},
           {"history", {"history", "history_run"}},
           {"list", {"list"}},
           {"merge", {"merge"}},
           {"validate", {"validate_broken"}},
           {"bencher", {"ci_sample_bencher", "ci_runs_bencher", "ci_failures_bencher", "ci_empty_bencher"}},
           {"github-action-benchmark",
            {"ci_sample_github-action-benchmark", "ci_runs_github-action-benchmark",
             "ci_failures_github-action-benchmark", "ci_empty_github-action-benchmark"}}}) {
    std::vector<std::string> documents;
    for (const std::string& name : names) documents.push_back(util::read_file(golden / (name + ".json")));
    INFO(schema);
    CHECK(schema_problems(schema, documents) == "");
    CHECK(schema_problems(schema, {R"({"schema_version": 1, "report": "other"})"}) != "");
  }
}

TEST_CASE("what reports print of real datasets holds what their schemas say") {
  if (!has_jsonschema()) {
    WARN("skipped: Python's jsonschema is not here (Debian: python3-jsonschema)");
    return;
  }
  for (const std::string name : {"real/fib_a800", "flashinfer_trace"}) {
    const auto found = shared_data(name);
    if (!found) return;
    const fs::path& dataset = *found;
    std::map<std::string, std::vector<std::string>> documents;
    for (const auto& [schema, command] : kReports) {
      if (schema == "validate" && !fs::exists(dataset / "definitions")) continue;  // it refuses that
      std::vector<std::string> words = {fib_binary()};
      words.insert(words.end(), command.begin(), command.end());
      words.insert(words.end(), {"--format", "json", "--local", dataset.string()});
      documents[schema].push_back(run_process(words).out);
    }
    for (const auto& [schema, printed] : documents) {
      INFO(schema << " of " << name);
      CHECK(schema_problems(schema, printed) == "");
    }
    CHECK(schema_problems("trace", documents_below(dataset / "traces", ".jsonl")) == "");
    CHECK(schema_problems("definition", documents_below(dataset / "definitions", ".json")) == "");
    CHECK(schema_problems("solution", documents_below(dataset / "solutions", ".json")) == "");
  }
}

TEST_CASE("profiles hold their schema, of kernels that ncu has measured and where it has nothing") {
  if (!has_jsonschema()) {
    WARN("skipped: Python has no jsonschema");
    return;
  }
  const auto kernels =
      profile::read_raw_page(util::read_file(testing::source_folder() / "tests/profile/data/kernels.csv"));
  REQUIRE(kernels.size() == 6);
  const nlohmann::ordered_json document = {
      {"schema_version", 1},
      {"fib", "1"},
      {"profiled", profile::to_json({{"s", "d", "w", kernels, "", "ncu's own\n"},
                                     {"s", "d", "w", {{"k", "(1, 1, 1)", "(32, 1, 1)", {}}}, "", ""},
                                     {"s", "d", "w", {}, "no ncu", ""}})}};
  CHECK(schema_problems("profile", {document.dump()}) == "");
}
