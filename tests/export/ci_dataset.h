#pragma once

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dataset/trace_stream.h"
#include "export/ci_results.h"
#include "export/export.h"
#include "report/runs_dataset.h"

namespace fib::testing {

// `log` as it stands in a record.
inline std::string in_json(const std::string& log) {
  const std::string quoted = nlohmann::json(log).dump();
  return quoted.substr(1, quoted.size() - 2);
}

// A failed trace of alice_slow on gemm_n128 with this log.
inline std::string failed_line(const std::string& log, const std::string& uuid = "f1", int m = 1) {
  return RunTrace{.run = kRun1,
                  .definition = "gemm_n128",
                  .solution = "alice_slow",
                  .uuid = uuid,
                  .m = m,
                  .status = "RUNTIME_ERROR",
                  .log = in_json(log)}
      .line();
}

// The trace of a solution that wrote to its inputs.
inline std::string changed_inputs(std::string line) {
  const std::string before = R"("config":)";
  return line.insert(line.find(before), R"("inputs_changed":3,)");
}

// The trace of a solution that was not tried, since others of its results had failed.
inline std::string skipped(std::string line) {
  const std::string before = R"("config":)";
  return line.insert(line.find(before), R"("failure":{"code":"crash","skipped_after":2},)");
}

// The dataset write_runs() with these traces only, and no workloads besides theirs.
inline void write_traces(const TemporaryDataset& files, const std::string& lines) {
  write_runs(files);
  files.write("workloads/gemm/gemm_n128.jsonl", "");
  files.write("traces/all.jsonl", lines);
}

// A dataset without results, and the latest of these.
struct CiInput {
  dataset::Dataset dataset;
  std::vector<exports::CiResult> results;

  explicit CiInput(const TemporaryDataset& files, const dataset::Filter& filter = {}) {
    std::vector<std::string> unreadable;
    dataset = dataset::load_without_results(files.root(), unreadable);
    results = exports::read_ci_results(dataset, filter, unreadable);
    CHECK(unreadable.empty());
  }
};

inline std::string ci_text(const TemporaryDataset& files, exports::CiForm form,
                           const dataset::Filter& filter = {}) {
  std::string all;
  std::vector<std::string> unreadable;
  const auto dataset = dataset::load_without_results(files.root(), unreadable);
  exports::export_ci(dataset, filter, form, unreadable, [&](std::string_view piece) { all += piece; });
  CHECK(unreadable.empty());
  return all;
}

// Everything that could end a cell, a command or an element.
inline constexpr const char* kHostileLog =
    "::error title=forged::not from fib\r\n\n\n</pre></details></td></table>\n# heading\n]]></failure>\n"
    "100% \x1b[31mred\x01 & <script>alert(1)</script>";

}  // namespace fib::testing
