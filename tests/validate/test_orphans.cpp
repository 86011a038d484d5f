#include <unistd.h>

#include "validate/support.h"

using namespace fib::testing;

namespace {

Lines orphans(const Checked& files) { return files.said("orphans", kLenient, ""); }

}  // namespace

TEST_CASE("orphans: files at depths where nothing looks") {
  const Checked files;
  files.files.write("definitions/e.json", "{}");
  files.files.write("workloads/op/sub/d.jsonl", "");
  files.files.write("solutions/op/d/s.json", "{}");
  files.files.write("traces/d.jsonl", "");
  files.files.write("traces/README.md", "");
  CHECK(orphans(files) == Lines{"warning: definitions/e.json was not checked, for its place is "
                                "definitions/<op_type>/<definition>.json; move it there",
                                "warning: workloads/op/sub/d.jsonl was not checked, for its place is "
                                "workloads/<op_type>/<definition>.jsonl; move it there",
                                "warning: solutions/op/d/s.json was not checked, for its place is "
                                "solutions/<author>/<op_type>/<definition>/<solution>.json; move it there",
                                "warning: traces/d.jsonl was not checked, for its place is "
                                "traces/<author>/<op_type>/<definition>.jsonl; move it there"});
}

TEST_CASE("orphans: files of definitions that are not there") {
  const Checked files;
  const std::string rest = " belongs to the definition 'e', which is not there; add or rename it";
  files.files.write("workloads/op/e.jsonl", record(workload_json("w")));
  files.write_solution("solutions/bob/op/e/s.json", "bob", "s");
  files.files.write("traces/bob/op/e.jsonl", "");
  CHECK(orphans(files) == Lines{"warning: workloads/op/e.jsonl" + rest,
                                "warning: solutions/bob/op/e/s.json" + rest,
                                "warning: traces/bob/op/e.jsonl" + rest});
}

TEST_CASE("orphans: blobs that no workload reads") {
  const Checked files;
  files.files.write("blob/workloads/op/d/a.safetensors", "");
  files.files.write("blob/workloads/op/d/b.safetensors", "");
  files.workloads(record(workload_json("w", blob_input("./blob/workloads/op/d/a.safetensors"))));
  CHECK(orphans(files) ==
        Lines{"warning: blob/workloads/op/d/b.safetensors is read by no workload; remove it or add "
              "its workload"});
  files.workloads("{}\n");
  CHECK(orphans(files) == Lines{});
}

TEST_CASE("orphans: a folder of blobs that cannot be listed is said") {
  const Checked files;
  const auto folder = files.files.write("blob/x/a.safetensors", "").parent_path();
  std::filesystem::permissions(folder, std::filesystem::perms::none);
  const bool listable = ::access(folder.c_str(), R_OK) == 0;  // by root
  const auto said = orphans(files);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
  if (listable) {
    WARN("skipped: root can list every folder");
    return;
  }
  CHECK(said == Lines{"warning: blob/x was not checked: Permission denied"});
}

TEST_CASE("orphans: folders behind links are not checked") {
  const Checked files;
  const fib::testing::TemporaryDataset elsewhere;
  elsewhere.write("lost.jsonl", "");
  for (const std::string parent : {"traces", "blob"}) {
    std::filesystem::create_directories(files.files.root() / parent);
    std::filesystem::create_directory_symlink(elsewhere.root(), files.files.root() / parent / "link");
  }
  const std::string why = "/link was not checked: it is a link to a folder; put the folder itself there";
  CHECK(orphans(files) == Lines{"warning: traces" + why, "warning: blob" + why});
}

TEST_CASE("orphans: problems of SOL-ExecBench are no dataset yet") {
  const fib::testing::TemporaryDataset files;
  files.write("L1/p/definition.json", definition_json().dump());
  const auto report = fib::validate::validate(files.root(), {});
  CHECK(to_json(report).find("to make a dataset of these problems of SOL-ExecBench: --fix NEW") !=
        std::string::npos);
}

TEST_CASE("file names that are no UTF-8 do not break the JSON and JUnit reports") {
  const Checked files;
  files.files.write("traces/\xff.jsonl", "");
  const auto report = fib::validate::validate(files.files.root(), {});
  CHECK(Json::parse(to_json(report)).dump().find("traces/\xef\xbf\xbd.jsonl was not checked") !=
        std::string::npos);
  CHECK(to_junit(report, false).find('\xff') == std::string::npos);
}

TEST_CASE("orphans: a folder that is no dataset") {
  const Checked files;
  std::filesystem::remove_all(files.files.root() / "definitions");
  const Lines said = orphans(files);
  REQUIRE(said.size() == 1);
  CHECK_THAT(said[0],
             Catch::Contains("holds no definitions/<op_type>/<definition>.json; name the root of a dataset"));
}
