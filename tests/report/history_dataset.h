#pragma once

#include <string>

#include "dataset/temporary_dataset.h"

namespace fib::testing {

// A trace of "d" that a run made: PASSED when `latency_ms` is positive, else TIMEOUT. `fib` holds more
// members of evaluation.fib, each with a comma in front.
inline std::string run_trace(const std::string& run_id, const std::string& solution, double latency_ms,
                             const std::string& minute = "00", const std::string& fib = "",
                             const std::string& uuid = "w1") {
  const bool passed = latency_ms > 0;
  const std::string id = run_id.empty() ? "" : R"("run_id":")" + run_id + R"(",)";
  return R"({"definition":"d","workload":)" + workload_text(uuid) + R"(,"solution":")" + solution +
         R"(","evaluation":{"status":")" + (passed ? "PASSED" : "TIMEOUT") +
         R"(","environment":{"hardware":"NVIDIA H200"},"timestamp":"2026-03-19T10:)" + minute +
         R"(:30.000000+00:00")" +
         (passed ? R"(,"correctness":{},"performance":{"latency_ms":)" + std::to_string(latency_ms) + "}"
                 : "") +
         R"(,"fib":{)" + id + R"("started_utc":"2026-03-19T10:)" + minute + R"(:00.000000+00:00")" + fib +
         "}}}\n";
}

inline constexpr const char* kSweptRun = "20260317T141819.827915Z-41";
inline constexpr const char* kInterruptedRun = "20260318T090000.000001Z-42";
inline constexpr const char* kKilledRun = "20260319T100000.000002Z-43";

// Three runs: one swept, with failures; one interrupted, from before records told much; one killed. And a
// trace of another program.
inline void write_history(const TemporaryDataset& files) {
  files.write("definitions/op/d.json", definition_text("d"));
  for (const std::string name : {"fast", "slow"}) {
    files.write("solutions/alice/" + name + ".json", solution_text(name, "alice", "cuda", "cuda"));
  }
  files.write("workloads/d.jsonl", workload_line("w1") + "\n");
  const std::string common =
      R"("config":{"warmup_runs":10,"num_trials":3,"rtol":0.01,"atol":0.01,"required_matched_ratio":1.0,)"
      R"("timeout_s":300.0,"call_budget_s":2.0,"profile_baseline":true,"clock":"events","flush":"clean",)"
      R"("isolated":false,"strict_inputs":false,"reference":"auto")";
  files.write(
      "runs/runs.jsonl",
      std::string(R"({"run_id":")") + kInterruptedRun +
          R"(","version":"0.1.0","hardware":"AMD EPYC 9555 64-Core Processor","device":"cpu",)" + common +
          R"(,"iterations":50},"seed":"old secret","started_utc":"2026-03-18T09:00:00.000001+00:00",)"
          R"("ended_utc":"2026-03-18T11:03:10.000000+00:00","finished":7,"passed":7,"not_done":2,)"
          R"("interrupted":true})"
          "\n" +
          R"({"run_id":")" + kSweptRun +
          R"(","schema":2,"version":"0.1.0","hardware":"NVIDIA H200","device":"cuda","devices":["GPU-1"],)"
          R"("machine":{"host":"node7","cores":16},"cuda":{"driver":"580.65.06","cuda":"13.0","nvrtc":"13.0",)"
          R"("gpus":[{"name":"NVIDIA H200","uuid":"GPU-1"}]},"compilers":{"cxx":"c++ 12.2.0","nvcc":null},)"
          R"("command":["fib","run","--sweep","iterations=10,20"],)"
          R"("dataset_git":{"commit":"1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d","branch":"main"},)"
          R"("current_git":null,)" +
          common +
          R"(},"sweep":{"iterations":[10,20]},"seed":"the secret","seeded":false,)"
          R"("started_utc":"2026-03-17T14:18:19.827915+00:00","ended_utc":"2026-03-17T14:21:24.827915+00:00",)"
          R"("definitions":1,"solutions":2,"planned":4,"resumed":0,"finished":4,"passed":3,)"
          R"("failed":{"TIMEOUT":1},"not_done":0,"interrupted":false})"
          "\n");
  const auto swept = [](const std::string& iterations) {
    return R"(,"sweep":{"iterations":)" + iterations + "}";
  };
  files.write("traces/alice/op/d.jsonl",
              run_trace(kSweptRun, "fast", 0.5, "00", swept("10")) +
                  run_trace(kSweptRun, "slow", 2, "01", swept("10")) +
                  run_trace(kSweptRun, "fast", 0.25, "02", swept("20")) +
                  run_trace(kSweptRun, "slow", 0, "03", swept("20")) +
                  run_trace(kKilledRun, "fast", 0.5, "05", R"(,"config":{"iterations":50})") +
                  run_trace(kKilledRun, "fast", 2, "04", "", "w2") + run_trace(kKilledRun, "slow", 0, "06") +
                  run_trace("", "fast", 1));
}

}  // namespace fib::testing
