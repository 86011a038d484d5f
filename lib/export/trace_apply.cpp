#include "export/trace_apply.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "compile/calling_style.h"
#include "compile/python_source.h"
#include "compile/tvm_ffi_package.h"
#include "dataset/paths.h"
#include "export/ci_ranking.h"
#include "export/ci_results.h"
#include "util/error.h"
#include "util/files.h"
#include "util/hash.h"
#include "util/text.h"

namespace fib::exports {
namespace {

namespace fs = std::filesystem;
using model::Language;
using model::Solution;

bool is_python_family(const Solution& solution) {
  const Language language = solution.spec.language;
  return language == Language::python || language == Language::triton || language == Language::tilelang;
}

// Empty: FlashInfer has no word for it.
std::string language_of(const Solution& solution) {
  const std::string word = util::lowered(solution.spec.language_text);
  switch (solution.spec.language) {
    case Language::python:
      if (word == "cute_dsl" || word == "cutedsl") return "cutedsl";
      if (word == "cutile" || word == "cuda_tile") return "cutile";
      return "python";
    case Language::cpp:
      return word == "c" ? "" : "cpp";
    default:
      return std::string(name_of(solution.spec.language));
  }
}

bool is_some(const std::optional<std::vector<std::string>>& list) { return list && !list->empty(); }

bool has_compile_options(const model::Spec& spec) {
  const auto& options = spec.compile_options;
  return options && (is_some(options->cflags) || is_some(options->cuda_cflags) || is_some(options->ld_flags));
}

std::string why_not_python(const Solution& solution, const model::Definition& definition) {
  const std::string symbol(solution.spec.entry_symbol());
  if (symbol.find('.') != std::string::npos)
    return fmt::format("its entry point {} is a method; FlashInfer wants a function", symbol);
  const auto* source = solution.entry_source();
  if (source == nullptr) return "";  // no dataset has it
  const auto sight = compile::see_entry(source->content, symbol);
  if (!sight.function || sight.function->decorated) return "";
  const auto style = compile::calling_style(solution, definition).style;
  const auto names = compile::argument_names(style, definition);
  if (sight.function->takes_names || sight.function->takes_by_name(names)) return "";
  return fmt::format("FlashInfer passes arguments by name, and {} does not take {} so", symbol,
                     fmt::join(names, ", "));
}

std::string why_not_compiled(const Solution& solution) {
  const auto& spec = solution.spec;
  if (spec.launch) return "FlashInfer knows no spec.launch";
  if (spec.binding == model::Binding::torch) return "FlashInfer builds no torch extensions";
  if (!compile::is_tvm_ffi(solution)) return "its function has C's convention; FlashInfer calls TVM-FFI's";
  if (has_compile_options(spec)) return "FlashInfer knows no compile_options";
  return "";
}

// A solution that passed every workload, and whether it can go.
struct Candidate {
  const CiStanding* standing;
  std::string why_not;
};

std::vector<Candidate> candidates_of(const CiRanking& ranking, const dataset::Dataset& dataset) {
  std::vector<Candidate> candidates;
  const auto& definition = dataset.definitions.at(ranking.definition);
  for (const CiStanding& standing : ranking.standings) {
    const auto solution = dataset.solutions.find(standing.solution);
    if (!standing.rank || !standing.latency_ms || solution == dataset.solutions.end()) continue;
    candidates.push_back({&standing, why_not_applied(solution->second, definition)});
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return *a.standing->latency_ms < *b.standing->latency_ms;
  });
  return candidates;
}

std::size_t workloads_of(const dataset::Dataset& dataset, const std::string& definition) {
  const auto found = dataset.workloads.find(definition);
  return found == dataset.workloads.end() ? 0 : found->second.size();
}

void choose(const CiRanking& ranking, const dataset::Dataset& dataset, TraceApplyReport& report) {
  const auto candidates = candidates_of(ranking, dataset);
  const auto best = std::find_if(candidates.begin(), candidates.end(),
                                 [](const Candidate& one) { return one.why_not.empty(); });
  if (best == candidates.end()) {
    if (candidates.empty())
      report.none.push_back(ranking.definition + ": no solution passed all its workloads");
    for (const Candidate& one : candidates)
      report.none.push_back(fmt::format("{}: {} cannot be applied: {}", ranking.definition,
                                        one.standing->solution, one.why_not));
    return;
  }
  const auto& definition = dataset.definitions.at(ranking.definition);
  const auto& solution = dataset.solutions.at(best->standing->solution);
  TraceApplyReport::Chosen chosen{ranking.definition,
                                  solution.name,
                                  solution.author,
                                  *best->standing->latency_ms,
                                  best->standing->workloads,
                                  workloads_of(dataset, ranking.definition),
                                  trace_apply_sha256(applied_solution(solution, definition)),
                                  {}};
  for (auto one = candidates.begin(); one != best; ++one)
    chosen.faster.push_back({one->standing->solution, *one->standing->latency_ms, one->why_not});
  report.chosen.push_back(std::move(chosen));
}

bool has_api(const model::Definition& definition) {
  const auto& tags = definition.tags.value_or(std::vector<std::string>{});
  return std::any_of(tags.begin(), tags.end(),
                     [](const std::string& tag) { return tag.starts_with("fi_api:"); });
}

std::string manifest_of(const TraceApplyReport& report) {
  nlohmann::ordered_json definitions = nlohmann::ordered_json::array();
  for (const auto& one : report.chosen)
    definitions.push_back({{"definition", one.definition},
                           {"solution", one.solution},
                           {"author", one.author},
                           {"latency_ms", one.latency_ms},
                           {"workloads", one.workloads},
                           {"all_workloads", one.all_workloads},
                           {"sha256", one.sha256}});
  return nlohmann::ordered_json{{"hardware", report.hardware}, {"definitions", definitions}}.dump(2) + "\n";
}

}  // namespace

std::string why_not_applied(const Solution& solution, const model::Definition& definition) {
  if (language_of(solution).empty())
    return fmt::format("FlashInfer has no language {}", solution.spec.language_text);
  if (solution.spec.target_hardware.empty()) return "FlashInfer wants a target_hardware";
  return is_python_family(solution) ? why_not_python(solution, definition) : why_not_compiled(solution);
}

Solution applied_solution(const Solution& solution, const model::Definition& definition) {
  Solution applied;
  applied.name = solution.name;
  applied.definition = solution.definition;
  applied.author = solution.author;
  applied.description = solution.description;
  applied.spec.language_text = language_of(solution);
  applied.spec.target_hardware = solution.spec.target_hardware;
  applied.spec.entry_point = solution.spec.entry_point;
  applied.spec.dependencies = solution.spec.dependencies.value_or(std::vector<std::string>{});
  const auto style = compile::calling_style(solution, definition).style;
  applied.spec.destination_passing = style == compile::CallingStyle::kDestinationPassing;
  if (!is_python_family(solution)) {
    applied.spec.binding = model::Binding::tvm_ffi;
    applied.spec.binding_text = "tvm-ffi";
  }
  for (const auto& source : solution.sources) applied.sources.push_back({source.path, source.content, {}});
  return applied;
}

std::string trace_apply_sha256(const Solution& applied) {
  const auto& spec = applied.spec;
  std::string text = applied.definition + spec.language_text + spec.entry_point;
  if (spec.binding == model::Binding::tvm_ffi) text += "tvm-ffi";
  for (const auto& target : spec.target_hardware) text += target;
  text += spec.destination_passing_style() ? "1" : "0";
  for (const auto& dependency : spec.dependencies.value_or(std::vector<std::string>{})) text += dependency;
  std::map<std::string, const std::string*> sources;
  for (const auto& source : applied.sources) sources[source.path] = &source.content;
  for (const auto& [path, content] : sources) text += path + *content;
  return util::sha256_hex(text);
}

TraceApplyReport choose_trace_apply(const dataset::Dataset& dataset, const dataset::Filter& filter,
                                    std::vector<std::string>& unreadable,
                                    const std::atomic<bool>* interrupted) {
  const auto results = read_ci_results(dataset, filter, unreadable, interrupted);
  TraceApplyReport report;
  std::set<std::string> hardware;
  for (const CiRanking& ranking : rank_results(results, dataset)) {
    if (!dataset.definitions.contains(ranking.definition)) continue;
    hardware.insert(ranking.hardware);
    choose(ranking, dataset, report);
  }
  if (hardware.empty())
    throw Error("{}", results.empty() ? "there are no results to choose solutions by"
                                      : "the definitions of the results are not in the dataset");
  if (hardware.size() > 1)
    throw Error("there are results of {}; say by --hardware which of them count",
                fmt::join(hardware, " and of "));
  report.hardware = *hardware.begin();
  if (report.chosen.empty()) throw Error("no solution can be applied:\n  {}", fmt::join(report.none, "\n  "));
  for (const auto& one : report.chosen) {
    if (!has_api(dataset.definitions.at(one.definition))) report.without_api.push_back(one.definition);
  }
  return report;
}

void write_trace_apply(const TraceApplyReport& report, const dataset::Dataset& dataset,
                       const fs::path& output) {
  const util::NewFolder folder(output);
  for (const auto& one : report.chosen) {
    const auto& definition = dataset.definitions.at(one.definition);
    const auto solution = applied_solution(dataset.solutions.at(one.solution), definition);
    util::write_file_atomic(dataset::definition_file(folder.path(), definition.op_type, definition.name),
                            to_json(definition) + "\n");
    util::write_file_atomic(dataset::solution_file(folder.path(), solution.author, definition.op_type,
                                                   definition.name, solution.name),
                            to_json(solution) + "\n");
  }
  util::write_file_atomic(folder.path() / "manifest.json", manifest_of(report));
  folder.publish();
}

}  // namespace fib::exports
