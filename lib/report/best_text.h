#pragma once

#include <string>
#include <vector>

#include "present/document.h"
#include "report/best.h"
#include "report/remarks.h"

namespace fib::report {

struct HardwareBest {
  std::string hardware;
  std::vector<Best> best;
};

// What a row tells of: the winner of a definition, the lowest latency on a workload (both by the results that
// stand), or the trace with the highest speedup of all.
enum class BestForm { winners, lowest, fastest };

struct DatasetBest {
  std::string path;
  BestForm form = BestForm::winners;  // the same for all datasets of a report
  bool has_traces = true;
  Remarks remarks;
  std::vector<HardwareBest> hardware;  // by name
  std::vector<std::string> untried;    // definitions in question without any trace
};

// The whole report. Pure; reads the datasets' traces.
[[nodiscard]] std::string render_best(const std::vector<DatasetBest>& datasets, present::Format format,
                                      const present::TextStyle& style);

}  // namespace fib::report
