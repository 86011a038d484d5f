#pragma once

#include <set>
#include <string>
#include <vector>

#include "validate/blobs.h"
#include "validate/report.h"
#include "validate/scan.h"

// The checks. Each says what it found about one definition and reads nothing but the tree and blobs.
namespace fib::validate {

// A definition with everything that is stored under its name. Refers to the tree.
struct Subject {
  Subject(const Tree& tree, const ScannedDefinition& definition);

  const Tree& tree;
  const ScannedDefinition& scanned;
  const model::Definition* definition;  // null: it does not parse
  const ScannedRecords* workloads;      // null: no file
  std::vector<const ScannedSolution*> solutions;
  std::vector<const ScannedRecords*> traces;  // sorted by author

  [[nodiscard]] const std::string& name() const { return scanned.name; }
  [[nodiscard]] std::set<std::string> workload_uuids() const;
};

// The format's own, with its texts.
[[nodiscard]] Messages check_layout(const Subject& subject, const Blobs& blobs);
[[nodiscard]] Messages check_definition(const Subject& subject);
[[nodiscard]] Messages check_workload(const Subject& subject, Blobs& blobs);
[[nodiscard]] Messages check_solution(const Subject& subject);
[[nodiscard]] Messages check_trace(const Subject& subject);
[[nodiscard]] Messages check_baseline(const Subject& subject);

// fib's. They say nothing about what the format's checks reject already.

// Names and uuids that occur twice: workload uuids, names of solutions and definitions anywhere in the
// dataset, files that hide each other.
[[nodiscard]] Messages check_duplicates(const Subject& subject);
// Files behind safetensors inputs: Git LFS pointers, dtypes, places outside of the dataset or other than
// written.
[[nodiscard]] Messages check_blobs(const Subject& subject, Blobs& blobs);
// The definition's constraints, on its constants, on each workload's axes and on what its blobs hold.
[[nodiscard]] Messages check_constraints(const Subject& subject, Blobs& blobs);
// Whether a solution's entry file can be of its language.
[[nodiscard]] Messages check_languages(const Subject& subject);
// Whether the reference's `run` takes the inputs, in order.
[[nodiscard]] Messages check_parameters(const Subject& subject);

// Of the dataset as a whole: files that nothing looks at, or that belong to no definition or workload.
[[nodiscard]] Messages check_orphans(const Tree& tree);
// Records of runs and of named baselines that cannot be read.
[[nodiscard]] Messages check_runs(const Tree& tree);

}  // namespace fib::validate
