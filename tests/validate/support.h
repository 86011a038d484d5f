#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dataset/temporary_dataset.h"
#include "tensor/safetensors.h"
#include "validate/validate.h"

namespace fib::testing {

using Json = nlohmann::ordered_json;
using Lines = std::vector<std::string>;

// The definition "d": B[M, N] = A[M, N] * s, N = 4, complete.
inline Json definition_json(const std::string& name = "d") {
  const Json matrix = {{"shape", {"M", "N"}}, {"dtype", "float32"}, {"description", "t"}};
  return {
      {"name", name},
      {"op_type", "op"},
      {"axes",
       {{"M", {{"type", "var"}, {"description", "m"}}},
        {"N", {{"type", "const"}, {"value", 4}, {"description", "n"}}}}},
      {"inputs", {{"A", matrix}, {"s", {{"shape", nullptr}, {"dtype", "float32"}, {"description", "s"}}}}},
      {"outputs", {{"B", matrix}}},
      {"reference", "def run(A, s):\n    return A * s\n"},
      {"description", "d"}};
}

inline Json random_input() { return {{"type", "random"}}; }
inline Json blob_input(const std::string& path, const std::string& key = "A") {
  return {{"type", "safetensors"}, {"path", path}, {"tensor_key", key}};
}

// A workload of "d" with M = 2.
inline Json workload_json(const std::string& uuid, const Json& a = random_input()) {
  return {{"axes", {{"M", 2}}},
          {"inputs", {{"A", a}, {"s", {{"type", "scalar"}, {"value", 0.5}}}}},
          {"uuid", uuid}};
}

inline std::string record(const Json& workload, const Json& solution = nullptr,
                          const Json& evaluation = nullptr, const std::string& definition = "d") {
  return Json{{"definition", definition},
              {"workload", workload},
              {"solution", solution},
              {"evaluation", evaluation}}
             .dump() +
         "\n";
}

inline Json passed() {
  return {{"status", "PASSED"},
          {"environment", {{"hardware", "h"}}},
          {"timestamp", "t"},
          {"correctness", Json::object()},
          {"performance", {{"latency_ms", 1}, {"reference_latency_ms", 1}, {"speedup_factor", 1}}}};
}
inline Json timed_out() {
  return {{"status", "TIMEOUT"}, {"environment", {{"hardware", "h"}}}, {"timestamp", "t"}};
}

// A dataset with the definition "d" at its place.
struct Checked {
  TemporaryDataset files;

  explicit Checked(const Json& definition = definition_json()) {
    files.write("definitions/op/d.json", definition.dump());
  }
  void workloads(const std::string& lines) const { files.write("workloads/op/d.jsonl", lines); }
  void solution(const std::string& author, const std::string& name, const std::string& language = "python",
                const std::string& file = "main.py") const {
    write_solution("solutions/" + author + "/op/d/" + name + ".json", author, name, language, file);
  }
  void write_solution(const std::string& path, const std::string& author, const std::string& name,
                      const std::string& language = "python", const std::string& file = "main.py",
                      const std::string& definition = "d") const {
    files.write(
        path, Json{{"name", name},
                   {"definition", definition},
                   {"author", author},
                   {"spec",
                    {{"language", language}, {"target_hardware", {"any"}}, {"entry_point", file + "::run"}}},
                   {"sources", {{{"path", file}, {"content", "x"}}}}}
                  .dump());
  }
  void traces(const std::string& author, const std::string& lines) const {
    files.write("traces/" + author + "/op/d.jsonl", lines);
  }
  // A safetensors file with the tensor "A".
  template <typename Element>
  void blob(const std::string& path, tensor::DType dtype, const tensor::Shape& shape,
            const std::vector<Element>& elements) const {
    std::filesystem::create_directories((files.root() / path).parent_path());
    tensor::write_safetensors(files.root() / path, {{"A", dtype, shape, elements.data()}});
  }

  [[nodiscard]] validate::Report report(validate::Options options = {}) const {
    return validate::validate(files.root(), options);
  }
  // What `check` says of the definition `name` ("": of the dataset): "error: text", one an entry.
  [[nodiscard]] Lines said(const std::string& check, model::Mode mode = model::Mode::lenient,
                           const std::string& name = "d") const {
    validate::Options options;
    options.mode = mode;
    const validate::Report all = report(options);
    std::vector<validate::CheckResult> checks = all.dataset;
    for (const auto& definition : all.definitions) {
      if (definition.name == name) checks = definition.checks;
    }
    for (const auto& result : checks) {
      if (result.name == check) return lines_of(result);
    }
    FAIL("no check " << check);
    return {};
  }

 private:
  static Lines lines_of(const validate::CheckResult& result) {
    if (!result.messages) return {"skipped"};
    Lines lines;
    for (const auto& message : *result.messages) {
      lines.push_back(std::string(name_of(message.level)) + ": " + message.text);
    }
    return lines;
  }
};

inline constexpr model::Mode kUpstream = model::Mode::upstream;
inline constexpr model::Mode kLenient = model::Mode::lenient;

}  // namespace fib::testing
