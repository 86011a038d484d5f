#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dataset/filter.h"
#include "dataset/named_runs.h"
#include "report/compare.h"

namespace fib::cmd {

enum class SideKind { dataset, run, author, solution };

// What a side of a comparison names.
struct SideName {
  SideKind kind = SideKind::dataset;
  std::string name;
};

// The datasets that a comparison reads, each once, with the results that pass the filter.
class CompareInput {
 public:
  // The filter holds for what is compared; runs are found without it. `local` is the dataset in which runs,
  // authors and solutions are looked up; empty: the default one.
  CompareInput(std::string local, dataset::Filter filter)
      : local_(std::move(local)), filter_(std::move(filter)) {}

  // What `word` names: "run:ID", "author:NAME", "solution:NAME" or "dataset:DIR"; without such a word a
  // folder, a run's id or its beginning, "last", "last~N" or a baseline, an author or a solution. Throws
  // Error when it is none of these or several.
  [[nodiscard]] SideName resolve(const std::string& word);

  // Throws Error where the filter names what none of these sides has, in its records or results
  // (dataset::KnownNames).
  void check_filter(const std::vector<SideName>& sides);

  // The latest results of the side, which is compared with another one (null: it does not matter with which).
  // Points into this object.
  [[nodiscard]] report::CompareSide side(const SideName& name, const SideName* with = nullptr);

  // Where records of the side's solutions lie below the current folder (report::CompareSide::files). Throws
  // std::filesystem::filesystem_error where that is gone.
  [[nodiscard]] std::map<std::string, std::string> record_files(const SideName& name);

  // Lines that could not be read in the datasets of the sides so far.
  [[nodiscard]] std::vector<std::string> unreadable() const;

 private:
  struct Loaded {
    dataset::Dataset dataset;
    dataset::Filter filter;  // with the runs of this dataset named
    std::vector<report::Detail> details;
    std::optional<dataset::NamedRuns> runs;  // read where they are asked for
    std::vector<std::string> unreadable;     // of its lines
    std::vector<std::string> unreadable_runs;
    std::set<SideKind> sides;  // that are of it
  };

  Loaded& load(const std::string& root);
  Loaded& load(const SideName& name) { return load(name.kind == SideKind::dataset ? name.name : local()); }
  const std::string& local();
  // Whether there is a dataset of which a word may name a run, author or solution.
  bool has_local();
  const dataset::NamedRuns& runs_of(const std::string& root);
  const dataset::NamedRuns& runs() { return runs_of(local()); }
  std::optional<std::string> find_run(const std::string& word);
  bool has_author(const std::string& name);
  // Of baselines, authors and solutions.
  std::vector<std::string> known_names();

  std::string local_;
  dataset::Filter filter_;
  std::map<std::string, Loaded> loaded_;  // by root
  std::map<std::string, std::vector<report::Detail>> chosen_;
};

}  // namespace fib::cmd
