#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/golden.h"
#include "cli/run_fib.h"
#include "report/runs_dataset.h"

namespace fib::testing {

// The datasets "runs", "sample", "empty" and "failures" below one folder, so that the paths in the output are always the
// same.
class ReportDatasets {
 public:
  ReportDatasets() {
    write_sample(sample_);
    write_runs(runs_);
    std::filesystem::rename(sample_.root(), folder() / "sample");
    std::filesystem::rename(runs_.root(), folder() / "runs");
    files_.write("empty/definitions/d.json", definition_text("d"));
    write_failures();
  }
  [[nodiscard]] std::filesystem::path folder() const { return files_.root(); }

 private:
  void write_failures() const {
    files_.write("failures/definitions/op/d.json", definition_text("d"));
    files_.write("failures/solutions/alice/s.json", solution_text("s", "alice", "cuda", "NVIDIA"));
    files_.write("failures/workloads/d.jsonl", workload_line("w1") + "\n");
    files_.write("failures/traces/d.jsonl",
                 RunTrace{.run = kRun1, .definition = "d", .solution = "s", .status = "COMPILE_ERROR", .log = "no"}
                     .line());
  }

  TemporaryDataset files_;
  TemporaryDataset sample_;
  TemporaryDataset runs_;
};

// Runs fib in the datasets' folder: stderr must be empty, the exit code this one, stdout the golden file.
inline void check_golden_run(const ReportDatasets& datasets, const std::vector<std::string>& words,
                             const std::string& golden, int exit_code = 0) {
  const CommandOutput output = run_fib(words, datasets.folder());
  CHECK(output.err == "");
  CHECK(output.exit_code == exit_code);
  check_golden(golden, output.out);
}

}  // namespace fib::testing
