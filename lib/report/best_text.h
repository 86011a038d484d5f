#pragma once

#include <string>
#include <vector>

#include "report/best.h"
#include "report/document.h"

namespace fib::report {

struct HardwareBest {
  std::string hardware;
  std::vector<Best> best;
};

struct DatasetBest {
  std::string path;
  bool has_traces = true;
  std::vector<HardwareBest> hardware;  // by name
  std::vector<std::string> untried;    // definitions in question without any trace
};

// The whole report. Pure; reads the datasets' traces.
[[nodiscard]] std::string render_best(const std::vector<DatasetBest>& datasets, Format format,
                                      const TextStyle& style);

}  // namespace fib::report
