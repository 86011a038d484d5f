#include "visualize_chart.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <set>

#include "util/error.h"
#include "util/some_of.h"
#include "visual/charts.h"

namespace fib::cmd {
namespace {

using visual::DefinitionScene;
using visual::HardwareScene;
using visual::Scene;

constexpr std::size_t kNamed = 10;

[[noreturn]] void not_one(const std::string& what, const std::set<std::string>& names,
                          const std::string& option) {
  if (names.empty()) throw Error("the dataset has no traces to draw that pass the filters");
  throw Error("the chart is of one {}, and there are {}: {}; choose one with {}", what, names.size(),
              util::some_of(names, "", kNamed), option);
}

const HardwareScene& only_hardware(const Scene& scene) {
  if (scene.hardware.size() == 1) return scene.hardware.front();
  std::set<std::string> names;
  for (const HardwareScene& hardware : scene.hardware) names.insert(hardware.name);
  not_one("hardware", names, "--hardware");
}

const DefinitionScene& only_definition(const Scene& scene) {
  const HardwareScene& hardware = only_hardware(scene);
  if (hardware.definitions.size() == 1) return hardware.definitions.front();
  std::set<std::string> names;
  for (const DefinitionScene& definition : hardware.definitions) names.insert(definition.name);
  not_one("definition", names, "--definitions");
}

const report::Leaderboard& only_leaderboard(const Scene& scene) {
  const DefinitionScene& definition = only_definition(scene);
  const report::Leaderboard* board = scene.hardware.front().summary.leaderboard(definition.name);
  if (board != nullptr) return *board;
  throw Error("definition {} has no solutions to rank", definition.name);
}

chart::LineChart only_history(const Scene& scene) {
  const auto subjects = visual::subjects_of(scene.history);
  if (subjects.size() == 1)
    return visual::history_chart(subjects.begin()->first, subjects.begin()->second,
                                 visual::run_labels(scene.history));
  std::set<std::string> names;
  for (const auto& [subject, runs] : subjects) names.insert(subject.definition + " on " + subject.hardware);
  not_one("definition and hardware", names, "--definitions and --hardware");
}

// The last run with a sweep.
const report::HistoryRun& last_sweep(const Scene& scene) {
  const report::HistoryRun* last = nullptr;
  for (const report::HistoryRun& run : scene.history.runs) {
    if (!visual::swept_definitions(run).empty()) last = &run;
  }
  if (last == nullptr) throw Error("no run of the dataset swept anything; fib run --sweep does");
  return *last;
}

std::string only_swept(const report::HistoryRun& run) {
  const auto names = visual::swept_definitions(run);
  if (names.size() == 1) return names.front();
  not_one("definition", {names.begin(), names.end()}, "--definitions");
}

using Draw = std::function<std::string(const Scene&, const chart::SvgOptions&)>;

const std::map<std::string, Draw>& charts() {
  using Options = chart::SvgOptions;
  static const std::map<std::string, Draw> all{
      {"authors",
       [](const Scene& s, const Options& o) { return to_svg(visual::authors_chart(only_hardware(s)), o); }},
      {"fast-p", [](const Scene& s,
                    const Options& o) { return to_svg(visual::fast_p_chart(only_hardware(s).problems), o); }},
      {"speedups",
       [](const Scene& s, const Options& o) {
         return to_svg(visual::author_speedups_chart(only_hardware(s)), o);
       }},
      {"histogram", [](const Scene& s,
                       const Options& o) { return to_svg(visual::speedups_histogram(only_hardware(s)), o); }},
      {"roofline",
       [](const Scene& s, const Options& o) { return to_svg(visual::roofline_chart(only_hardware(s)), o); }},
      {"solutions", [](const Scene& s,
                       const Options& o) { return to_svg(visual::solutions_chart(only_leaderboard(s)), o); }},
      {"latency", [](const Scene& s,
                     const Options& o) { return to_svg(visual::latency_chart(s, only_definition(s)), o); }},
      {"solution-speedups",
       [](const Scene& s, const Options& o) {
         const visual::DefinitionScene& definition = only_definition(s);
         return to_svg(
             visual::solution_speedups_chart(definition, only_leaderboard(s), s.colours.at(definition.name)),
             o);
       }},
      {"status",
       [](const Scene& s, const Options& o) { return to_svg(visual::status_chart(only_definition(s)), o); }},
      {"history", [](const Scene& s, const Options& o) { return to_svg(only_history(s), o); }},
      {"sweep", [](const Scene& s, const Options& o) {
         const report::HistoryRun& run = last_sweep(s);
         return to_svg(visual::sweep_chart(run, only_swept(run)), o);
       }}};
  return all;
}

}  // namespace

std::vector<std::string> chart_names() {
  std::vector<std::string> names;
  for (const auto& [name, draw] : charts()) names.push_back(name);
  return names;
}

std::string draw_chart(const std::string& name, const visual::Scene& scene,
                       const chart::SvgOptions& options) {
  return charts().at(name)(scene, options);
}

}  // namespace fib::cmd
