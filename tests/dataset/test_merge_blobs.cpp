#include <set>

#include "dataset/merge_support.h"

namespace fs = std::filesystem;
using namespace fib;
using namespace fib::testing;  // NOLINT: all of it is used
using dataset::MergeOptions;
using dataset::OnConflict;

namespace {

const std::string kWorkload = R"("solution":null,"evaluation":null)";

// A record of "d" whose input "A" is in the blob at `path`; `rest` says whether it is a workload or a trace.
std::string blob_line(const std::string& path, const std::string& uuid = "w1",
                      const std::string& rest = kWorkload) {
  return R"({"definition":"d","workload":{"axes":{"M":2},"inputs":{"A":{"type":"safetensors","path":")" +
         path + R"(","tensor_key":"A"}},"uuid":")" + uuid + "\"}," + rest + "}\n";
}

}  // namespace

TEST_CASE("blobs are copied; a workload whose blob differs is another workload") {
  const TemporaryDataset a;
  const TemporaryDataset b;
  const TemporaryDataset c;
  for (const auto* one : {&a, &b, &c}) {
    fill(*one, "alice", {});
    one->write("workloads/op/d.jsonl", blob_line("./blob/w.safetensors"));
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
  const TemporaryDataset a;
  const TemporaryDataset b;
  const auto fill_one = [&](const TemporaryDataset& one, const std::string& uuid, const std::string& blob) {
    fill(one, "alice", {});
    one.write("workloads/op/d.jsonl", blob_line("./blob/w.safetensors", uuid));
    one.write(
        "traces/alice/op/d.jsonl",
        blob_line(
            "./blob/w.safetensors", uuid,
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

TEST_CASE("a blob's path that would leave the output is taken from where its own dataset has it") {
  const TemporaryDataset a;
  fill(a, "alice", {});
  a.write("blob/x.safetensors", "content");
  a.write("workloads/op/d.jsonl", blob_line("../../esc/blob/x.safetensors"));
  const Merged merged({a.root()});
  CHECK(merged.file("blob/x.safetensors") == "content");
  CHECK(merged.file("workloads/op/d.jsonl").find(R"("path":"./blob/x.safetensors")") != std::string::npos);
  CHECK_FALSE(fs::exists(merged.folder.path() / "esc"));
  CHECK_FALSE(fs::exists(merged.folder.path().parent_path() / "esc"));
}

TEST_CASE("no blob of an output is a record, or what a program keeps for itself") {
  const TemporaryDataset a;
  fill(a, "alice", {});
  a.write("config", "one");
  a.write("traces/x.safetensors", "two");
  a.write("x.json", "three");
  a.write("more/y.safetensors", "four");
  const std::vector<std::string> paths = {".git/config", "traces/x.safetensors", "solutions/evil/x.json",
                                          "more/y.safetensors"};
  std::string lines;
  for (const auto& path : paths) lines += blob_line(path, "w" + std::to_string(lines.size()));
  a.write("workloads/op/d.jsonl", lines);
  const Merged merged({a.root()});
  std::set<std::string> contents;
  const auto loaded = dataset::load(merged.output, {});
  for (const auto& workload : loaded.workloads.at("d")) {
    const std::string& path = workload.inputs[0].second.path;
    INFO(path);
    CHECK((path.starts_with("./blob/") || path == "more/y.safetensors"));
    contents.insert(util::read_file(merged.output / path));
  }
  CHECK(contents == std::set<std::string>{"one", "two", "three", "four"});
  CHECK_FALSE(fs::exists(merged.output / ".git"));
  CHECK_FALSE(fs::exists(merged.output / "traces/x.safetensors"));
  CHECK_FALSE(fs::exists(merged.output / "solutions/evil"));
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

TEST_CASE("of a blob that is linked to under several names one copy is made") {
  const TemporaryDataset a;
  fill(a, "alice", {});
  a.write("workloads/op/d.jsonl",
          blob_line("blob/x.safetensors", "w1") + blob_line("blob/y.safetensors", "w2"));
  a.write("blob/x.safetensors", "content");
  fs::create_symlink("x.safetensors", a.root() / "blob/y.safetensors");
  const Merged merged({a.root()});
  CHECK(merged.file("blob/y.safetensors") == "content");
  CHECK(fs::equivalent(merged.output / "blob/x.safetensors", merged.output / "blob/y.safetensors"));
  CHECK_FALSE(fs::equivalent(merged.output / "blob/x.safetensors", a.root() / "blob/x.safetensors"));
}
