#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dataset/filter.h"
#include "dataset/load.h"

// The winners of a dataset as FlashInfer's Trace Apply reads them (flashinfer/trace_apply/config.py and
// flashinfer/trace/solution.py of its package): a folder with one solution a definition, which FlashInfer
// runs in place of its own kernels.
namespace fib::exports {

// Why Trace Apply cannot run the solution, in words for a sentence that begins with its name; empty: it can.
// Its inputs go by name to Python and by position to functions of TVM-FFI; it knows no launch plans, no
// functions of C's convention, no torch extensions and no options for compilers. Pure.
[[nodiscard]] std::string why_not_applied(const model::Solution& solution,
                                          const model::Definition& definition);

// The solution in the words of FlashInfer's schema, destination_passing_style always said. To be called for
// solutions that can be applied. Pure.
[[nodiscard]] model::Solution applied_solution(const model::Solution& solution,
                                               const model::Definition& definition);

// FlashInfer's hash of such a solution: SHA-256 over its fields one after the other, 64 hex digits. Pure.
[[nodiscard]] std::string trace_apply_sha256(const model::Solution& applied);

// What was written and why.
struct TraceApplyReport {
  struct Refused {
    std::string solution;
    double latency_ms = 0;
    std::string reason;
  };
  struct Chosen {
    std::string definition;
    std::string solution;
    std::string author;
    double latency_ms = 0;          // geometric mean over the workloads
    std::size_t workloads = 0;      // with results
    std::size_t all_workloads = 0;  // of the definition in the dataset
    std::string sha256;             // trace_apply_sha256()
    std::vector<Refused> faster;    // those that cannot be applied, fastest first
  };
  std::string hardware;
  std::vector<Chosen> chosen;            // by definition
  std::vector<std::string> none;         // why definitions with results have no solution, a line a reason
  std::vector<std::string> without_api;  // of `chosen`: definitions without a tag fi_api:
};

// Of each definition with results the solution that passed all its workloads, is known and can be applied,
// and has the lowest geometric mean of latencies. `dataset` is what dataset::load_without_results() gives,
// and the filter has its choice of results; lines that cannot be read go to `unreadable`. Throws Error where
// results are of several kinds of hardware or nothing can be applied.
[[nodiscard]] TraceApplyReport choose_trace_apply(const dataset::Dataset& dataset,
                                                  const dataset::Filter& filter,
                                                  std::vector<std::string>& unreadable,
                                                  const std::atomic<bool>* interrupted = nullptr);

// Writes the folder `output`, which appears whole or not at all: definitions/ and solutions/ of what was
// chosen, and manifest.json, which tells it. Throws Error.
void write_trace_apply(const TraceApplyReport& report, const dataset::Dataset& dataset,
                       const std::filesystem::path& output);

}  // namespace fib::exports
