#pragma once

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/golden.h"
#include "cli/run_fib.h"
#include "report/runs_dataset.h"

namespace fib::testing {

// The datasets "runs", "sample", "empty" and "failures" below one folder, so that the paths in the output are
// always the same.
class ReportDatasets {
 public:
  ReportDatasets() {
    write_sample(sample_);
    write_runs(runs_);
    std::filesystem::rename(sample_.root(), folder() / "sample");
    std::filesystem::rename(runs_.root(), folder() / "runs");
    write("empty/definitions/d.json", definition_text("d"));
    write_failures();
  }
  [[nodiscard]] std::filesystem::path folder() const { return files_.root(); }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    return files_.write(name, text);
  }

  // The records of the two runs of "runs", as if both had come to their end, but for what the second has not
  // done.
  void record_runs(int not_done = 0) const {
    write("runs/runs/runs.jsonl",
          fmt::format("{{\"run_id\":\"{}\"}}\n{{\"run_id\":\"{}\",\"not_done\":{}}}\n", kRun1, kRun2,
                      not_done));
  }

  // Runs `fib report <words>`, which must do its work without a word on stderr.
  void check(std::vector<std::string> words, const std::string& golden) const {
    words.insert(words.begin(), "report");
    check_run(words, golden);
  }

  // The same for any command and exit code.
  void check_run(const std::vector<std::string>& words, const std::string& golden, int exit_code = 0) const {
    const CommandOutput output = run_fib(words, folder());
    CHECK(output.err == "");
    CHECK(output.exit_code == exit_code);
    check_golden(golden, output.out);
  }

  // What `fib report <words>` says when it cannot; "exit code: stderr".
  [[nodiscard]] std::string failure(std::vector<std::string> words) const {
    words.insert(words.begin(), "report");
    const CommandOutput output = run_fib(words, folder());
    CHECK(output.out == "");
    return std::to_string(output.exit_code) + ": " + output.err;
  }

 private:
  void write_failures() const {
    write("failures/definitions/op/d.json", definition_text("d"));
    write("failures/solutions/alice/s.json", solution_text("s", "alice", "cuda", "NVIDIA"));
    write("failures/workloads/d.jsonl", workload_line("w1", "d", 1) + "\n");
    const RunTrace trace{
        .run = kRun1, .definition = "d", .solution = "s", .status = "COMPILE_ERROR", .log = "no"};
    write("failures/traces/d.jsonl", trace.line());
  }

  TemporaryDataset files_;
  TemporaryDataset sample_;
  TemporaryDataset runs_;
};

}  // namespace fib::testing
