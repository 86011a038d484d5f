#pragma once

#include <string>

#include "dataset/merge.h"
#include "present/document.h"

namespace fib::report {

// What `fib merge` prints: counts of each kind of record, then conflicts, missing blobs and what could not be
// read. JSON: {"schema_version": 1, "report": "merge", "inputs": [...], "output": ..., "counts": [...], ...}.
// Csv is the counts.
[[nodiscard]] std::string render_merge(const dataset::MergeReport& report, present::Format format,
                                       const present::TextStyle& style);

}  // namespace fib::report
