#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "dataset/load.h"
#include "model/solution.h"
#include "support/dataset.h"
#include "util/files.h"

namespace fib::testing {

// One result in the making, of the definition "add" (c = a + b over float32[n]).
struct Result {
  std::string solution;
  int n = 8;
  double speedup = 2;           // 0: it failed
  std::string hardware = {};    // empty: this machine's CPU
  std::string source = "same";  // "same": the hash of the solution's source; "": none is recorded; or a hash
  double error = 0;             // absolute and relative
  double latency_ms = 0;        // 0: that of a reference of 1 ms
};

// A dataset with the definition "add" and solutions of it, whose results a test writes by hand.
class AppliedDataset {
 public:
  explicit AppliedDataset(std::filesystem::path root, const std::vector<int>& sizes = {8, 16});

  DatasetBuilder& builder() { return builder_; }
  // A C++ solution that writes a + b + `more`.
  AppliedDataset& adder(const std::string& name, const std::string& more);
  AppliedDataset& result(const Result& result);
  [[nodiscard]] dataset::Dataset load() const { return dataset::load(builder_.root()); }
  [[nodiscard]] std::filesystem::path root() const { return builder_.root(); }

 private:
  DatasetBuilder builder_;
  std::string lines_;
};

}  // namespace fib::testing
