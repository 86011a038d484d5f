#include "apply/results.h"

#include "device/cpu/hardware.h"

namespace fib::testing {

using nlohmann::ordered_json;

AppliedDataset::AppliedDataset(std::filesystem::path root, const std::vector<int>& sizes)
    : builder_(std::move(root)) {
  builder_.add_definition(sizes);
}

AppliedDataset& AppliedDataset::adder(const std::string& name, const std::string& more) {
  builder_.solution(
      name, "me",
      "#include <cstdint>\nextern \"C\" void run(const float* a, const float* b, float* c, int64_t n) {\n"
      "  for (int64_t i = 0; i < n; ++i) c[i] = a[i] + b[i] + " +
          more + ";\n}\n");
  return *this;
}

AppliedDataset& AppliedDataset::result(const Result& result) {
  ordered_json evaluation = {
      {"status", result.speedup > 0 ? "PASSED" : "RUNTIME_ERROR"},
      {"log", ""},
      {"environment", {{"hardware", result.hardware.empty() ? device::cpu::model_name() : result.hardware}}},
      {"timestamp", "2026-01-01T00:00:00+00:00"}};
  if (result.speedup > 0) {
    evaluation["correctness"] = {{"max_absolute_error", result.error}, {"max_relative_error", result.error}};
    evaluation["performance"] = {
        {"latency_ms", result.latency_ms > 0 ? result.latency_ms : 1 / result.speedup},
        {"reference_latency_ms", 1},
        {"speedup_factor", result.speedup}};
  }
  std::string hash = result.source;
  if (hash == "same") {
    const auto loaded = load();
    const auto solution = loaded.solutions.find(result.solution);
    hash = solution == loaded.solutions.end() ? "" : model::content_sha256(solution->second);
  }
  if (!hash.empty()) evaluation["fib"] = {{"run_id", "r1"}, {"solution_sha256", hash}};
  const ordered_json random = {{"type", "random"}};
  lines_ += ordered_json{{"definition", "add"},
                         {"workload",
                          {{"axes", {{"n", result.n}}},
                           {"inputs", {{"a", random}, {"b", random}}},
                           {"uuid", "w" + std::to_string(result.n)}}},
                         {"solution", result.solution},
                         {"evaluation", evaluation}}
                .dump() +
            "\n";
  util::write_file_atomic(builder_.root() / "traces" / "results.jsonl", lines_);
  return *this;
}

}  // namespace fib::testing
