#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace fib::testing {

// A dataset on disk, made step by step by a test.
class DatasetBuilder {
 public:
  explicit DatasetBuilder(std::filesystem::path root) : root_(std::move(root)) {}

  // A definition "add" (c = a + b over float32[n]) with one random workload "w<n>" for each size.
  DatasetBuilder& add_definition(const std::vector<int>& sizes);
  // Any definition from its JSON, with workload lines.
  DatasetBuilder& definition(const std::string& op_type, const std::string& name, const std::string& json,
                             const std::vector<std::string>& workload_lines);
  // A C++ solution of `definition` from source text; `headers` are (path, content) pairs beside it.
  DatasetBuilder& solution(const std::string& name, const std::string& author, const std::string& source,
                           const std::string& definition = "add",
                           const std::vector<std::pair<std::string, std::string>>& headers = {});
  // A CUDA solution of "add" in kernel.cu::run; `spec` has what else its spec holds, "launch" for example.
  DatasetBuilder& cuda_solution(const std::string& name, const std::string& author, const std::string& source,
                                const nlohmann::ordered_json& spec);
  // A Python solution of `definition` in main.py::run for every device; `spec` has what else its spec holds.
  DatasetBuilder& python_solution(const std::string& name, const std::string& source,
                                  const nlohmann::ordered_json& spec = nlohmann::ordered_json::object(),
                                  const std::string& definition = "add");
  // A solution of "add" by TVM-FFI's convention in `file`::run for every device; `spec` has what else its
  // spec holds.
  DatasetBuilder& tvm_ffi_solution(const std::string& name, const std::string& source,
                                   const nlohmann::ordered_json& spec = nlohmann::ordered_json::object(),
                                   const std::string& file = "main.cpp");
  // A torch extension of `definition` in C++, for the CPU; `sources` begin with the one whose run is called.
  DatasetBuilder& torch_solution(const std::string& name,
                                 const std::vector<std::pair<std::string, std::string>>& sources,
                                 const nlohmann::ordered_json& spec = nlohmann::ordered_json::object(),
                                 const std::string& definition = "add");
  // A solution of any kind: its whole spec, and (path, content) of its sources.
  DatasetBuilder& any_solution(const std::string& name, const std::string& definition,
                               const nlohmann::ordered_json& spec,
                               const std::vector<std::pair<std::string, std::string>>& sources);
  [[nodiscard]] const std::filesystem::path& root() const { return root_; }

 private:
  // A solution's file; `more_spec` is what its spec has besides, or null.
  void write_solution(const std::string& name, const std::string& author, const std::string& definition,
                      nlohmann::ordered_json spec, const nlohmann::ordered_json& more_spec,
                      const std::vector<std::pair<std::string, std::string>>& sources) const;

  std::filesystem::path root_;
};

// One trace line of a dataset, as parsed by a plain JSON library: what another reader sees.
struct TraceLine {
  std::string solution;
  std::string workload;
  std::string status;
  std::string log;
  double latency_ms = 0;
  std::string text;  // the whole line
};

// All traces under <root>/traces, files by path.
std::vector<TraceLine> read_traces(const std::filesystem::path& root);

// The last of them of each solution.
std::map<std::string, TraceLine> traces_by_solution(const std::filesystem::path& root);

// The log without fib's remark on time that was added, which a busy machine may cause.
std::string printed_by(const TraceLine& trace);

}  // namespace fib::testing
