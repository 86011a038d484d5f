#pragma once

#include <filesystem>
#include <vector>

#include "dataset/merge_catalog.h"

namespace fib::dataset {

// Writes the results of all inputs that pass the filter to traces/ below `output`: each once, under the names
// of the catalog, sorted by time and then by bytes. Works on as many output files at a time as there are
// cores, four at most, and holds these in memory; every input file is read twice, those with results of
// several output files once more for each. Lines that cannot be
// read go to report.unreadable. Throws Error when reading or writing fails.
void merge_traces(const std::vector<std::filesystem::path>& inputs, const Catalog& catalog,
                  const MergeOptions& options, const std::filesystem::path& output, MergeReport& report);

}  // namespace fib::dataset
