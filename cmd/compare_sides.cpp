#include "compare_sides.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <tuple>

#include "dataset/known_names.h"
#include "dataset/paths.h"
#include "dataset/present_records.h"
#include "dataset/trace_stream.h"
#include "filters.h"
#include "report/record_file.h"
#include "util/closest.h"
#include "util/error.h"

namespace fib::cmd {
namespace {

const std::pair<const char*, SideKind> kPrefixes[] = {{"dataset:", SideKind::dataset},
                                                      {"run:", SideKind::run},
                                                      {"author:", SideKind::author},
                                                      {"solution:", SideKind::solution}};

std::vector<dataset::TraceRow> rows_of(const std::vector<report::Detail>& details) {
  std::vector<dataset::TraceRow> rows;
  rows.reserve(details.size());
  for (const report::Detail& detail : details) rows.push_back(detail.row);
  return rows;
}

// Those of other sources than the dataset has now, and of workloads that it has not, though `before` has
// them, the dataset that it is compared with (null: there is none). A dataset without solutions, or without
// workloads, says nothing of them; workloads of sweeps are in none.
std::set<const report::Detail*> outdated_in(const dataset::Dataset& dataset, const dataset::Dataset* before,
                                            const std::vector<const report::Detail*>& results) {
  std::set<const report::Detail*> outdated;
  dataset::PresentRecords records(dataset);
  const auto before_records =
      before != nullptr ? std::optional<dataset::PresentRecords>(*before) : std::nullopt;
  for (const report::Detail* detail : results) {
    const bool is_of_other_source = !dataset.solutions.empty() && (!records.has_solution(detail->row) ||
                                                                   records.is_of_other_source(detail->row));
    const bool lacks_workload = !dataset.workloads.empty() && detail->sweep == nullptr &&
                                !records.has_workload(detail->row) &&
                                (!before_records || before_records->has_workload(detail->row));
    if (is_of_other_source || lacks_workload) outdated.insert(detail);
  }
  return outdated;
}

// Of a side that is a run, what is known of its results from other runs of the dataset, whose details `all`
// are.
void look_at_other_runs(const std::vector<report::Detail>& all, const std::string& run,
                        report::CompareSide& side) {
  const auto key_of = [](const report::Detail& detail) {
    return std::tuple(*detail.row.evaluation->hardware, *detail.row.definition, *detail.row.solution,
                      detail.row.workload->uuid);
  };
  const auto key_with_sweep = [&](const report::Detail& detail) {
    return std::pair(key_of(detail), detail.sweep != nullptr ? *detail.sweep : "");
  };
  std::set<decltype(key_of(all.front()))> others;
  std::set<decltype(key_with_sweep(all.front()))> passed_before;
  for (const report::Detail& detail : all) {
    if (detail.run_id == nullptr || *detail.run_id == run) continue;
    others.insert(key_of(detail));
    if (*detail.run_id < run && detail.row.passed()) passed_before.insert(key_with_sweep(detail));
  }
  for (const report::Detail* detail : side.results) {
    if (others.contains(key_of(*detail))) side.in_other_runs.insert(detail);
    if (!detail->row.passed() && passed_before.contains(key_with_sweep(*detail)))
      side.broken_since.insert(detail);
  }
}

}  // namespace

CompareInput::Loaded& CompareInput::load(const std::string& root) {
  const auto found = loaded_.find(root);
  if (found != loaded_.end()) return found->second;
  dataset::expect_dataset_folder(root);
  Loaded& loaded = loaded_[root];
  loaded.dataset = dataset::load_without_results(root, loaded.unreadable);
  loaded.details = report::read_details(loaded.dataset, {}, loaded.unreadable, report::KeepLogs::no);
  return loaded;
}

const std::string& CompareInput::local() {
  if (local_.empty()) local_ = dataset::default_dataset_path().string();
  return local_;
}

std::vector<std::string> CompareInput::unreadable() const {
  std::vector<std::string> all;
  for (const auto& [root, loaded] : loaded_) {
    if (!loaded.sides.empty()) all.insert(all.end(), loaded.unreadable.begin(), loaded.unreadable.end());
    if (loaded.sides.contains(SideKind::run) || loaded.sides.contains(SideKind::dataset))
      all.insert(all.end(), loaded.unreadable_runs.begin(), loaded.unreadable_runs.end());
  }
  return all;
}

bool CompareInput::has_local() try {
  return std::filesystem::is_directory(local());
} catch (const Error&) {  // it is named neither by the command nor by the environment
  return false;
}

const dataset::NamedRuns& CompareInput::runs_of(const std::string& root) {
  Loaded& loaded = load(root);
  if (!loaded.runs) {
    std::vector<dataset::Problem> problems;
    loaded.runs = dataset::named_runs(root, rows_of(loaded.details), problems);
    for (const auto& problem : problems)
      loaded.unreadable_runs.push_back((std::filesystem::path(root) / dataset::to_string(problem)).string());
  }
  return *loaded.runs;
}

std::optional<std::string> CompareInput::find_run(const std::string& word) { return runs().find(word); }

bool CompareInput::has_author(const std::string& name) {
  const auto& solutions = load(local()).dataset.solutions;
  return std::any_of(solutions.begin(), solutions.end(),
                     [&](const auto& entry) { return entry.second.author == name; });
}

std::vector<std::string> CompareInput::known_names() {
  std::set<std::string> names;
  for (const auto& [name, run] : runs().baselines) names.insert(name);
  for (const auto& [name, solution] : load(local()).dataset.solutions) names.insert({name, solution.author});
  return {names.begin(), names.end()};
}

SideName CompareInput::resolve(const std::string& word) {
  std::optional<SideKind> kind;
  std::string name = word;
  for (const auto& [prefix, meant] : kPrefixes) {
    if (!word.starts_with(prefix)) continue;
    kind = meant;
    name = word.substr(std::string(prefix).size());
  }
  if (name.empty()) throw Error("\"{}\" names nothing to compare", word);
  const auto may_be = [&](SideKind meant) { return !kind || *kind == meant; };
  std::vector<SideName> found;
  const bool is_path = name.find('/') != std::string::npos || name.starts_with('.');
  if (may_be(SideKind::dataset) && std::filesystem::is_directory(name)) {
    found.push_back({SideKind::dataset, name});
    if (is_path) return found.front();
  }
  if (is_path && std::filesystem::exists(name)) dataset::expect_dataset_folder(name);
  if (found.empty() && !std::filesystem::is_directory(local()))
    throw Error(
        "\"{}\" is no dataset folder, and there is no dataset {} in which it could be a run, author or "
        "solution",
        word, local());
  if (found.empty() || has_local()) {
    const auto run = may_be(SideKind::run) ? find_run(name) : std::nullopt;
    if (run) found.push_back({SideKind::run, *run});
    if (may_be(SideKind::author) && has_author(name)) found.push_back({SideKind::author, name});
    if (may_be(SideKind::solution) && load(local()).dataset.solutions.contains(name))
      found.push_back({SideKind::solution, name});
  }
  if (found.size() == 1) return found.front();
  if (found.empty())
    throw Error("\"{}\" is no dataset folder, and no run, baseline, author or solution of {}{}", word,
                local(), util::did_you_mean(name, known_names()));
  throw Error("\"{}\" is more than one thing; write run:{}, author:{}, solution:{} or dataset:{}", word, name,
              name, name, name);
}

void CompareInput::check_filter(const std::vector<SideName>& sides) {
  if (filter_.is_empty()) return;
  dataset::KnownNames names;
  std::set<const Loaded*> added;
  for (const SideName& side : sides) {
    const Loaded& loaded = load(side);
    if (!added.insert(&loaded).second) continue;
    names.add(loaded.dataset);
    names.add(rows_of(loaded.details));
  }
  names.check(filter_);
}

report::CompareSide CompareInput::side(const SideName& side, const SideName* with) {
  static constexpr const char* kWords[] = {"dataset", "run", "author", "solution"};
  const std::string label = std::string(kWords[static_cast<int>(side.kind)]) + " " + side.name;
  Loaded& loaded = load(side);
  if (loaded.sides.empty()) {
    loaded.filter = filter_;
    if (!filter_.excluded_runs.empty())
      dataset::name_runs(loaded.filter, loaded.dataset.root, rows_of(loaded.details));
  }
  loaded.sides.insert(side.kind);
  const auto holds = [&](const report::Detail& detail) {
    if (side.kind == SideKind::dataset) return true;
    if (side.kind == SideKind::run) return detail.run_id != nullptr && *detail.run_id == side.name;
    if (side.kind == SideKind::solution) return *detail.row.solution == side.name;
    const auto found = loaded.dataset.solutions.find(*detail.row.solution);
    return found != loaded.dataset.solutions.end() && found->second.author == side.name;
  };
  auto& chosen = chosen_[label];
  if (chosen.empty()) {
    std::copy_if(loaded.details.begin(), loaded.details.end(), std::back_inserter(chosen), holds);
  }
  if (chosen.empty() && side.kind == SideKind::run)
    throw Error("run {} has no traces in {}: nothing was evaluated in it", side.name, local());
  // The latest first, then the filter: an older result is not what became of it.
  std::vector<const report::Detail*> results;
  for (const report::Detail* detail : report::latest(chosen, report::SweepPoints::apart)) {
    if (loaded.filter.holds_trace(loaded.dataset, detail->row)) results.push_back(detail);
  }
  report::CompareSide result{label, results};
  if (side.kind == SideKind::run) {
    result.rest = report::rest_of_run(local(), side.name);
    look_at_other_runs(loaded.details, side.name, result);
  }
  if (side.kind == SideKind::dataset) {
    const bool has_before = with != nullptr && with->kind == SideKind::dataset;
    const dataset::Dataset* before = has_before ? &load(*with).dataset : nullptr;
    result.outdated = outdated_in(loaded.dataset, before, results);
    (void)runs_of(side.name);  // for the lines of its records that cannot be read
    std::set<std::string> hardware;
    for (const report::Detail* detail : results) hardware.insert(*detail->row.evaluation->hardware);
    result.rest = report::rest_of_last_runs(side.name, hardware, loaded.filter.excluded_runs);
  }
  return result;
}

std::map<std::string, std::string> CompareInput::record_files(const SideName& name) {
  const dataset::Dataset& dataset = load(name).dataset;
  const auto here = std::filesystem::current_path();
  std::map<std::string, std::string> files;
  for (const auto& [solution, file] : dataset.solution_files)
    files[solution] = report::record_file(dataset, solution, here);
  return files;
}

}  // namespace fib::cmd
