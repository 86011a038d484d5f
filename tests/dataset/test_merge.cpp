#include <sys/stat.h>

#include "dataset/merge_support.h"

namespace fs = std::filesystem;
using namespace fib;
using namespace fib::testing;  // NOLINT: all of it is used
using dataset::MergeOptions;
using dataset::OnConflict;

TEST_CASE("what several datasets hold is merged once, and their order does not matter") {
  const TemporaryDataset a;
  const TemporaryDataset b;
  const TemporaryDataset c;
  fill(a, "alice", {"2", "1"});
  fill(b, "bob", {"3"});
  fill(c, "alice", {"2", "4"});
  c.write("workloads/op/d.jsonl", testing::workload_line("w0") + "\n" + testing::workload_line("w1") + "\n");
  const Merged merged({a.root(), b.root(), c.root()});
  CHECK(contents(merged.output).size() == 6);
  const auto traces = merged.file("traces/alice/op/d.jsonl");
  CHECK(lines(traces) == 3);
  CHECK(traces.find(R"("timestamp":"1")") < traces.find(R"("timestamp":"2")"));
  CHECK(traces.find(R"("timestamp":"2")") < traces.find(R"("timestamp":"4")"));
  const auto workloads = merged.file("workloads/op/d.jsonl");
  CHECK(workloads.find("\"w0\"") < workloads.find("\"w1\""));
  CHECK(merged.report.definitions.read == 3);
  CHECK(merged.report.definitions.written == 1);
  CHECK(merged.report.solutions.written == 2);
  CHECK(merged.report.workloads.duplicates == 2);
  CHECK(merged.report.traces.read == 5);
  CHECK(merged.report.traces.duplicates == 1);
  CHECK(merged.report.traces.written == 4);
  CHECK(contents(merged.output) == contents(Merged({c.root(), b.root(), a.root()}).output));
  CHECK(contents(merged.output) == contents(Merged({merged.output, b.root()}).output));
  struct stat state {};
  REQUIRE(::stat(merged.output.c_str(), &state) == 0);
  CHECK((state.st_mode & 0777) == 0755);
}

TEST_CASE("workloads are sorted by their axes") {
  const TemporaryDataset a;
  fill(a, "alice", {});
  const auto line = [](const std::string& uuid, int m) {
    return testing::workload_line(uuid, "d", m) + "\n";
  };
  a.write("workloads/op/d.jsonl", line("x", 16) + line("z", 2) + line("y", 16));
  const auto text = Merged({a.root()}).file("workloads/op/d.jsonl");
  CHECK(text.find("\"z\"") < text.find("\"x\""));
  CHECK(text.find("\"x\"") < text.find("\"y\""));
}

TEST_CASE("a definition that differs is an error that names the field, whatever is said of conflicts") {
  const TemporaryDataset a;
  const TemporaryDataset b;
  fill(a, "alice", {});
  fill(b, "bob", {});
  std::string other = testing::definition_text("d");
  other.replace(other.find("float32"), 7, "float16");
  b.write("definitions/op/d.json", other);
  for (const auto what : {OnConflict::error, OnConflict::first, OnConflict::rename}) {
    check_refused({a.root(), b.root()},
                  "Definition conflict for 'd' during merge. \"inputs.A.dtype\" differs between " +
                      (a.root() / "definitions/op/d.json").string(),
                  on_conflict(what));
  }
}

TEST_CASE("definitions with very many keys are compared in a moment") {
  const TemporaryDataset a;
  const TemporaryDataset b;
  fill(a, "alice", {});
  fill(b, "bob", {});
  std::string text = testing::definition_text("d");
  std::string keys;
  for (int i = 0; i < 200'000; ++i) keys += "\"k" + std::to_string(i) + "\":1,";
  text.insert(text.find('{') + 1, keys);
  a.write("definitions/op/d.json", text);
  b.write("definitions/op/d.json", text.insert(text.find('{') + 1, "\"a\":1,"));
  check_refused({a.root(), b.root()},
                "Definition conflict for 'd' during merge. \"a\" differs between " +
                    (a.root() / "definitions/op/d.json").string(),
                on_conflict(OnConflict::error));
}

TEST_CASE("solutions that differ are a conflict; traces go where their solution goes") {
  const TemporaryDataset a;
  const TemporaryDataset b;
  fill(a, "alice", {"1", "2"});
  fill(b, "alice", {"3"});
  b.write("solutions/alice/op/d/s_alice.json", testing::solution_text("s_alice", "alice", "cuda"));
  check_refused({a.root(), b.root()}, "solution \"s_alice\" (spec.language differs) differs between");

  const Merged first({a.root(), b.root()}, on_conflict(OnConflict::first));
  CHECK(first.report.traces.written == 2);
  CHECK(first.report.traces.left_out == 1);
  CHECK(first.report.solutions.left_out == 1);
  CHECK(first.report.conflicts.size() == 1);
  CHECK(first.file("solutions/alice/op/d/s_alice.json").find("cpp") != std::string::npos);

  const Merged last({a.root(), b.root()}, on_conflict(OnConflict::last));
  CHECK(last.report.traces.written == 1);
  CHECK(last.file("solutions/alice/op/d/s_alice.json").find("cuda") != std::string::npos);

  const Merged renamed({a.root(), b.root()}, on_conflict(OnConflict::rename));
  CHECK(renamed.report.traces.written == 3);
  CHECK(renamed.report.solutions.written == 2);
  const auto loaded = dataset::load(renamed.output, {});
  CHECK(loaded.problems.empty());
  std::map<std::string, int> count;
  for (const auto& trace : loaded.traces) ++count[*trace.solution];
  REQUIRE(count.size() == 2);
  for (const auto& [name, traces] : count) {
    CHECK(name.substr(0, 8) == "s_alice_");
    CHECK(traces == (loaded.solutions.at(name).spec.language == model::Language::cpp ? 2 : 1));
  }
  CHECK(contents(renamed.output) ==
        contents(Merged({b.root(), a.root()}, on_conflict(OnConflict::rename)).output));
}

TEST_CASE("of solutions that differ, traces go with the source that they say they were made from") {
  const TemporaryDataset a;
  const TemporaryDataset b;
  fill(a, "alice", {"1"});
  fill(b, "alice", {});
  const std::string cuda = testing::solution_text("s_alice", "alice", "cuda");
  b.write("solutions/alice/op/d/s_alice.json", cuda);
  // Made when a's solution was what b's is now.
  std::string trace = testing::at_time(trace_line("s_alice", "w1", 2), "2");
  const std::string hash = model::content_sha256(model::parse_solution(cuda));
  trace.insert(trace.find("\"evaluation\":{") + 14, "\"fib\":{\"solution_sha256\":\"" + hash + "\"},");
  a.write("traces/alice/op/older.jsonl", trace + "\n");

  const Merged last({a.root(), b.root()}, on_conflict(OnConflict::last));
  CHECK(last.report.traces.written == 1);
  CHECK(last.report.traces.left_out == 1);
  const auto kept = dataset::load(last.output, {});
  REQUIRE(kept.traces.size() == 1);
  CHECK(*kept.traces[0].evaluation->origin.solution_sha256 == hash);

  const Merged renamed({a.root(), b.root()}, on_conflict(OnConflict::rename));
  CHECK(renamed.report.traces.written == 2);
  const auto both = dataset::load(renamed.output, {});
  for (const auto& row : both.traces) {
    const auto& solution = both.solutions.at(*row.solution);
    const bool says_it = row.evaluation->origin.solution_sha256 != nullptr;
    CHECK(says_it == (solution.spec.language == model::Language::cuda));
  }
}

TEST_CASE("workloads of one uuid that differ are a conflict") {
  const TemporaryDataset a;
  const TemporaryDataset b;
  fill(a, "alice", {"1"});
  fill(b, "bob", {"2"});
  b.write("workloads/op/d.jsonl", testing::workload_line("w1", "d", 7) + "\n");
  std::string of_bob = util::read_file(b.root() / "traces/bob/op/d.jsonl");
  of_bob.replace(of_bob.find(R"("M":2)"), 5, R"("M":7)");
  b.write("traces/bob/op/d.jsonl", of_bob);
  check_refused({a.root(), b.root()}, "workload \"w1\" of definition \"d\" differs between");
  const Merged renamed({a.root(), b.root()}, on_conflict(OnConflict::rename));
  const auto loaded = dataset::load(renamed.output, {});
  REQUIRE(loaded.workloads.at("d").size() == 2);
  CHECK(loaded.workloads.at("d")[0].uuid.starts_with("w1_"));
  CHECK(loaded.workloads.at("d")[0].uuid != loaded.workloads.at("d")[1].uuid);
  REQUIRE(loaded.traces.size() == 2);
  CHECK(loaded.traces[0].workload->uuid == loaded.workloads.at("d")[0].uuid);  // alice's, of the smaller one
  CHECK(loaded.traces[1].workload->uuid == loaded.workloads.at("d")[1].uuid);
}

TEST_CASE("of workloads that differ, traces go with the sizes that they have, and none is there twice") {
  const TemporaryDataset a;
  const TemporaryDataset b;
  fill(a, "alice", {"1"});
  fill(b, "alice", {"1"});
  b.write("workloads/op/d.jsonl", testing::workload_line("w1", "d", 7) + "\n");  // edited since
  const Merged renamed({a.root(), b.root()}, on_conflict(OnConflict::rename));
  const auto loaded = dataset::load(renamed.output, {});
  REQUIRE(loaded.workloads.at("d").size() == 2);
  REQUIRE(loaded.traces.size() == 1);
  CHECK(model::same_work(*loaded.traces[0].workload, loaded.workloads.at("d")[0]));
  CHECK(loaded.traces[0].workload->uuid == loaded.workloads.at("d")[0].uuid);
}

TEST_CASE("old layouts are merged into the newest one, and records of unknown things are kept") {
  const TemporaryDataset a;
  a.write("definitions/d.json", testing::definition_text("d"));
  a.write("solutions/s.json", testing::solution_text("s", "alice", "cpp"));
  a.write("traces/d.jsonl", testing::workload_line("w1") + "\n" + testing::trace_line("s", "w1", 2) + "\n" +
                                testing::trace_line("gone", "w1", 2) + "\n");
  a.write("traces/zoe/op/d.jsonl", testing::trace_line("gone", "w1", 3) + "\n");
  a.write("runs/runs.jsonl", "{\"run_id\":\"2\"}\n{\"run_id\":\"1\"}\n");
  const Merged merged({a.root(), a.root()});
  CHECK(merged.report.traces.written == 3);
  CHECK(lines(merged.file("workloads/op/d.jsonl")) == 1);
  CHECK(lines(merged.file("traces/alice/op/d.jsonl")) == 1);
  CHECK(lines(merged.file("traces/unknown/op/d.jsonl")) == 1);
  CHECK(lines(merged.file("traces/zoe/op/d.jsonl")) == 1);
  CHECK(merged.file("runs/runs.jsonl") == "{\"run_id\":\"1\"}\n{\"run_id\":\"2\"}\n");
}

TEST_CASE("unknown keys and fib's own record survive a merge") {
  const TemporaryDataset a;
  fill(a, "alice", {});
  a.write("traces/alice/op/d.jsonl",
          testing::trace_line("s_alice", "w1", 2, "cpu", R"(,"new":[1.50,"x"],"fib":{"cv":0.10,"n":1e400})") +
              "\n");
  const auto text = Merged({a.root()}).file("traces/alice/op/d.jsonl");
  CHECK(text.find(R"("new":[1.50,"x"])") != std::string::npos);
  CHECK(text.find(R"("fib":{"cv":0.1,"n":"Infinity"})") != std::string::npos);
}

TEST_CASE("records that cannot be read stop a merge, or are listed and left out") {
  const TemporaryDataset a;
  fill(a, "alice", {"1"});
  const auto good = util::read_file(a.root() / "traces/alice/op/d.jsonl");
  a.write("traces/alice/op/d.jsonl", good + good.substr(0, good.size() / 2));
  check_refused({a.root()}, "d.jsonl:2: torn record");
  a.write("traces/alice/op/d.jsonl",
          good + R"({"definition":"d","solution":"s_alice","evaluation":{"status":"?"}})" + "\n");
  check_refused({a.root()}, "1 record cannot be taken");
  MergeOptions skip;
  skip.skip_unreadable = true;
  const Merged merged({a.root()}, skip);
  CHECK(merged.report.unreadable.size() == 1);
  CHECK(merged.report.traces.written == 1);
}

TEST_CASE(
    "a uuid that one dataset has twice is no loss: equal workloads count twice, others stop the merge") {
  const TemporaryDataset a;
  fill(a, "alice", {});
  const std::string uuid = "a-uuid-of-more-characters-than-a-short-string-holds";
  a.write("workloads/op/d.jsonl", testing::workload_line(uuid) + "\n" + testing::workload_line(uuid) + "\n");
  const Merged merged({a.root()});
  CHECK(merged.report.workloads.read == 2);
  CHECK(merged.report.workloads.duplicates == 1);
  CHECK(merged.report.workloads.written == 1);
  a.write("workloads/op/d.jsonl",
          testing::workload_line("w1") + "\n" + testing::workload_line("w1", "d", 9) + "\n");
  check_refused({a.root()}, "neither is taken", on_conflict(OnConflict::rename));
  MergeOptions skip;
  skip.skip_unreadable = true;
  CHECK(Merged({a.root()}, skip).report.workloads.written == 0);
}

TEST_CASE("an earlier merge with new names merges again without doubles") {
  const TemporaryDataset a;
  const TemporaryDataset b;
  fill(a, "alice", {"1"});
  fill(b, "alice", {"2"});
  b.write("solutions/alice/op/d/s_alice.json", testing::solution_text("s_alice", "alice", "cuda"));
  b.write("workloads/op/d.jsonl", testing::workload_line("w1", "d", 7) + "\n");
  const Merged once({a.root(), b.root()}, on_conflict(OnConflict::rename));
  const Merged again({a.root(), b.root(), once.output}, on_conflict(OnConflict::rename));
  CHECK(contents(again.output) == contents(once.output));
  CHECK(again.report.solutions.written == 2);
  CHECK(again.report.workloads.written == 2);
}

TEST_CASE("an input without solutions finds its traces' author in the others") {
  const TemporaryDataset a;
  fill(a, "alice", {"1"});
  const TemporaryDataset b;
  b.write("definitions/d.json", testing::definition_text("d"));
  b.write("traces/op/d.jsonl", util::read_file(a.root() / "traces/alice/op/d.jsonl"));
  const Merged merged({a.root(), b.root()});
  CHECK(merged.report.traces.duplicates == 1);
  CHECK(merged.report.traces.written == 1);
  CHECK_FALSE(fs::exists(merged.output / "traces/unknown"));
}

TEST_CASE("traces are sorted by time wherever they were made") {
  const TemporaryDataset a;
  fill(a, "alice", {"2026-01-01T11:00:00+05:00", "2026-01-01T10:00:00+00:00"});
  const auto text = Merged({a.root()}).file("traces/alice/op/d.jsonl");
  CHECK(text.find("+05:00") < text.find("+00:00"));
}

TEST_CASE("what cannot be read or be a file's name is listed with its place, and left out when asked for") {
  const TemporaryDataset a;
  fill(a, "alice", {"1"});
  a.write("runs/runs.jsonl", "{\"run_id\":\"1\"}\n{\"run_id");
  a.write("traces/old.jsonl",
          R"({"definition":"../../evil","solution":"s","evaluation":{"status":"TIMEOUT"}})"
          "\n");
  check_refused({a.root()}, "runs.jsonl:2: this is no whole JSON object");
  check_refused({a.root()}, "old.jsonl:1: definition \"../../evil\" cannot be a file or folder name");
  MergeOptions skip;
  skip.skip_unreadable = true;
  const Merged merged({a.root()}, skip);
  CHECK(merged.report.unreadable.size() == 2);
  CHECK(merged.report.traces.written == 1);
  CHECK(merged.file("runs/runs.jsonl") == "{\"run_id\":\"1\"}\n");
}

TEST_CASE("a merge that is interrupted leaves nothing") {
  const TemporaryDataset a;
  fill(a, "alice", {"1"});
  const std::atomic<bool> interrupted = true;
  MergeOptions options;
  options.interrupted = &interrupted;
  check_refused({a.root()}, "interrupted; nothing was written", options);
}

TEST_CASE("nothing is left behind when an output cannot be written, and nothing is overwritten") {
  const TemporaryDataset a;
  fill(a, "alice", {"1"});
  a.write("definitions/op/slash.json", testing::definition_text("a/b"));
  check_refused({a.root()}, "definition \"a/b\" cannot be a file or folder name");
  const testing::TemporaryFolder folder;
  util::write_file_atomic(folder.path() / "out/mine", "");
  CHECK_THROWS_WITH(dataset::merge({a.root()}, folder.path() / "out", {}),
                    Catch::Contains("exists; name a new folder"));
  CHECK(fs::exists(folder.path() / "out/mine"));
}

TEST_CASE("a file with results for very many definitions is cut up for them") {
  const TemporaryDataset a;
  std::string traces;
  for (int i = 0; i < 40; ++i) {
    const std::string line = testing::at_time(testing::trace_line("s", "w", 2), std::to_string(i));
    std::string other = line;
    other.replace(other.find(R"("definition":"d")"), 16,
                  "\"definition\":\"d" + std::to_string(i % 20) + "\"");
    traces += other + "\n";
  }
  a.write("traces/bob/op/all.jsonl", traces);
  const Merged merged({a.root()});
  CHECK(merged.report.traces.written == 40);
  std::size_t files = 0;
  for (const auto& [name, text] : contents(merged.output)) {
    if (!name.starts_with("traces/")) continue;
    ++files;
    CHECK(lines(text) == 2);
  }
  CHECK(files == 20);
}
