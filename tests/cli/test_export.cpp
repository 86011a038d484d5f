#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/golden.h"
#include "cli/run_fib.h"
#include "report/sample_dataset.h"
#include "support/fib_run.h"
#include "support/process.h"
#include "support/tvm_ffi.h"

using namespace fib;
using testing::run_fib;
namespace fs = std::filesystem;

namespace {

// `fib export --local .` with these words, in a sample dataset.
testing::CommandOutput run_export(const testing::TemporaryDataset& files, std::vector<std::string> more) {
  more.insert(more.begin(), {"export", "--local", "."});
  return run_fib(more, files.root());
}

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("an export goes to stdout in every form of text") {
  const testing::TemporaryDataset files;
  testing::write_sample(files);
  for (const std::string format : {"jsonl", "json", "csv", "md"}) {
    const auto output = run_export(files, {"--format", format, "--authors", "alice"});
    CHECK(output.err == "");
    CHECK(output.exit_code == 0);
    testing::check_golden("export." + format, output.out);
  }
}

TEST_CASE("an export into a file replaces it whole, and says what it did on stderr") {
  const testing::TemporaryDataset files;
  testing::write_sample(files);
  files.write("out/a.csv", "old");
  const auto output = run_export(files, {"--format", "csv", "--authors", "alice", "--output", "out/a.csv"});
  CHECK(output.exit_code == 0);
  CHECK(output.out == "");
  CHECK(output.err == "6 traces exported to out/a.csv\n");
  testing::check_golden("export.csv", util::read_file(files.root() / "out/a.csv"));
  CHECK(entries(files.root() / "out") == 1);
}

TEST_CASE("a dataset's export is a dataset, and an SQLite file is one") {
  const testing::TemporaryDataset files;
  testing::write_sample(files);
  const auto part = run_export(files, {"--format", "dataset", "--authors", "alice", "--output", "part"});
  CHECK(part.err == "6 traces, 2 solutions, 6 workloads and 3 definitions exported to part\n");
  CHECK(part.exit_code == 0);
  const auto listed = run_fib({"list", "--local", "part"}, files.root());
  CHECK_THAT(listed.out,
             Catch::StartsWith("3 definitions, 2 solutions, 6 workloads, 6 traces, 6 results (6 passed)"));
  const auto again = run_export(files, {"--format", "dataset", "--output", "part"});
  CHECK(again.exit_code == 1);
  CHECK(again.err == "fib: part exists; name a new folder\n");
  CHECK(run_export(files, {"--format", "sqlite", "--output", "d.sqlite"}).exit_code == 0);
  CHECK(util::read_file(files.root() / "d.sqlite").starts_with("SQLite format 3"));
}

TEST_CASE("the rankings of an SQLite file are those of the summary") {
  const testing::TemporaryDataset files;
  testing::write_sample(files);
  REQUIRE(run_export(files, {"--format", "sqlite", "--output", "d.sqlite"}).exit_code == 0);
  const auto summary = nlohmann::json::parse(
      run_fib({"report", "summary", "--local", ".", "--format", "json"}, files.root()).out);
  std::string solutions;
  std::string authors;
  const auto shown = [](const nlohmann::json& value) { return value.is_null() ? "None" : value.dump(); };
  for (const auto& hardware : summary.at("datasets").at(0).at("hardware")) {
    for (const auto& one : hardware.at("solutions"))
      solutions += one.at("solution").get<std::string>() + " " + shown(one.at("rank")) + " " +
                   one.at("against").get<std::string>() + " " + shown(one.at("passed")) + "\n";
    for (const auto& one : hardware.at("authors"))
      authors += one.at("author").get<std::string>() + " " + shown(one.at("rank")) + " " +
                 hardware.at("against").get<std::string>() + "\n";
  }
  const auto queried = [&](const std::string& query) {
    const auto answer = testing::run_process(
        {"python3", "-c",
         "import sqlite3, sys\nfor row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(*row)",
         (files.root() / "d.sqlite").string(), query});
    CHECK(answer.err == "");
    return answer.out;
  };
  CHECK(!solutions.empty());
  CHECK(queried("select solution, rank, against, passed from solution_ranking order by rowid") == solutions);
  CHECK(queried("select author, rank, against from author_ranking order by rowid") == authors);
}

TEST_CASE("an export for FlashInfer's Trace Apply says what it chose, and what is faster and cannot go") {
  testing::FibRun run;
  run.dataset.add_definition({100});
  std::string slow = testing::kTvmFfiAdd;
  slow.insert(slow.rfind("return 0;"), "usleep(2000); ");
  run.dataset.tvm_ffi_solution("with_ffi", "#include <unistd.h>\n" + slow);
  run.dataset.solution("plain", "test",
                       "extern \"C\" void run(const float* a, const float* b, float* c, long n) {\n"
                       "  for (long i = 0; i < n; ++i) c[i] = a[i] + b[i];\n}\n");
  CHECK(run.run({"--device", "cpu", "--iterations", "5", "--num-trials", "2"}).exit_code == 0);
  const fs::path output = run.folder.path() / "out";
  const auto result = testing::run_process({testing::fib_binary(), "export", "--local", run.dataset.root(),
                                            "--format", "trace-apply", "--output", output},
                                           run.environment());
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::StartsWith("add: with_ffi by test, ") &&
                             Catch::Contains(" ms over 1 workload\n") &&
                             Catch::Contains("\n  faster, but not to be applied (") &&
                             Catch::Contains(" ms): plain: its function has C's convention; FlashInfer calls "
                                             "TVM-FFI's\n"));
  CHECK_THAT(result.err,
             Catch::Contains("warning: a definition has no tag fi_api:") &&
                 Catch::Contains("1 solution for ") &&
                 Catch::EndsWith("FLASHINFER_TRACE_APPLY_PATH=" + output.string() + " apply it\n"));
  CHECK(fs::exists(output / "solutions/test/test/add/with_ffi.json"));
  const auto nowhere = testing::run_process(
      {testing::fib_binary(), "export", "--local", run.dataset.root(), "--format", "trace-apply"},
      run.environment());
  CHECK(nowhere.exit_code == 2);
}

TEST_CASE("records that cannot be read stop an export into a file, which stays as it was") {
  const testing::TemporaryDataset files;
  testing::write_sample(files);
  files.write("traces/broken.jsonl",
              "{\"definition\":\"gemm_n128\",\"solution\":\"s\",\"evaluation\":{\"status\":1}}\n");
  files.write("out/a.csv", "old");
  const auto stopped = run_export(files, {"--format", "csv", "--output", "out/a.csv"});
  CHECK(stopped.exit_code == 1);
  CHECK_THAT(stopped.err, Catch::StartsWith("error: ./traces/broken.jsonl:1: workload: Field required"));
  CHECK_THAT(stopped.err,
             Catch::EndsWith("fib: a record of the dataset cannot be read; correct it, or leave it out "
                             "with --skip-unreadable\n"));
  CHECK(util::read_file(files.root() / "out/a.csv") == "old");
  CHECK(entries(files.root() / "out") == 1);
  const auto skipped = run_export(files, {"--format", "csv", "--output", "out/a.csv", "--skip-unreadable"});
  CHECK(skipped.exit_code == 0);
  CHECK(util::read_file(files.root() / "out/a.csv") != "old");
}

TEST_CASE("an export makes folders, and never replaces what is no file") {
  const testing::TemporaryDataset files;
  testing::write_sample(files);
  CHECK(run_export(files, {"--format", "csv", "--output", "new/folder/a.csv"}).exit_code == 0);
  CHECK(fs::is_regular_file(files.root() / "new/folder/a.csv"));
  REQUIRE(::mkfifo((files.root() / "pipe").c_str(), 0600) == 0);
  const auto pipe = run_export(files, {"--format", "csv", "--output", "pipe"});
  CHECK(pipe.exit_code == 1);
  CHECK(pipe.err == "fib: cannot write pipe: it is not a regular file\n");
  CHECK(fs::is_fifo(files.root() / "pipe"));
  CHECK(run_export(files, {"--format", "csv", "--output", "new"}).err ==
        "fib: cannot write new: it is not a regular file\n");
  // A link of the user's own is followed; one of the dataset may lead anywhere.
  const testing::TemporaryFolder own;
  util::write_file_atomic(own.path() / "real.csv", "old");
  fs::create_symlink("real.csv", own.path() / "link.csv");
  CHECK(run_export(files, {"--format", "csv", "--output", (own.path() / "link.csv").string()}).exit_code ==
        0);
  CHECK(fs::is_symlink(own.path() / "link.csv"));
  CHECK(util::read_file(own.path() / "real.csv") != "old");
  fs::create_symlink(own.path() / "real.csv", files.root() / "link.csv");
  for (const char* format : {"csv", "sqlite"}) {
    const auto refused = run_export(files, {"--format", format, "--output", "link.csv"});
    CHECK(refused.exit_code == 1);
    CHECK(refused.err == "fib: " + (files.root() / "link.csv").string() +
                             " is a link in the dataset's folder: remove it, or name another file\n");
  }
  fs::create_directory_symlink(own.path(), files.root() / "exports");
  CHECK(run_export(files, {"--format", "csv", "--output", "exports/real.csv"}).exit_code == 1);
}

TEST_CASE("a filter that nothing has is an error") {
  const testing::TemporaryDataset files;
  testing::write_sample(files);
  const auto none = run_export(files, {"--definitions", "gemm_*", "nosuch"});
  CHECK(none.exit_code == 1);
  CHECK(none.err ==
        "fib: no definition is called \"nosuch\"; to see what there is: fib list definitions --local .\n");
  const auto status = run_export(files, {"--status", "passed"});
  CHECK(status.exit_code == 2);
  CHECK_THAT(status.err, Catch::Contains("passed is no status; PASSED is one"));
}

TEST_CASE("wrong usage of export has exit code 2 and one sentence") {
  const testing::TemporaryDataset files;
  testing::write_sample(files);
  const auto no_file = run_export(files, {"--format", "sqlite"});
  CHECK(no_file.exit_code == 2);
  CHECK_THAT(no_file.err,
             Catch::StartsWith(
                 "--output: formats dataset, sqlite and trace-apply cannot go to stdout; name a file"));
  const auto no_time = run_export(files, {"--since", "yesterday"});
  CHECK(no_time.exit_code == 2);
  CHECK_THAT(no_time.err, Catch::StartsWith("--since: yesterday is no time; write 2026-03-17 or "));
  const auto nowhere = run_fib({"export", "--local", "nowhere"}, files.root());
  CHECK(nowhere.exit_code == 1);
  CHECK(nowhere.err ==
        "fib: there is no dataset folder nowhere; name one with --local DIR or with FIB_DATASET_PATH\n");
}
