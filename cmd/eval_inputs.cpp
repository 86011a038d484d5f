#include "eval_inputs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <set>
#include <sstream>

#include "choice.h"
#include "compile/calling_style.h"
#include "dataset/paths.h"
#include "dataset/queries.h"
#include "dataset/records.h"
#include "model/json_value.h"
#include "present/text.h"
#include "util/closest.h"
#include "util/error.h"
#include "util/files.h"

namespace fib::cmd {
namespace {

namespace fs = std::filesystem;

bool is_definition_file(const std::string& word) { return word.ends_with(".json"); }

// A solution's JSON or a source.
std::string text_of_stdin() {
  constexpr std::size_t kMost = model::json::Limits{}.bytes;
  std::string text;
  std::array<char, 1 << 16> part{};
  while (std::cin.read(part.data(), part.size()), std::cin.gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(std::cin.gcount()));
    if (text.size() > kMost)
      throw Error("stdin: more than {} MB, and no solution may have more", kMost >> 20U);
  }
  return text;
}

// A dataset of one definition, whose blobs lie beside its file.
dataset::Dataset dataset_of_file(const std::string& file) {
  dataset::Dataset dataset;
  dataset.root = fs::absolute(file).parent_path();
  try {
    model::Definition definition = model::parse_definition(util::read_file(file));
    dataset.definition_files[definition.name] = fs::path(file).filename().string();
    dataset.of_problems = fs::path(file).filename() == dataset::kProblemDefinition &&
                          fs::exists(dataset.root / dataset::kProblemWorkloads);
    dataset.definitions.emplace(definition.name, std::move(definition));
  } catch (const model::ParseError& error) {
    throw Error("{}: {}", file, error.what());
  }
  return dataset;
}

std::vector<dataset::Dataset> load_datasets(const EvalWords& words) {
  std::vector<dataset::Dataset> datasets;
  const bool of_file = is_definition_file(words.definition);
  if (of_file) datasets.push_back(dataset_of_file(words.definition));
  std::vector<std::string> roots = words.local;
  // A definition and workloads from files need no dataset beside them.
  if (roots.empty() && !(of_file && !words.workload_file.empty()))
    roots.push_back(dataset::default_dataset_path().string());
  for (const std::string& root : roots) {
    dataset::expect_dataset_folder(root);
    datasets.push_back(dataset::load(root, {.results = dataset::KeepResults::no}));
  }
  return datasets;
}

// A definition from a file takes the workloads that datasets have for its name.
void lend_workloads(std::vector<dataset::Dataset>& datasets, const std::string& definition) {
  auto& own = datasets.front().workloads[definition];
  for (std::size_t i = 1; i < datasets.size() && own.empty(); ++i) {
    const auto found = datasets[i].workloads.find(definition);
    if (found == datasets[i].workloads.end()) continue;
    own = found->second;
    datasets.front().root = datasets[i].root;  // where their blobs lie
  }
}

dataset::Dataset& dataset_with(std::vector<dataset::Dataset>& datasets, const std::string& definition) {
  std::vector<std::string> names;
  for (dataset::Dataset& dataset : datasets) {
    if (dataset.definitions.contains(definition)) return dataset;
    for (const auto& [name, one] : dataset.definitions) names.push_back(name);
  }
  throw Error("no definition is called \"{}\"{}", definition, util::did_you_mean(definition, names));
}

std::vector<model::Workload> read_workloads(const std::string& file, const std::string& definition) {
  const std::string text = util::read_file(file);
  std::vector<model::Workload> workloads;
  std::set<std::string> uuids;
  for (const dataset::Line& line : dataset::split_lines(text)) {
    try {
      model::Trace record = dataset::parse_record(line.text, definition, model::Mode::lenient);
      if (record.definition != definition) continue;
      const std::string& uuid = record.workload.uuid;
      if (!uuids.insert(uuid).second)
        throw Error("{}:{}: the workload {} is there twice", file, line.number, uuid);
      workloads.push_back(std::move(record.workload));
    } catch (const model::ParseError& error) {
      throw Error("{}:{}: {}", file, line.number, error.what());
    }
  }
  if (workloads.empty()) throw Error("{} has no workload of {}", file, definition);
  return workloads;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

// The workloads whose uuids begin so; each word means at least one.
std::vector<model::Workload> by_uuid(const std::vector<model::Workload>& all, const std::string& words,
                                     const std::string& definition) {
  const auto wanted = split(words);
  for (const std::string& word : wanted) {
    const bool any = std::any_of(all.begin(), all.end(), [&](const model::Workload& workload) {
      return workload.uuid.starts_with(word);
    });
    if (!any)
      throw Error("--workloads: no workload of {} has a uuid that begins with \"{}\"", definition, word);
  }
  std::vector<model::Workload> chosen;
  std::copy_if(all.begin(), all.end(), std::back_inserter(chosen), [&](const model::Workload& workload) {
    return std::any_of(wanted.begin(), wanted.end(),
                       [&](const std::string& word) { return workload.uuid.starts_with(word); });
  });
  return chosen;
}

void choose_workloads(std::vector<model::Workload>& workloads, const std::string& words,
                      const std::string& definition) {
  if (words == "all") return;
  if (words == "0")
    throw Error(
        "--workloads 0 chooses none: it is first, the first N from 1 on, all, or the beginnings of uuids");
  std::size_t count = words == "first" ? 1 : 0;
  const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), count);
  const bool is_number = error == std::errc() && end == words.data() + words.size() && words.size() < 6;
  if (words == "first" || (is_number && count > 0)) {
    workloads.resize(std::min(workloads.size(), count));
  } else {
    workloads = by_uuid(workloads, words, definition);
  }
}

// What sources do not say, for solutions that run on such a device.
pack::SourceFacts facts_of(const EvalWords& words, std::vector<dataset::Dataset>& datasets,
                           model::DeviceKind device) {
  pack::SourceFacts facts = words.source;
  facts.python_device = device;
  facts.returns_outputs = [&words, &datasets](const model::Solution& solution) {
    const auto& definition = dataset_with(datasets, solution.definition).definitions.at(solution.definition);
    return words.returns_outputs ||
           compile::calling_style(solution, definition).style == compile::CallingStyle::kValueReturning;
  };
  return facts;
}

std::vector<model::Solution> read_solutions(const EvalWords& words, const pack::SourceFacts& facts) {
  std::vector<model::Solution> solutions;
  for (const std::string& word : words.solutions) {
    if (word == "-") {
      solutions.push_back(pack::given_solution_of_text(words.text_of_stdin, facts));
    } else {
      if (!fs::exists(word)) throw Error("there is no file or folder {}", word);
      solutions.push_back(pack::read_given_solution(word, facts));
    }
  }
  return solutions;
}

// The one that `words.against` names, for the definition.
model::Solution other_side(const EvalWords& words, const dataset::Dataset& dataset, pack::SourceFacts facts,
                           const std::string& definition, model::DeviceKind device) {
  std::vector<std::string> names;
  for (const auto& [name, solution] : dataset.solutions) {
    if (solution.definition != definition) continue;
    names.push_back(name);
    const bool is_baseline =
        words.against == dataset::kUsualBaselineAuthor && solution.author == dataset::kUsualBaselineAuthor;
    if (name == words.against || (is_baseline && model::may_run_on(solution, device))) return solution;
  }
  if (fs::exists(words.against)) {
    facts.name.reset();
    facts.definition = definition;
    return pack::read_given_solution(words.against, facts);
  }
  throw Error("--against: {} has no solution \"{}\" of {}{}", dataset.root.string(), words.against,
              definition, util::did_you_mean(words.against, names));
}

}  // namespace

void read_stdin(EvalWords& words) {
  const auto& all = words.solutions;
  if (std::find(all.begin(), all.end(), "-") != all.end()) words.text_of_stdin = text_of_stdin();
}

std::vector<fs::path> files_of(const EvalWords& words) {
  std::vector<fs::path> files;
  for (const std::string& word : words.solutions) {
    const fs::path path(word);
    if (fs::is_directory(path)) {
      for (const auto& entry : fs::recursive_directory_iterator(path)) {
        if (entry.is_regular_file()) files.push_back(entry.path());
      }
    } else if (fs::is_regular_file(path)) {
      for (const auto& source : pack::read_with_neighbours(path))
        files.push_back(path.parent_path() / source.path);
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

EvalInputs read_eval_inputs(const EvalWords& words, model::DeviceKind device) {
  EvalInputs inputs;
  inputs.datasets = load_datasets(words);
  pack::SourceFacts facts = facts_of(words, inputs.datasets, device);
  if (is_definition_file(words.definition)) {
    facts.definition = inputs.datasets.front().definitions.begin()->first;
    lend_workloads(inputs.datasets, *facts.definition);
  } else if (!words.definition.empty()) {
    facts.definition = words.definition;
  }
  std::vector<std::pair<dataset::Dataset*, model::Solution>> wanted;
  for (model::Solution& solution : read_solutions(words, facts)) {
    dataset::Dataset& dataset = dataset_with(inputs.datasets, solution.definition);
    const bool is_new = std::none_of(wanted.begin(), wanted.end(),
                                     [&](const auto& other) { return other.second.name == solution.name; });
    if (!is_new) throw Error("two of the solutions are called {}", solution.name);
    inputs.tried.push_back(solution.name);
    wanted.emplace_back(&dataset, std::move(solution));
  }
  if (!words.against.empty()) {
    dataset::Dataset& dataset = *wanted.front().first;
    model::Solution other = other_side(words, dataset, facts, wanted.front().second.definition, device);
    const auto known = dataset.solutions.find(other.name);
    inputs.is_against_foreign = known == dataset.solutions.end() || known->second.author != other.author ||
                                model::content_sha256(known->second) != model::content_sha256(other);
    while (std::find(inputs.tried.begin(), inputs.tried.end(), other.name) != inputs.tried.end()) {
      other.name += " (of the dataset)";
      inputs.is_against_foreign = true;
    }
    inputs.against = other.name;
    wanted.emplace_back(&dataset, std::move(other));
  }
  if (words.with_results) {
    std::vector<std::string> unreadable;  // what cannot be read is no result to compare with
    for (const auto& [dataset, solution] : wanted)
      inputs.results[solution.name] =
          report::read_details(*dataset, {.definitions = {solution.definition}, .solutions = {solution.name}},
                               unreadable, report::KeepLogs::no);
  }
  for (dataset::Dataset& dataset : inputs.datasets) dataset.solutions.clear();
  for (auto& [dataset, solution] : wanted) {
    auto& workloads = dataset->workloads[solution.definition];
    if (!words.workload_file.empty()) workloads = read_workloads(words.workload_file, solution.definition);
    const std::size_t all = workloads.size();
    choose_workloads(workloads, words.workloads, solution.definition);
    inputs.are_some = inputs.are_some || workloads.size() < all;
    if (workloads.empty())
      throw Error("there are no workloads of {}; name a file of some with --workload", solution.definition);
    dataset->solutions.emplace(solution.name, std::move(solution));
  }
  return inputs;
}

void add_try_options(CLI::App& app, EvalWords& words) {
  const char* group = kTryGroup;
  app.add_option("solution", words.solutions,
                 "A solution's JSON, a folder as fib pack takes it, a source, or - for stdin")
      ->required()
      ->type_name("SOLUTION");
  app.add_option("--local", words.local,
                 "Dataset folder with definitions and workloads; repeatable (default: FIB_DATASET_PATH, then "
                 "~/.cache/flashinfer_bench/dataset)")
      ->allow_extra_args(false)
      ->type_name("DIR")
      ->group(group);
  app.add_option("--definition", words.definition,
                 "What a source computes: a definition's name, or its JSON file")
      ->type_name("NAME|FILE")
      ->group(group);
  app.add_option("--workload", words.workload_file, "Workloads from this file of JSON lines")
      ->check(CLI::ExistingFile)
      ->type_name("FILE")
      ->group(group);
  app.add_option(
         "--workloads", words.workloads,
         fmt::format(
             "Which workloads: first, the first N, all, or uuids and beginnings of uuids; default: {}",
             words.workloads.empty() ? "all" : words.workloads))
      ->type_name("first|N|all|UUID,...")
      ->group(group);
  app.add_option("--entry", words.source.entry_point, "What is called in a source; default: run")
      ->type_name("SYMBOL")
      ->group(group);
  app.add_option("--language", words.source.language, "Of a source; default: what its name says")
      ->check(one_of({"c", "cuda", "cpp", "python", "triton", "tilelang"}))
      ->type_name("LANGUAGE")
      ->group(group);
  app.add_option("--name", words.source.name, "Of the solution; default: the file's name")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--author", words.source.author, "Of a source's solution; default: local")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--flags", words.source.flags,
                 "For the compiler of a source, separated by commas: --flags=-O3,-march=native")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("FLAG,...")
      ->group(group);
  app.add_flag("--returns-outputs", words.returns_outputs,
               "A source's function returns its outputs, though it does not look so")
      ->group(group);
}

const dataset::Dataset& dataset_of(const EvalInputs& inputs, const std::string& solution) {
  for (const dataset::Dataset& dataset : inputs.datasets) {
    if (dataset.solutions.contains(solution)) return dataset;
  }
  throw Error("the solution {} is gone", solution);
}

}  // namespace fib::cmd
