#include "visual/scene.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "dataset/known_names.h"
#include "dataset/named_runs.h"
#include "dataset/paths.h"
#include "dataset/runs.h"
#include "dataset/standing.h"
#include "dataset/trace_stream.h"
#include "report/baseline_results.h"
#include "report/hardware.h"
#include "roofline/bound.h"
#include "util/error.h"
#include "util/find.h"
#include "visual/size.h"

namespace fib::visual {
namespace {

// Whole records once: details for the charts, runs for the history.
void read_traces(const SceneOptions& options, Scene& scene, report::HistoryBuilder* history) {
  dataset::for_each_trace(scene.dataset, options.filter, scene.unreadable, [&](const model::Trace& trace) {
    if (!trace.solution || !trace.evaluation) return;
    scene.details.push_back(report::make_detail(trace, *scene.dataset.pool, report::KeepLogs::of_failures));
    if (history != nullptr) history->add(trace);
  });
  for (const report::Detail& detail : scene.details) scene.dataset.traces.push_back(detail.row);
}

void read_history(const std::string& root, const SceneOptions& options, Scene& scene) {
  std::vector<dataset::Problem> problems;
  auto records = dataset::read_runs(root, problems);
  report::HistoryBuilder builder(root, std::move(records), dataset::read_baselines(root, problems));
  for (const auto& problem : problems)
    scene.unreadable.push_back((std::filesystem::path(root) / dataset::to_string(problem)).string());
  read_traces(options, scene, &builder);
  scene.history = builder.finish();
}

// The solutions of the definition as the leaderboard has them.
std::vector<std::string> ranked_solutions(const report::HardwareSummary& summary,
                                          const std::string& definition) {
  std::vector<std::string> names;
  if (const report::Leaderboard* board = summary.leaderboard(definition)) {
    for (const report::Standing& standing : board->standings) names.push_back(standing.solution);
  }
  return names;
}

void sort_by_size(const model::Definition* definition, std::vector<const model::Workload*>& workloads) {
  const SizeAxis axis = size_axis(definition, workloads);
  if (axis.kind == SizeAxis::Kind::place) return;
  std::vector<std::pair<double, const model::Workload*>> sized;
  for (const model::Workload* workload : workloads)
    sized.emplace_back(size_of(axis, definition, *workload, 0), workload);
  std::stable_sort(sized.begin(), sized.end(),
                   [](const auto& left, const auto& right) { return left.first < right.first; });
  std::transform(sized.begin(), sized.end(), workloads.begin(), [](const auto& one) { return one.second; });
}

// `results` are those of one hardware, the latest of each solution and workload.
std::vector<DefinitionScene> definitions_of(const dataset::Dataset& dataset,
                                            const report::HardwareSummary& summary,
                                            const std::vector<const report::Detail*>& results) {
  std::map<std::string, DefinitionScene> scenes;
  std::map<std::string, std::map<std::string, const model::Workload*>> met;
  for (const report::Detail* detail : results) {
    const std::string& name = *detail->row.definition;
    DefinitionScene& scene = scenes[name];
    scene.name = name;
    scene.results.push_back(detail);
    if (met[name].emplace(detail->row.workload->uuid, detail->row.workload).second)
      scene.workloads.push_back(detail->row.workload);
  }
  std::vector<DefinitionScene> ordered;
  for (auto& [name, scene] : scenes) {
    sort_by_size(util::find_or_null(dataset.definitions, name), scene.workloads);
    scene.solutions = ranked_solutions(summary, name);
    ordered.push_back(std::move(scene));
  }
  return ordered;
}

const report::HardwareSol* sol_of(const report::SolReport& sol, const std::string& hardware) {
  for (const report::HardwareSol& one : sol.hardware) {
    if (one.hardware == hardware) return &one;
  }
  return nullptr;
}

HardwareScene hardware_scene(const Scene& scene, const dataset::Queries& queries, const std::string& name,
                             const std::vector<const report::Detail*>& latest,
                             const std::string& baseline_author) {
  const report::Selection selection{name, {}, {}, scene.standing == nullptr};
  HardwareScene result;
  result.name = name;
  result.summary =
      report::summarize(scene.dataset, queries, selection, baseline_author, scene.standing.get());
  result.problems =
      report::solve_problems(scene.dataset, selection, baseline_author, result.summary.authors.against);
  result.sol = sol_of(scene.sol, name);
  std::vector<const report::Detail*> own;
  std::copy_if(latest.begin(), latest.end(), std::back_inserter(own),
               [&](const report::Detail* detail) { return *detail->row.evaluation->hardware == name; });
  result.definitions = definitions_of(scene.dataset, result.summary, own);
  return result;
}

// The details of the results that stand; of equal ones the last.
std::vector<const report::Detail*> standing_of(const Scene& scene) {
  std::vector<const report::Detail*> standing;
  std::map<std::tuple<std::string, std::string, std::string, std::string>, std::size_t> places;
  for (const report::Detail& detail : scene.details) {
    const auto& row = detail.row;
    if (!scene.standing->holds(row)) continue;
    const auto [place, is_new] = places.emplace(
        std::tuple(*row.evaluation->hardware, *row.definition, *row.solution, row.workload->uuid),
        standing.size());
    if (is_new) {
      standing.push_back(&detail);
    } else {
      standing[place->second] = &detail;
    }
  }
  return standing;
}

void give_colours(Scene& scene) {
  std::map<std::string, std::vector<std::string>> solutions;
  std::set<std::pair<std::string, std::string>> known;
  const auto give = [&](const std::string& definition, const std::string& solution) {
    if (known.emplace(definition, solution).second) solutions[definition].push_back(solution);
  };
  for (const HardwareScene& hardware : scene.hardware) {
    for (const DefinitionScene& definition : hardware.definitions) {
      for (const std::string& solution : definition.solutions) give(definition.name, solution);
    }
  }
  for (const report::HistoryRun& run : scene.history.runs) {
    for (const auto& [key, standing] : run.traces.standings) give(standing.definition, standing.solution);
  }
  for (const auto& [definition, names] : solutions) scene.colours[definition] = colours_for(names);
}

}  // namespace

ResultTable DefinitionScene::by_solution() const {
  ResultTable table;
  for (const report::Detail* detail : results)
    table[*detail->row.solution][detail->row.workload->uuid] = detail;
  return table;
}

void read_scene(const std::string& root, const SceneOptions& asked_for, Scene& scene) {
  dataset::expect_dataset_folder(root);
  scene.dataset = dataset::load_without_results(root, scene.unreadable);
  SceneOptions options = asked_for;
  if (options.filter.run || !options.filter.excluded_runs.empty())
    dataset::name_runs(options.filter, root, dataset::read_results(scene.dataset));
  const dataset::KnownNames names(scene.dataset);
  names.check(options.filter);
  names.check_baseline_author(options.baseline_author);
  if (options.history == WithHistory::yes) {
    read_history(root, options, scene);
  } else {
    read_traces(options, scene, nullptr);
  }
  if (!options.every_trace) {
    scene.standing = std::make_shared<const dataset::StandingResults>(
        scene.dataset, dataset::read_results(scene.dataset), options.filter);
    report::count_standing(scene.history, scene.dataset.traces, *scene.standing);
    dataset::keep_standing(scene.dataset, *scene.standing);
    for (report::Detail& detail : scene.details) scene.standing->settle_reference(detail.row);
  }
  const auto baselines =
      report::baseline_results(scene.dataset, scene.dataset.traces, options.baseline_author);
  dataset::restrict_to(scene.dataset, options.filter);
  scene.missing_baseline =
      report::missing_baseline_text(scene.dataset, scene.dataset.traces, baselines, options.baseline_author);
  scene.sol = report::sol_report(scene.dataset, {.baseline_author = options.baseline_author});
  const dataset::Queries queries(scene.dataset);
  std::vector<const report::Detail*> latest = report::latest(scene.details);
  if (scene.standing) latest = standing_of(scene);
  const report::ShownHardware shown = report::shown_hardware(scene.dataset, {});
  scene.left_out = shown.left_out_text();
  for (const std::string& name : shown.names)
    scene.hardware.push_back(hardware_scene(scene, queries, name, latest, options.baseline_author));
  give_colours(scene);
}

}  // namespace fib::visual
