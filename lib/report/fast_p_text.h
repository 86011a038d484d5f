#pragma once

#include <string>
#include <vector>

#include "present/document.h"
#include "report/problems.h"
#include "report/remarks.h"

namespace fib::report {

struct DatasetFastP {
  std::string path;
  Remarks remarks;
  std::vector<ProblemResults> hardware;  // by name
};

// The thresholds of the table where none are asked for.
[[nodiscard]] const std::vector<double>& usual_thresholds();

// Authors by fast_1, a column for each of the thresholds, which rise. JSON also holds the whole curves. Csv
// has a row for each author and threshold. Pure.
[[nodiscard]] std::string render_fast_p(const std::vector<DatasetFastP>& datasets,
                                        const std::vector<double>& thresholds, present::Format format,
                                        const present::TextStyle& style);

// The names of the authors by fast_1, then by name.
[[nodiscard]] std::vector<std::string> authors_by_fast_1(const ProblemResults& results);

}  // namespace fib::report
