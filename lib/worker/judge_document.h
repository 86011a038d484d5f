#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "eval/compare.h"
#include "eval/rule.h"
#include "model/definition.h"
#include "model/workload.h"

namespace fib::worker {

// What the judge is told about one workload; travels as a JSON document.
struct JudgeDocument {
  model::Definition definition;
  model::Workload workload;
  std::map<std::string, std::filesystem::path> blobs;  // input name -> its safetensors file, resolved
  std::vector<std::string> made;                       // inputs that are made (synthesis/inputs.h)
  std::string secret;                                  // of the run; every seed and poison comes from it
  eval::Tolerance tolerance;
  eval::Rule rule = eval::Rule::kDefault;
  std::uint64_t memory_budget_bytes = 0;  // for expected outputs of all workloads together

  [[nodiscard]] std::string to_json() const;
  [[nodiscard]] static JudgeDocument parse(std::string_view text);  // throws Error
};

}  // namespace fib::worker
