#pragma once

#include <string>

#include "dataset/temporary_dataset.h"

namespace fib::testing {

// A definition with all kinds of axes, a CUDA solution with hostile bytes in its source, one in Python, one
// that is not in the dataset; runs with records of fib, a long log of a failure, a repeated workload on two
// kinds of hardware.
struct ShowTrace {
  std::string solution;
  std::string uuid;
  std::string time;
  double latency = 0;  // 0: it failed
  std::string hardware = "NVIDIA H200";
  std::string log = {};
  int iterations = 50;

  [[nodiscard]] std::string line() const {
    std::string text =
        R"({"definition":"scale","workload":{"axes":{"rows":4},"inputs":{"x":{"type":"safetensors",)"
        R"("path":"blob/x.safetensors","tensor_key":"x"},"factor":{"type":"scalar","value":1.5}},"uuid":")" +
        uuid + R"("},"solution":")" + solution + R"(","evaluation":{"status":")" +
        (latency > 0 ? "PASSED" : "RUNTIME_ERROR") + R"(","environment":{"hardware":")" + hardware +
        R"(","libs":{"cuda":"13.0"}},"timestamp":")" + time + R"(","log":")" + log + "\"";
    if (latency > 0) {
      const std::string ms = std::to_string(latency);
      text +=
          R"(,"correctness":{"max_relative_error":0.25,"max_absolute_error":0.5,"extra":{"matched_ratio":1.0}})"
          R"(,"performance":{"latency_ms":)" +
          ms + R"(,"reference_latency_ms":3.0,"speedup_factor":1.5})";
    }
    text += R"(,"fib":{"schema":1,"run_id":"run-)" + time.substr(0, 10) + R"(","config":{"iterations":)" +
            std::to_string(iterations) + "}";
    if (latency > 0) text += R"(,"cv":0.0125,"clock":"events")";
    if (latency == 2)
      text +=
          R"(,"interval":{"low_ms":1.97,"high_ms":2.03,"calls_ms":0.01,"trials_ms":0.02,"processes_ms":0.0224})";
    return text + "}}}\n";
  }
};

inline constexpr const char* kFirstUuid = "33bf737d-3b37-4e38-be80-ea39b4b46ae6";
inline constexpr const char* kSecondUuid = "33bf9999-0000-4e38-be80-ea39b4b46ae6";
inline constexpr const char* kThirdUuid = "77777777-0000-4e38-be80-ea39b4b46ae6";

inline std::string long_log() {
  std::string log;
  for (int i = 1; i <= 30; ++i) log += "line " + std::to_string(i) + (i == 30 ? "" : "\\n");
  return log;
}

inline void write_show_sample(const TemporaryDataset& files, const std::string& folder = "") {
  files.write(
      folder + "definitions/scale.json",
      R"({"name":"scale","op_type":"elementwise","description":"Scales *rows*.","tags":["stage:test","fused"],)"
      R"("axes":{"rows":{"type":"var","description":"How many."},"width":{"type":"const","value":8},)"
      R"("half":{"type":"expr","expression":"width // 2"}},"constraints":["rows > 0","rows % 2 == 0"],)"
      R"("inputs":{"x":{"shape":["rows","width"],"dtype":"float16","description":"Values."},)"
      R"("factor":{"shape":null,"dtype":"float32"}},"outputs":{"y":{"shape":["rows","half"],"dtype":"float16"}},)"
      R"("reference":"import torch\n\n@torch.no_grad()\ndef run(x, factor):\n    # half of it\n    return x[:, :4] * factor\n"})");
  files.write(
      folder + "solutions/fast.json",
      R"({"name":"fast_scale","definition":"scale","author":"amy","description":"Two `rows` a block.",)"
      R"("spec":{"language":"cuda","target_hardware":["NVIDIA H200","cuda"],"entry_point":"k.cu::scale","dependencies":["cublas"],)"
      R"("binding":"tvm-ffi","compile_options":{"cuda_cflags":["-O3","--use_fast_math"]},"launch":{"grid":["rows"],"block":[32]}},)"
      R"("sources":[{"path":"k.cu","content":"#include \"k.h\"\n// ```\n__global__ void scale(float* x) {\n\tx[0] = 1.5f;  // \u001b[31mred\u0007\n}\n"},)"
      R"({"path":"k.h","content":"int n;\r\nint m;"},{"path":"notes.txt","content":"int n;\n"}]})");
  files.write(
      folder + "solutions/slow.json",
      R"({"name":"slow_scale","definition":"scale","author":"bob","spec":{"language":"python","target_hardware":["cpu"],)"
      R"("entry_point":"m.py::run","destination_passing_style":false},"sources":[{"path":"m.py","content":"def run(x, f):\n    return x\n"}]})");
  files.write(
      folder + "solutions/idle.json",
      R"({"name":"idle_scale","definition":"scale","author":"bob","spec":{"language":"cpp","target_hardware":["cpu"],)"
      R"("entry_point":"a.cpp::run"},"sources":[{"path":"a.cpp","content":"x"}]})");
  const auto workload = [](const std::string& uuid, const std::string& extra) {
    return R"({"definition":"scale","solution":null,"evaluation":null,"workload":{"axes":{"rows":4},"inputs":{"x":{"type":"safetensors",)"
           R"("path":"blob/x.safetensors","tensor_key":"x"},"factor":{"type":"scalar","value":1.5}},"uuid":")" +
           uuid + "\"" + extra + "}}\n";
  };
  files.write(folder + "workloads/scale.jsonl",
              workload(kFirstUuid,
                       R"(,"tolerance":{"max_atol":0.01,"max_rtol":0.05,"required_matched_ratio":0.99})") +
                  workload(kSecondUuid, ""));
  std::string traces;
  const auto add = [&](const ShowTrace& trace) { traces += trace.line(); };
  add({"fast_scale", kFirstUuid, "2026-03-02T00:00:00+00:00", 2, "NVIDIA H200", "second\\n\\u001b[2Jrun\\n"});
  add({"fast_scale", kFirstUuid, "2026-03-01T00:00:00+00:00", 2.5, "NVIDIA H200", "first", 10});
  add({"fast_scale", kFirstUuid, "2026-03-01T00:00:00+00:00", 7, "NVIDIA L4"});
  add({"fast_scale", kSecondUuid, "2026-03-01T00:00:00+00:00", 0, "NVIDIA H200", long_log()});
  add({"slow_scale", kFirstUuid, "2026-03-01T00:00:00+00:00", 0, "NVIDIA H200", "short"});
  add({"lost_scale", kFirstUuid, "2026-03-01T00:00:00+00:00", 1, "NVIDIA H200"});
  add({"lost_scale", kThirdUuid, "2026-03-01T00:00:00+00:00", 1, "NVIDIA H200"});
  files.write(folder + "traces/scale.jsonl", traces);
}

}  // namespace fib::testing
