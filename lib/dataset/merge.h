#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "dataset/filter.h"
#include "dataset/load.h"

namespace fib::dataset {

// What happens to solutions of one name with different content, and to workloads of one uuid that differ
// (their blobs' content included). Definitions that differ are an error always: their traces cannot be
// compared.
enum class OnConflict : std::uint8_t {
  error,
  first,   // the first input's stays; traces of the others are left out
  last,    // the last input's
  rename,  // all stay: each gets the first 8 digits of its content's SHA-256 behind its name
};

struct MergeOptions {
  OnConflict on_conflict = OnConflict::error;
  bool link_blobs = false;       // hard links instead of copies, where the file system can
  bool skip_unreadable = false;  // go on without records that cannot be read
  bool repair = false;           // fill in names that paths say (path_names.h), write where blobs were found
  Filter filter;                 // what is taken of each input; workloads go with their definitions, runs all
  const std::atomic<bool>* interrupted = nullptr;  // asked between files: true ends the merge with an Error
};

struct MergeCount {
  std::size_t read = 0;        // in all inputs together
  std::size_t written = 0;     // in the output
  std::size_t duplicates = 0;  // read more than once
  std::size_t left_out = 0;    // by OnConflict::first and last
};

struct MergeReport {
  std::vector<std::filesystem::path> inputs;
  std::filesystem::path output;
  MergeCount definitions;
  MergeCount solutions;
  MergeCount workloads;
  MergeCount traces;
  MergeCount blobs;                        // files
  MergeCount runs;                         // lines of runs/runs.jsonl
  MergeCount baselines;                    // lines of runs/baselines.jsonl
  std::vector<std::string> repairs;        // under repair: what was filled in or moved, a sentence each
  std::vector<std::string> conflicts;      // what differed and what was done, a sentence each
  std::vector<std::string> missing_blobs;  // as workloads name them; only where no input has the file
  std::vector<std::string> unreadable;     // under skip_unreadable: file:line: why
};

// Writes the union of the datasets `inputs` to the new folder `output` (missing or empty), in the newest
// layout and the format's canonical bytes. The output does not depend on the order of the inputs, unless
// OnConflict says so; files are sorted by name, workloads by axes and uuid, traces by time (in UTC) and then
// by bytes. Memory: the largest output files, one for each core and four at most, and all definitions,
// solutions and workloads once. Everything is written to a temporary sibling first, which is renamed at the
// end. Throws Error for what OnConflict does not settle, for records that cannot be read, and when writing
// fails; `output` is then as it was.
MergeReport merge(const std::vector<std::filesystem::path>& inputs, const std::filesystem::path& output,
                  const MergeOptions& options);

}  // namespace fib::dataset
