#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "dataset/merge.h"
#include "dataset/temporary_dataset.h"
#include "support/temporary.h"

using namespace fib;
using testing::definition_text;
using testing::solution_text;
using testing::trace_line;
namespace fs = std::filesystem;
using dataset::MergeOptions;
using dataset::OnConflict;
using testing::TemporaryDataset;

namespace {

// All files below a folder, by relative path.
std::map<std::string, std::string> contents(const fs::path& root) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.is_regular_file())
      files[entry.path().lexically_relative(root).string()] = util::read_file(entry.path());
  }
  return files;
}

std::string at_time(std::string line, const std::string& time) {
  const auto place = line.find(R"("timestamp":"t")");
  return line.replace(place, 15, R"("timestamp":")" + time + "\"");
}

// A definition "d" with a workload, a solution of its author and one trace a time.
void fill(const TemporaryDataset& files, const std::string& author, const std::vector<std::string>& times) {
  files.write("definitions/op/d.json", testing::definition_text("d"));
  files.write("workloads/op/d.jsonl", testing::workload_line("w1") + "\n");
  files.write("solutions/" + author + "/op/d/s_" + author + ".json",
              testing::solution_text("s_" + author, author, "cpp"));
  std::string traces;
  for (const auto& time : times) traces += at_time(testing::trace_line("s_" + author, "w1", 2), time) + "\n";
  files.write("traces/" + author + "/op/d.jsonl", traces);
}

struct Merged {
  testing::TemporaryFolder folder;
  fs::path output = folder.path() / "out";
  dataset::MergeReport report;

  explicit Merged(const std::vector<fs::path>& inputs, const MergeOptions& options = {}) {
    report = dataset::merge(inputs, output, options);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return util::read_file(output / name); }
};

void check_refused(const std::vector<fs::path>& inputs, const std::string& message,
                   const MergeOptions& options = {}) {
  const testing::TemporaryFolder folder;
  CHECK_THROWS_WITH(dataset::merge(inputs, folder.path() / "out", options), Catch::Contains(message));
  CHECK(fs::is_empty(folder.path()));  // no output, and no temporary sibling is left
}

MergeOptions on_conflict(OnConflict what) {
  MergeOptions options;
  options.on_conflict = what;
  return options;
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

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

TEST_CASE("workloads of one uuid that differ are a conflict") {
  const TemporaryDataset a;
  const TemporaryDataset b;
  fill(a, "alice", {"1"});
  fill(b, "bob", {"2"});
  b.write("workloads/op/d.jsonl", testing::workload_line("w1", "d", 7) + "\n");
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

TEST_CASE("blobs are copied; a workload whose blob differs is another workload") {
  const std::string line =
      R"({"definition":"d","workload":{"axes":{"M":2},"inputs":{"A":{"type":"safetensors","path":"./blob/w.safetensors",)"
      R"("tensor_key":"A"}},"uuid":"w1"},"solution":null,"evaluation":null})"
      "\n";
  const TemporaryDataset a;
  const TemporaryDataset b;
  const TemporaryDataset c;
  for (const auto* one : {&a, &b, &c}) {
    fill(*one, "alice", {});
    one->write("workloads/op/d.jsonl", line);
  }
  a.write("blob/w.safetensors", "content");
  const Merged merged({b.root(), a.root()});  // b has no such file
  CHECK(merged.file("blob/w.safetensors") == "content");
  CHECK(merged.report.blobs.written == 1);
  CHECK(merged.report.missing_blobs.empty());
  CHECK(merged.report.workloads.written == 1);
  MergeOptions link;
  link.link_blobs = true;
  CHECK(fs::equivalent(Merged({a.root()}, link).output / "blob/w.safetensors",
                       a.root() / "blob/w.safetensors"));
  CHECK_FALSE(fs::equivalent(merged.output / "blob/w.safetensors", a.root() / "blob/w.safetensors"));
  CHECK(Merged({b.root()}).report.missing_blobs == std::vector<std::string>{"./blob/w.safetensors"});

  c.write("blob/w.safetensors", "else");
  check_refused({a.root(), c.root()}, "workload \"w1\" of definition \"d\" differs between");
  const Merged renamed({a.root(), c.root()}, on_conflict(OnConflict::rename));
  const auto loaded = dataset::load(renamed.output, {});
  REQUIRE(loaded.workloads.at("d").size() == 2);
  std::vector<std::string> found;
  for (const auto& workload : loaded.workloads.at("d"))
    found.push_back(util::read_file(renamed.output / workload.inputs[0].second.path));
  std::sort(found.begin(), found.end());
  CHECK(found == std::vector<std::string>{"content", "else"});
}

TEST_CASE("different blobs of different workloads at one path are both kept, but for the default") {
  const auto line = [](const std::string& uuid, const std::string& rest) {
    return R"({"definition":"d","workload":{"axes":{"M":2},"inputs":{"A":{"type":"safetensors","path":"./blob/w.safetensors",)"
           R"("tensor_key":"A"}},"uuid":")" +
           uuid + "\"}," + rest + "}\n";
  };
  const TemporaryDataset a;
  const TemporaryDataset b;
  const auto fill_one = [&](const TemporaryDataset& one, const std::string& uuid, const std::string& blob) {
    fill(one, "alice", {});
    one.write("workloads/op/d.jsonl", line(uuid, R"("solution":null,"evaluation":null)"));
    one.write(
        "traces/alice/op/d.jsonl",
        line(
            uuid,
            R"("solution":"s_alice","evaluation":{"status":"TIMEOUT","environment":{"hardware":"h"},"timestamp":"t"})"));
    one.write("blob/w.safetensors", blob);
  };
  fill_one(a, "w1", "content");
  fill_one(b, "w2", "else");
  check_refused({a.root(), b.root()}, "blob blob/w.safetensors differs between");
  for (const auto choice : {OnConflict::first, OnConflict::last, OnConflict::rename}) {
    const Merged merged({b.root(), a.root()}, on_conflict(choice));
    CHECK(merged.report.conflicts.size() == 1);
    const auto loaded = dataset::load(merged.output, {});
    REQUIRE(loaded.workloads.at("d").size() == 2);
    REQUIRE(loaded.traces.size() == 2);
    const auto content_of = [&](const model::Workload& workload) {
      return util::read_file(merged.output / workload.inputs[0].second.path);
    };
    for (const auto& workload : loaded.workloads.at("d"))
      CHECK(content_of(workload) == (workload.uuid == "w1" ? "content" : "else"));
    for (const auto& trace : loaded.traces)
      CHECK(content_of(*trace.workload) == (trace.workload->uuid == "w1" ? "content" : "else"));
  }
}

TEST_CASE("a repair fills in names that paths say, and writes paths of blobs as the files lie") {
  const auto without = [](std::string text, const std::string& member) {
    const auto at = text.find(member);
    REQUIRE(at != std::string::npos);
    return text.erase(at, member.size());
  };
  const TemporaryDataset a;
  a.write("definitions/op/d.json",
          without(without(definition_text("d"), R"("name":"d",)"), R"("op_type":"op",)"));
  std::string solution = solution_text("s", "alice", "cpp");
  for (const std::string member : {R"("name":"s",)", R"("definition":"d",)", R"("author":"alice",)"})
    solution = without(solution, member);
  a.write("solutions/alice/op/d/s.json", solution);
  a.write(
      "workloads/op/d.jsonl",
      R"({"workload":{"axes":{"M":2},"inputs":{"A":{"type":"safetensors","path":"/old/place/blob/x/f.safetensors",)"
      R"("tensor_key":"A"}},"uuid":"w1"}})"
      "\n");
  a.write("blob/x/f.safetensors", "content");
  a.write("traces/alice/op/d.jsonl", without(trace_line("s", "w1", 1), R"("definition":"d",)") + "\n");
  check_refused({a.root()}, "name: Field required");
  MergeOptions repair;
  repair.repair = true;
  const Merged merged({a.root()}, repair);
  CHECK(merged.report.repairs ==
        std::vector<std::string>{
            "definitions/op/d.json: missing names taken from its path",
            "solutions/alice/op/d/s.json: missing names taken from its path",
            "workloads/op/d.jsonl: definition taken from the path in 1 of its records",
            "traces/alice/op/d.jsonl: definition taken from the path in 1 of its records"});
  const auto loaded = dataset::load(merged.output, {});
  CHECK(loaded.problems.empty());
  CHECK(loaded.definitions.at("d").op_type == "op");
  CHECK(loaded.solutions.at("s").author == "alice");
  REQUIRE(loaded.workloads.at("d").size() == 1);
  CHECK(loaded.workloads.at("d")[0].inputs[0].second.path == "./blob/x/f.safetensors");
  REQUIRE(loaded.traces.size() == 1);
  CHECK(*loaded.traces[0].definition == "d");
  const Merged again({merged.output}, repair);
  CHECK(again.report.repairs.empty());
}

TEST_CASE("a repair leaves the numbers of broken lines as they are") {
  const TemporaryDataset a;
  a.write("definitions/op/d.json", definition_text("d"));
  a.write("workloads/op/d.jsonl", "\n\n{\"workload\":" + testing::workload_text("w1") + "}\n\n{\"broken\n");
  MergeOptions repair;
  repair.repair = true;
  repair.skip_unreadable = true;
  const Merged merged({a.root()}, repair);
  REQUIRE(merged.report.unreadable.size() == 1);
  CHECK_THAT(merged.report.unreadable[0], Catch::Contains("d.jsonl:5: "));
}

TEST_CASE("a repair says what it moves, and where a document and its path differ the document stands") {
  const TemporaryDataset a;
  a.write("definitions/other/e.json", definition_text("d"));
  a.write("solutions/s.json", solution_text("s", "alice", "cpp"));
  MergeOptions repair;
  repair.repair = true;
  const Merged merged({a.root()}, repair);
  CHECK(merged.report.repairs ==
        std::vector<std::string>{"definitions/other/e.json: moved to definitions/op/d.json",
                                 "solutions/s.json: moved to solutions/alice/op/d/s.json"});
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

TEST_CASE("a blob's path that would leave the output is taken from where its own dataset has it") {
  const TemporaryDataset a;
  fill(a, "alice", {});
  a.write("blob/x.safetensors", "content");
  a.write(
      "workloads/op/d.jsonl",
      R"({"definition":"d","workload":{"axes":{"M":2},"inputs":{"A":{"type":"safetensors",)"
      R"("path":"../../esc/blob/x.safetensors","tensor_key":"A"}},"uuid":"w1"},"solution":null,"evaluation":null})"
      "\n");
  const Merged merged({a.root()});
  CHECK(merged.file("blob/x.safetensors") == "content");
  CHECK(merged.file("workloads/op/d.jsonl").find(R"("path":"./blob/x.safetensors")") != std::string::npos);
  CHECK_FALSE(fs::exists(merged.folder.path() / "esc"));
  CHECK_FALSE(fs::exists(merged.folder.path().parent_path() / "esc"));
}

TEST_CASE(
    "a uuid that one dataset has twice is no loss: equal workloads count twice, others stop the merge") {
  const TemporaryDataset a;
  fill(a, "alice", {});
  a.write("workloads/op/d.jsonl", testing::workload_line("w1") + "\n" + testing::workload_line("w1") + "\n");
  const Merged merged({a.root()});
  CHECK(merged.report.workloads.read == 2);
  CHECK(merged.report.workloads.duplicates == 1);
  CHECK(merged.report.workloads.written == 1);
  a.write("workloads/op/d.jsonl",
          testing::workload_line("w1") + "\n" + testing::workload_line("w1", "d", 9) + "\n");
  check_refused({a.root()}, "workload \"w1\" of definition \"d\" stands twice in ",
                on_conflict(OnConflict::rename));
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

TEST_CASE("blobs of which each input has another are all there, in any order of the inputs") {
  const auto line = [](const std::string& path) {
    return R"({"type":"safetensors","path":")" + path + R"(","tensor_key":"A"})";
  };
  const std::string workload = R"({"definition":"d","workload":{"axes":{"M":2},"inputs":{"x":)" +
                               line("blob/x") + R"(,"y":)" + line("blob/y") +
                               R"(},"uuid":"w1"},"solution":null,"evaluation":null})" + "\n";
  const TemporaryDataset a;
  const TemporaryDataset b;
  const TemporaryDataset c;
  for (const auto* one : {&a, &b, &c}) {
    fill(*one, "alice", {});
    one->write("workloads/op/d.jsonl", workload);
  }
  a.write("blob/x", "x");
  b.write("blob/y", "y");
  const Merged merged({a.root(), b.root()});
  CHECK(merged.file("blob/x") == "x");
  CHECK(merged.file("blob/y") == "y");
  CHECK(merged.report.missing_blobs.empty());
  CHECK(merged.report.workloads.written == 1);
  CHECK(contents(merged.output) == contents(Merged({b.root(), a.root()}).output));

  // c has none: with two contents to choose from, its trace goes to the same one in any order.
  b.write("blob/x", "other");
  fill(c, "alice", {"1"});
  c.write("workloads/op/d.jsonl", workload);
  const Merged forth({a.root(), b.root(), c.root()}, on_conflict(OnConflict::rename));
  const Merged back({c.root(), b.root(), a.root()}, on_conflict(OnConflict::rename));
  CHECK(contents(forth.output) == contents(back.output));
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
