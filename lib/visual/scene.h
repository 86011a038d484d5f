#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dataset/load.h"
#include "dataset/queries.h"
#include "dataset/standing.h"
#include "report/details.h"
#include "report/history.h"
#include "report/problems.h"
#include "report/sol.h"
#include "report/summary.h"
#include "visual/colours.h"

// What is to be shown of a dataset: all numbers, no pictures.
namespace fib::visual {

using ResultTable = std::map<std::string, std::map<std::string, const report::Detail*>>;

// The results of one definition on one hardware: of each solution and workload the one that stands.
struct DefinitionScene {
  std::string name;
  std::vector<std::string> solutions;             // by place in the leaderboard
  std::vector<const model::Workload*> workloads;  // by size
  std::vector<const report::Detail*> results;     // in the order of the traces

  // By solution and workload uuid; what was not tried is not in it. Made anew by every call.
  [[nodiscard]] ResultTable by_solution() const;
};

struct HardwareScene {
  std::string name;
  report::HardwareSummary summary;
  report::ProblemResults problems;
  const report::HardwareSol* sol = nullptr;  // into Scene::sol; null: none
  std::vector<DefinitionScene> definitions;  // by name
};

// Everything points into the object itself: it cannot be copied or moved.
struct Scene {
  Scene() = default;
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  dataset::Dataset dataset;             // restricted to the filter; of its traces those that stand
  std::vector<report::Detail> details;  // of all traces that pass the filter
  std::shared_ptr<const dataset::StandingResults> standing;  // null: every trace counts
  report::SolReport sol;
  std::vector<HardwareScene> hardware;  // by name
  std::string left_out;                 // what to say of hardware that is not among it; empty: none
  std::string missing_baseline;         // what to say of baselines without results; empty: nothing
  // By definition. Most matter those that lead on the first hardware, then those of the other hardware, then
  // those that only the history knows.
  std::map<std::string, Colours> colours;
  report::DatasetHistory history;       // empty unless it was asked for
  std::vector<std::string> unreadable;  // what could not be read, a line each
};

enum class WithHistory { no, yes };

struct SceneOptions {
  dataset::Filter filter = {};
  bool every_trace = false;  // else only the traces that stand are results
  std::string baseline_author = dataset::kUsualBaselineAuthor;
  WithHistory history = WithHistory::yes;
};

// Reads the dataset below `root` into `scene`, which must be empty. Throws Error when it is no folder, a file
// cannot be read, or the filter names what is not there.
void read_scene(const std::string& root, const SceneOptions& options, Scene& scene);

}  // namespace fib::visual
