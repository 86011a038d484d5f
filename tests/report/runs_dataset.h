#pragma once

#include <string>

#include "dataset/temporary_dataset.h"
#include "report/sample_dataset.h"

namespace fib::testing {

// One trace of a run of fib, with its record of the measurement. Latencies and quartiles in milliseconds.
struct RunTrace {
  std::string run;
  std::string definition;
  std::string solution;
  std::string uuid = "w1";
  int m = 1;
  double median = 1;
  double iqr = 0.004;  // over the median
  double speedup = 2;
  std::string status = "PASSED";
  std::string clock = "events";
  double sm_clock = 1980;
  std::string hardware = kGpu;
  std::string log = {};
  double interval = 0;  // share of the median; 0: not recorded

  // The 21 quantiles rise evenly, so that the quartiles are half the interquartile range from the median.
  [[nodiscard]] std::string quantiles() const {
    std::string text;
    for (int i = 0; i <= 20; ++i)
      text += (i > 0 ? "," : "") + std::to_string(median * (1 + iqr * (i - 10) / 10));
    return "[" + text + "]";
  }

  [[nodiscard]] std::string line() const {
    const bool passed = status == "PASSED";
    std::string text = R"({"definition":")" + definition + R"(","workload":)" + workload_text(uuid, m) +
                       R"(,"solution":")" + solution + R"(","evaluation":{"status":")" + status +
                       R"(","environment":{"hardware":")" + hardware +
                       R"(","libs":{"fib":"0.1.0"}},"timestamp":"2026-01-0)" + run.substr(7, 1) +
                       R"(T00:00:00+00:00","log":")" + log + R"(",)";
    if (passed) {
      text += R"("correctness":{"max_absolute_error":0.001,"max_relative_error":0.001},"performance":)";
      text += R"({"latency_ms":)" + std::to_string(median) + R"(,"reference_latency_ms":)" +
              std::to_string(median * speedup) + R"(,"speedup_factor":)" + std::to_string(speedup) + "},";
    }
    text += R"("fib":{"schema":1,"run_id":")" + run + R"(","config":{"iterations":50})";
    if (passed) {
      text += R"(,"quantiles_ms":)" + quantiles() + R"(,"n":150,"cv":0.01,"clock":")" + clock +
              R"(","sm_clock_median_mhz":)" + std::to_string(sm_clock) + R"(,"flush":"clean","sets":180)";
    }
    if (passed && interval > 0) {
      text += R"(,"interval":{"low_ms":)" + std::to_string(median * (1 - interval)) + R"(,"high_ms":)" +
              std::to_string(median * (1 + interval)) + "}";
    }
    return text + "}}}\n";
  }
};

inline constexpr const char* kRun1 = "20260101T000000.000001Z-10";
inline constexpr const char* kRun2 = "20260102T000000.000002Z-20";

// Two runs of two solutions of alice and one of bob: same, faster, slower, ambiguous, broken, fixed, failed,
// and one that only the second run has.
inline void write_runs(const TemporaryDataset& files) {
  files.write("definitions/gemm/gemm_n128.json", definition_text("gemm_n128", "gemm"));
  for (const char* name : {"alice_fast", "alice_slow"}) {
    files.write(std::string("solutions/alice/") + name + ".json",
                solution_text(name, "alice", "cuda", "NVIDIA", "gemm_n128"));
  }
  files.write("solutions/bob/bob_gemm.json", solution_text("bob_gemm", "bob", "cuda", "NVIDIA", "gemm_n128"));
  std::string traces;
  std::string workloads;
  const auto add = [&](const RunTrace& trace) { traces += trace.line(); };
  const char* names[] = {"w1", "w2", "w3", "w4"};
  const double second[] = {1.005, 0.9, 1.03, 1.02};  // of alice_fast in the second run
  for (int i = 0; i < 4; ++i) {
    workloads += workload_line(names[i], "gemm_n128", 1 << i) + "\n";
    add({.run = kRun1, .definition = "gemm_n128", .solution = "alice_fast", .uuid = names[i], .m = 1 << i});
    add({.run = kRun2,
         .definition = "gemm_n128",
         .solution = "alice_fast",
         .uuid = names[i],
         .m = 1 << i,
         .median = second[i],
         .iqr = i == 3 ? 0.015 : 0.004,
         .sm_clock = i == 2 ? 1755.0 : 1980.0});
  }
  const char* before[] = {"PASSED", "TIMEOUT", "RUNTIME_ERROR"};
  const char* after[] = {"RUNTIME_ERROR", "PASSED", "RUNTIME_ERROR"};
  for (int i = 0; i < 3; ++i) {
    add({.run = kRun1,
         .definition = "gemm_n128",
         .solution = "alice_slow",
         .uuid = names[i],
         .m = 1 << i,
         .median = 4,
         .status = before[i],
         .log = "illegal memory access"});
    add({.run = kRun2,
         .definition = "gemm_n128",
         .solution = "alice_slow",
         .uuid = names[i],
         .m = 1 << i,
         .median = 4,
         .status = after[i],
         .clock = "cupti-kernel",
         .log = "illegal memory access"});
  }
  add({.run = kRun2, .definition = "gemm_n128", .solution = "bob_gemm", .median = 2});
  files.write("workloads/gemm/gemm_n128.jsonl", workloads);
  files.write("traces/all.jsonl", traces);
}

}  // namespace fib::testing
