#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "dataset/trace_stream.h"
#include "util/files.h"

namespace fib::testing {

// The results of a dataset, in the order of dataset::load().
inline std::vector<model::Trace> traces_of(const std::filesystem::path& root) {
  std::vector<model::Trace> traces;
  std::vector<std::string> unreadable;
  const auto catalog = dataset::load_without_results(root, unreadable);
  dataset::for_each_trace(catalog, {}, unreadable,
                          [&](const model::Trace& trace) { traces.push_back(trace); });
  return traces;
}

// A dataset in a folder that goes away with the object.
class TemporaryDataset {
 public:
  TemporaryDataset() : TemporaryDataset(std::filesystem::temp_directory_path()) {}
  explicit TemporaryDataset(const std::filesystem::path& parent) : folder_(parent, "fib-dataset-test-") {}

  [[nodiscard]] const std::filesystem::path& root() const { return folder_.path(); }

  // Writes a file below the root, with its folders.
  std::filesystem::path write(const std::string& name, const std::string& content) const {
    const std::filesystem::path path = root() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

 private:
  util::TemporaryFolder folder_;
};

inline std::string definition_text(const std::string& name, const std::string& op_type = "op") {
  return R"({"name":")" + name + R"(","op_type":")" + op_type +
         R"(","axes":{"M":{"type":"var"}},"inputs":{"A":{"shape":["M"],"dtype":"float32"}},)"
         R"("outputs":{"B":{"shape":["M"],"dtype":"float32"}},"reference":"def run(A):\n    return A\n"})";
}

inline std::string solution_text(const std::string& name, const std::string& author,
                                 const std::string& language, const std::string& hardware = "any",
                                 const std::string& definition = "d") {
  return R"({"name":")" + name + R"(","definition":")" + definition + R"(","author":")" + author +
         R"(","spec":{"language":")" + language + R"(","target_hardware":[")" + hardware +
         R"("],"entry_point":"a::run"},"sources":[{"path":"a","content":"x"}]})";
}

inline std::string workload_text(const std::string& uuid, int m = 2) {
  return R"({"axes":{"M":)" + std::to_string(m) + R"(},"inputs":{"A":{"type":"random"}},"uuid":")" + uuid +
         R"("})";
}

inline std::string workload_line(const std::string& uuid, const std::string& definition = "d", int m = 2) {
  return R"({"definition":")" + definition + R"(","workload":)" + workload_text(uuid, m) +
         R"(,"solution":null,"evaluation":null})";
}

// A PASSED trace, or a failed one when `latency` is not positive.
inline std::string trace_line(const std::string& solution, const std::string& uuid, double latency,
                              const std::string& hardware = "cpu", const std::string& extra = "") {
  const std::string head = R"({"definition":"d","workload":)" + workload_text(uuid) + R"(,"solution":")" +
                           solution + R"(","evaluation":{"environment":{"hardware":")" + hardware +
                           R"("},"timestamp":"t")" + extra;
  if (latency <= 0) return head + R"(,"status":"TIMEOUT"}})";
  return head + R"(,"status":"PASSED","correctness":{},"performance":{"latency_ms":)" +
         std::to_string(latency) + R"(,"speedup_factor":)" + std::to_string(1 / latency) + "}}}";
}

}  // namespace fib::testing
