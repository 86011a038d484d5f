#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/golden.h"
#include "cli/run_fib.h"
#include "report/sample_dataset.h"

namespace fib::testing {

// The datasets "sample" and "empty" below one folder, so that the paths in the output are always the same.
class ReportDatasets {
 public:
  ReportDatasets() {
    write_sample(sample_);
    std::filesystem::rename(sample_.root(), folder() / "sample");
    write("empty/definitions/d.json", definition_text("d"));
  }
  [[nodiscard]] std::filesystem::path folder() const { return files_.root(); }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    return files_.write(name, text);
  }

  // Runs `fib report <words>`, which must do its work without a word on stderr.
  void check(std::vector<std::string> words, const std::string& golden) const {
    words.insert(words.begin(), "report");
    const CommandOutput output = run_fib(words, folder());
    CHECK(output.err == "");
    CHECK(output.exit_code == 0);
    check_golden(golden, output.out);
  }

  // What it says when it cannot; "exit code: stderr".
  [[nodiscard]] std::string failure(std::vector<std::string> words) const {
    words.insert(words.begin(), "report");
    const CommandOutput output = run_fib(words, folder());
    CHECK(output.out == "");
    return std::to_string(output.exit_code) + ": " + output.err;
  }

 private:
  TemporaryDataset files_;
  TemporaryDataset sample_;
};

}  // namespace fib::testing
