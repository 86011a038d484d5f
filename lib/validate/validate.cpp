#include "validate/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "util/closest.h"
#include "util/error.h"
#include "util/shell_word.h"
#include "validate/checks.h"

namespace fib::validate {

Subject::Subject(const Tree& whole, const ScannedDefinition& entry)
    : tree(whole),
      scanned(entry),
      definition(entry.definition ? &*entry.definition : nullptr),
      workloads(nullptr) {
  if (const auto file = tree.workloads.find(name()); file != tree.workloads.end()) workloads = &file->second;
  if (const auto found = tree.solutions.find(name()); found != tree.solutions.end()) {
    for (const ScannedSolution& solution : found->second) solutions.push_back(&solution);
  }
  if (const auto found = tree.traces.find(name()); found != tree.traces.end()) {
    for (const auto& [author, file] : found->second) traces.push_back(&file);
  }
}

std::set<std::string> Subject::workload_uuids() const {
  std::set<std::string> uuids;
  if (workloads == nullptr) return uuids;
  for (const Record& record : workloads->records) uuids.insert(record.trace.workload.uuid);
  return uuids;
}

namespace {

constexpr std::string_view kBenchmark = "benchmark";
constexpr std::string_view kReference = "reference";
constexpr std::string_view kStrength = "workload-strength";
constexpr std::string_view kOrphans = "orphans";
constexpr std::string_view kRuns = "runs";
constexpr std::string_view kNotRunNote =
    "the benchmark check was skipped: it builds and runs the baselines; to have it done, name a --device";

struct Check {
  std::string_view name;
  std::function<Messages(const Subject&, Blobs&)> run;  // empty: what was run is looked at
};

// References run for it, so that it has to be asked for.
bool runs_code(std::string_view check) { return check == kReference || check == kStrength; }

template <typename Function>
auto without_blobs(Function function) {
  return [function](const Subject& subject, Blobs&) { return function(subject); };
}

const std::vector<Check>& official_checks() {
  static const std::vector<Check> checks = {{"layout", check_layout},
                                            {"definition", without_blobs(check_definition)},
                                            {"workload", check_workload},
                                            {"solution", without_blobs(check_solution)},
                                            {"trace", without_blobs(check_trace)},
                                            {"baseline", without_blobs(check_baseline)},
                                            {kBenchmark, {}}};
  return checks;
}

const std::vector<Check>& own_checks() {
  static const std::vector<Check> checks = {{"duplicates", without_blobs(check_duplicates)},
                                            {"blobs", check_blobs},
                                            {"constraints", check_constraints},
                                            {"languages", without_blobs(check_languages)},
                                            {"parameters", without_blobs(check_parameters)},
                                            {kReference, {}},
                                            {kStrength, {}}};
  return checks;
}

std::vector<Check> checks_of(model::Mode mode) {
  std::vector<Check> checks = official_checks();
  if (mode == model::Mode::lenient) checks.insert(checks.end(), own_checks().begin(), own_checks().end());
  return checks;
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_selected(const ScannedDefinition& definition, const Options& options) {
  if (options.op_types.empty() && options.definitions.empty()) return true;
  return contains(options.op_types, definition.op_type) || contains(options.definitions, definition.name);
}

// `; did you mean ...?`, or how to see all.
std::string hint(const Tree& tree, const std::string& name, const std::set<std::string>& names) {
  const auto alike = util::did_you_mean(name, {names.begin(), names.end()});
  return alike.empty() ? "; to see all: fib list definitions --local " + util::shell_word(tree.shown_root)
                       : alike;
}

void check_filters(const Tree& tree, const Options& options) {
  std::set<std::string> names;
  std::set<std::string> op_types;
  for (const auto& [name, definition] : tree.definitions) {
    names.insert(name);
    op_types.insert(definition.op_type);
  }
  for (const std::string& name : options.definitions) {
    if (!names.contains(name))
      throw Error("no definition \"{}\" in {}{}", name, tree.shown_root, hint(tree, name, names));
  }
  for (const std::string& name : options.op_types) {
    if (!op_types.contains(name))
      throw Error("no folder definitions/{} in {}{}", name, tree.shown_root, hint(tree, name, op_types));
  }
}

// What running things gave.
struct Ran {
  bool benchmark_wanted = true;  // else its absence is on purpose
  std::map<std::string, Benchmark> benchmarks;
  ReferenceChecks references;
  StrengthChecks strengths;
};

// The solutions and workloads of a definition go by the name in its document.
const std::string& document_name(const ScannedDefinition& scanned) {
  return scanned.definition ? scanned.definition->name : scanned.name;
}

std::optional<Messages> look_at(std::string_view check, const Ran& ran, const ScannedDefinition& scanned) {
  const auto look = [&](const auto& results, auto function) -> std::optional<Messages> {
    const auto found = results.find(document_name(scanned));
    if (found == results.end()) return std::nullopt;
    return function(found->second, Place{scanned.file});
  };
  if (check == kBenchmark) return look(ran.benchmarks, check_benchmark);
  if (check == kStrength) return look(ran.strengths.definitions, check_strength);
  return look(ran.references.definitions, check_reference);
}

DefinitionReport check_one(const Tree& tree, const ScannedDefinition& scanned, const Config& config,
                           const Ran& ran) {
  const Subject subject(tree, scanned);
  Blobs blobs(tree.root, scanned.name, tree.mode);
  DefinitionReport report{scanned.name, scanned.file, {}};
  for (const Check& check : checks_of(tree.mode)) {
    CheckResult result{std::string(check.name), std::nullopt, ""};
    const bool wanted = contains(config.checks, check.name);
    if (runs_code(check.name) && !wanted) continue;  // nobody misses it
    if (wanted) result.messages = check.run ? check.run(subject, blobs) : look_at(check.name, ran, scanned);
    if (check.name == kBenchmark && !result.messages && ran.benchmark_wanted)
      result.why_skipped = kNotRunNote;
    report.checks.push_back(std::move(result));
  }
  return report;
}

Config configure(const Tree& tree, const Options& options) {
  Config config{tree.shown_root, options.checks, true, options.op_types, options.definitions};
  if (config.checks.empty()) {
    config.checks = known_checks(options.mode);
    std::erase_if(config.checks, runs_code);
  }
  if (!options.benchmark) std::erase(config.checks, kBenchmark);
  config.disable_gpu = !contains(config.checks, kBenchmark);
  return config;
}

// Files that belong to nothing, and records of runs, are looked at when nothing is filtered out.
std::vector<CheckResult> check_whole(const Tree& tree, const Config& config) {
  if (tree.mode == model::Mode::upstream) return {};
  const bool everything = config.op_types.empty() && config.definitions.empty();
  const auto look = [&](std::string_view name, Messages (*check)(const Tree&)) {
    CheckResult result{std::string(name), std::nullopt, ""};
    const bool wanted = contains(config.checks, name);
    if (!everything && wanted) result.why_skipped = "only a part of the dataset was asked for";
    if (everything && wanted) result.messages = check(tree);
    return result;
  };
  return {look(kOrphans, check_orphans), look(kRuns, check_runs)};
}

}  // namespace

std::vector<std::string> known_checks(model::Mode mode) {
  std::vector<std::string> names;
  for (const Check& check : checks_of(mode)) names.emplace_back(check.name);
  if (mode == model::Mode::lenient) names.insert(names.end(), {std::string(kOrphans), std::string(kRuns)});
  return names;
}

Report validate(const std::filesystem::path& root, const Options& options) {
  const Tree tree = scan(root, options.mode);
  if (options.mode == model::Mode::lenient) check_filters(tree, options);
  Report report;
  report.mode = options.mode;
  report.config = configure(tree, options);
  std::vector<std::string> selected;
  for (const auto& [name, scanned] : tree.definitions) {
    if (is_selected(scanned, options)) selected.push_back(name);
  }
  const bool run = contains(report.config.checks, kBenchmark);
  std::vector<std::string> to_run;
  for (const auto& name : selected) to_run.push_back(document_name(tree.definitions.at(name)));
  Ran ran;
  ran.benchmark_wanted =
      options.mode == model::Mode::upstream || options.checks.empty() || contains(options.checks, kBenchmark);
  if (run) ran.benchmarks = options.benchmark(to_run);
  if (contains(report.config.checks, kReference)) ran.references = options.reference(to_run);
  if (contains(report.config.checks, kStrength)) ran.strengths = options.strength(to_run);
  for (const auto& name : selected)
    report.definitions.push_back(check_one(tree, tree.definitions.at(name), report.config, ran));
  report.dataset = check_whole(tree, report.config);
  if (!options.disable_gpu && !run && ran.benchmark_wanted) report.notes.emplace_back(kNotRunNote);
  for (const auto* notes : {&ran.references.notes, &ran.strengths.notes})
    report.notes.insert(report.notes.end(), notes->begin(), notes->end());
  return report;
}

}  // namespace fib::validate
