#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dataset/load.h"
#include "dataset/merge.h"

// The parts of a merge that fit into memory: definitions, solutions, workloads, and where their blobs are.
namespace fib::dataset {

// A file that workloads name.
struct BlobSource {
  std::filesystem::path file;  // absolute
  std::string place;           // relative to the output; never outside of it
  std::string sha256;
};

// What one input calls its solutions and workloads, and what the output calls them. Nothing: left out.
struct InputNames {
  std::map<std::string, std::string> authors;                   // solution -> author
  std::map<std::string, std::optional<std::string>> solutions;  // only those that change
  std::map<std::pair<std::string, std::string>, std::optional<std::string>> workloads;  // (definition, uuid)
};

struct Catalog {
  Dataset merged;                           // definitions, solutions, and workloads in the output's order
  std::map<std::string, BlobSource> blobs;  // by path relative to the output
  std::vector<InputNames> inputs;

  [[nodiscard]] std::string op_type_of(const std::string& definition) const;  // "unknown" for unknown ones
};

// Reads all inputs, one after the other, without traces, and settles conflicts; counts into `report`.
// Problems of severity error go to report.unreadable. Throws Error for conflicts that stay.
[[nodiscard]] Catalog make_catalog(const std::vector<std::filesystem::path>& inputs,
                                   const MergeOptions& options, MergeReport& report);

}  // namespace fib::dataset
