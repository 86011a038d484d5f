#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/filter.h"
#include "dataset/load.h"

// A dataset's records in other forms. All functions but export_ci() read traces one file at a time: memory
// does not grow with their number. Throw Error when writing fails, and when `interrupted` becomes true.
namespace fib::exports {

// Forms that are one stream of text.
enum class TextForm {
  jsonl,  // the format's own lines, as `fib merge` writes them
  json,   // an array of the same objects
  csv,    // a flat row a trace, columns as row.h says
  md,     // the same as a table
};

// `dataset` is loaded with KeepResults::no. `write` gets the text in pieces. Returns the number of traces;
// lines that cannot be read go to `unreadable`.
std::size_t export_text(const dataset::Dataset& dataset, const dataset::Filter& filter, TextForm form,
                        std::vector<std::string>& unreadable,
                        const std::function<void(std::string_view)>& write,
                        const std::atomic<bool>* interrupted = nullptr);

// Forms for CI, see docs/ci.md; made of one result of each hardware, definition, solution and workload: the
// one that stands where the filter has a choice, else the latest.
enum class CiForm {
  github,            // workflow commands of GitHub Actions
  junit,             // JUnit's XML
  job_summary,       // Markdown for $GITHUB_STEP_SUMMARY
  action_benchmark,  // JSON of benchmark-action/github-action-benchmark
  bencher,           // Bencher Metric Format
};

// As export_text(); returns the number of results that the form tells of. Keeps a row of each and the tail of
// its log.
std::size_t export_ci(const dataset::Dataset& dataset, const dataset::Filter& filter, CiForm form,
                      std::vector<std::string>& unreadable,
                      const std::function<void(std::string_view)>& write,
                      const std::atomic<bool>* interrupted = nullptr);

// Makes the SQLite database `file`, which must not exist; its schema is in docs/datasets.md.
std::size_t export_sqlite(const dataset::Dataset& dataset, const dataset::Filter& filter,
                          const std::string& file, std::vector<std::string>& unreadable,
                          const std::atomic<bool>* interrupted = nullptr);

}  // namespace fib::exports
