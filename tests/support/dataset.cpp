#include "support/dataset.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "util/files.h"

namespace fib::testing {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

DatasetBuilder& DatasetBuilder::add_definition(const std::vector<int>& sizes) {
  const ordered_json tensor = {{"shape", {"n"}}, {"dtype", "float32"}};
  const ordered_json json = {{"name", "add"},
                             {"op_type", "test"},
                             {"axes", {{"n", {{"type", "var"}}}}},
                             {"inputs", {{"a", tensor}, {"b", tensor}}},
                             {"outputs", {{"c", tensor}}},
                             {"reference", "import torch\n\ndef run(a, b):\n    return a + b\n"}};
  std::vector<std::string> lines;
  for (const int size : sizes) {
    const ordered_json workload = {{"axes", {{"n", size}}},
                                   {"inputs", {{"a", {{"type", "random"}}}, {"b", {{"type", "random"}}}}},
                                   {"uuid", "w" + std::to_string(size)}};
    lines.push_back(ordered_json{
        {"definition", "add"}, {"workload", workload}, {"solution", nullptr}, {"evaluation", nullptr}}
                        .dump());
  }
  return definition("test", "add", json.dump(2), lines);
}

DatasetBuilder& DatasetBuilder::definition(const std::string& op_type, const std::string& name,
                                           const std::string& json,
                                           const std::vector<std::string>& workload_lines) {
  util::write_file_atomic(root_ / "definitions" / op_type / (name + ".json"), json);
  std::string text;
  for (const auto& line : workload_lines) text += line + "\n";
  util::write_file_atomic(root_ / "workloads" / op_type / (name + ".jsonl"), text);
  return *this;
}

DatasetBuilder& DatasetBuilder::solution(const std::string& name, const std::string& author,
                                         const std::string& source, const std::string& definition,
                                         const std::vector<std::pair<std::string, std::string>>& headers) {
  std::vector<std::pair<std::string, std::string>> sources = {{"kernel.cpp", source}};
  sources.insert(sources.end(), headers.begin(), headers.end());
  write_solution(name, author, definition,
                 {{"language", "cpp"}, {"target_hardware", {"cpu"}}, {"entry_point", "kernel.cpp::run"}},
                 nullptr, sources);
  return *this;
}

DatasetBuilder& DatasetBuilder::cuda_solution(const std::string& name, const std::string& author,
                                              const std::string& source, const ordered_json& more_spec) {
  write_solution(name, author, "add",
                 {{"language", "cuda"}, {"target_hardware", {"cuda"}}, {"entry_point", "kernel.cu::run"}},
                 more_spec, {{"kernel.cu", source}});
  return *this;
}

DatasetBuilder& DatasetBuilder::tvm_ffi_solution(const std::string& name, const std::string& source,
                                                 const ordered_json& more_spec, const std::string& file) {
  write_solution(name, "test", "add",
                 {{"language", "cpp"},
                  {"target_hardware", {"cpu", "cuda"}},
                  {"entry_point", file + "::run"},
                  {"binding", "tvm-ffi"}},
                 more_spec, {{file, source}});
  return *this;
}

DatasetBuilder& DatasetBuilder::torch_solution(
    const std::string& name, const std::vector<std::pair<std::string, std::string>>& sources,
    const ordered_json& more_spec, const std::string& definition) {
  write_solution(name, "test", definition,
                 {{"language", "cpp"},
                  {"target_hardware", {"cpu"}},
                  {"entry_point", sources.front().first + "::run"},
                  {"binding", "torch"}},
                 more_spec, sources);
  return *this;
}

DatasetBuilder& DatasetBuilder::python_solution(const std::string& name, const std::string& source,
                                                const ordered_json& more_spec,
                                                const std::string& definition) {
  write_solution(
      name, "test", definition,
      {{"language", "python"}, {"target_hardware", {"cpu", "cuda"}}, {"entry_point", "main.py::run"}},
      more_spec, {{"main.py", source}});
  return *this;
}

DatasetBuilder& DatasetBuilder::any_solution(
    const std::string& name, const std::string& definition, const ordered_json& spec,
    const std::vector<std::pair<std::string, std::string>>& sources) {
  write_solution(name, "test", definition, spec, nullptr, sources);
  return *this;
}

void DatasetBuilder::write_solution(const std::string& name, const std::string& author,
                                    const std::string& definition, ordered_json spec,
                                    const ordered_json& more_spec,
                                    const std::vector<std::pair<std::string, std::string>>& sources) const {
  if (!more_spec.is_null()) spec.update(more_spec);
  ordered_json files = ordered_json::array();
  for (const auto& [path, content] : sources) files.push_back({{"path", path}, {"content", content}});
  const ordered_json json = {
      {"name", name}, {"definition", definition}, {"author", author}, {"spec", spec}, {"sources", files}};
  util::write_file_atomic(root_ / "solutions" / author / "test" / definition / (name + ".json"),
                          json.dump(2));
}

std::string printed_by(const TraceLine& trace) {
  std::string text = trace.log;
  const auto mark = text.find("are added to the worker's claims");
  if (mark == std::string::npos) return text;
  const auto begin = text.rfind('\n', mark) + 1;  // npos + 1 is 0
  const auto end = text.find('\n', mark);
  return text.erase(begin, end == std::string::npos ? end : end + 1 - begin);
}

std::vector<TraceLine> read_traces(const fs::path& root) {
  std::vector<fs::path> files;
  if (fs::exists(root / "traces")) {
    for (const auto& entry : fs::recursive_directory_iterator(root / "traces")) {
      if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<TraceLine> traces;
  for (const auto& file : files) {
    std::istringstream stream(util::read_file(file));
    for (std::string line; std::getline(stream, line);) {
      const auto json = nlohmann::json::parse(line);
      const auto& evaluation = json.at("evaluation");
      TraceLine trace{json.at("solution"),
                      json.at("workload").at("uuid"),
                      evaluation.at("status"),
                      evaluation.at("log"),
                      0,
                      line};
      if (!evaluation.at("performance").is_null())
        trace.latency_ms = evaluation["performance"].at("latency_ms");
      traces.push_back(std::move(trace));
    }
  }
  return traces;
}

std::map<std::string, TraceLine> traces_by_solution(const fs::path& root) {
  std::map<std::string, TraceLine> by_solution;
  for (auto& trace : read_traces(root)) by_solution[trace.solution] = std::move(trace);
  return by_solution;
}

}  // namespace fib::testing
