#pragma once

#include <string>

#include "dataset/load.h"
#include "dataset/temporary_dataset.h"

namespace fib::testing {

inline constexpr const char* kCpu = "AMD EPYC 9555 64-Core Processor";
inline constexpr const char* kGpu = "NVIDIA H200";

// One trace in the making: PASSED unless `status` says otherwise.
struct SampleTrace {
  std::string definition;
  std::string solution;
  std::string uuid = "w1";
  int m = 1;
  double latency = 1;
  double speedup = 1;
  std::string hardware = kCpu;
  std::string status = "PASSED";
  std::string error = "0.001";

  [[nodiscard]] std::string line() const {
    std::string text = R"({"definition":")" + definition + R"(","workload":)" + workload_text(uuid, m) +
                       R"(,"solution":")" + solution + R"(","evaluation":{"status":")" + status +
                       R"(","environment":{"hardware":")" + hardware +
                       R"("},"timestamp":"2026-01-01T00:00:00+00:00")";
    if (status == "PASSED") {
      text += R"(,"correctness":{"max_absolute_error":)" + error + R"(,"max_relative_error":)" + error +
              R"(},"performance":{"latency_ms":)" + std::to_string(latency) + R"(,"reference_latency_ms":)" +
              std::to_string(latency * speedup) + R"(,"speedup_factor":)" + std::to_string(speedup) + "}";
    }
    return text + "}}\n";
  }
};

// Two kinds of hardware, a failure, a tie, a definition without traces; on the GPU there is no baseline for
// rmsnorm, and one reference was not timed.
inline void write_sample(const TemporaryDataset& files) {
  const std::string long_name = "rmsnorm_with_a_name_that_is_longer_than_a_terminal_likes_h4096";
  const std::string uuid = "1dbd40e4-715d-5c18-9120-74a10ed6482b";
  for (const char* name : {"gemm_n128", "gemm_untried"}) {
    files.write(std::string("definitions/gemm/") + name + ".json", definition_text(name, "gemm"));
  }
  files.write("definitions/norm/r.json", definition_text(long_name, "norm"));
  const auto solution = [&](const std::string& name, const std::string& author, const std::string& language,
                            const std::string& hardware, const std::string& definition) {
    files.write("solutions/" + author + "/" + name + ".json",
                solution_text(name, author, language, hardware, definition));
  };
  solution("base_gemm", "baseline", "cpp", "cpu", "gemm_n128");
  solution("base_gemm_gpu", "baseline", "cuda", "NVIDIA", "gemm_n128");
  solution("base_norm", "baseline", "cpp", "cpu", long_name);
  solution("alice_gemm", "alice", "triton", "any", "gemm_n128");
  solution("alice_norm_vectorised_in_two_passes", "alice", "python", "any", long_name);
  solution("bob_gemm", "bob", "cpp", "cpu", "gemm_n128");
  solution("bob_norm", "bob", "cpp", "cpu", long_name);
  solution("carol_norm", "carol", "cpp", "cpu", long_name);
  for (const char* definition : {"gemm_n128", "gemm_untried", long_name.c_str()}) {
    files.write("workloads/" + std::string(definition) + ".jsonl",
                workload_line("w1", definition, 1) + "\n" + workload_line(uuid, definition, 64) + "\n");
  }
  std::string traces;
  const auto add = [&](const SampleTrace& trace) { traces += trace.line(); };
  add({"gemm_n128", "base_gemm", "w1", 1, 8, 2});
  add({"gemm_n128", "base_gemm", uuid, 64, 16, 2});
  add({"gemm_n128", "alice_gemm", "w1", 1, 2, 8});
  add({"gemm_n128", "alice_gemm", uuid, 64, 4, 8, kCpu, "PASSED", "0.03125"});
  add({"gemm_n128", "bob_gemm", "w1", 1, 1, 16});
  add({.definition = "gemm_n128", .solution = "bob_gemm", .uuid = uuid, .m = 64, .status = "RUNTIME_ERROR"});
  add({long_name, "base_norm", "w1", 1, 0.3, 1.5});
  add({long_name, "alice_norm_vectorised_in_two_passes", "w1", 1, 0.2, 2.25});
  add({long_name, "bob_norm", "w1", 1, 0.2, 2.25});
  add({.definition = long_name, .solution = "carol_norm", .status = "COMPILE_ERROR"});
  add({"gemm_n128", "base_gemm_gpu", "w1", 1, 0.03, 2, kGpu});
  add({"gemm_n128", "alice_gemm", "w1", 1, 0.01, 6, kGpu});
  add({long_name, "alice_norm_vectorised_in_two_passes", "w1", 1, 0.0021, 0, kGpu});
  add({long_name, "alice_norm_vectorised_in_two_passes", uuid, 64, 0.0151, 3.5, kGpu});
  files.write("traces/all.jsonl", traces);
}

}  // namespace fib::testing
