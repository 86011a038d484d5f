#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "choice.h"
#include "commands.h"
#include "dataset/add_record.h"
#include "dataset/append.h"
#include "dataset/load.h"
#include "dataset/paths.h"
#include "dataset/trace_stream.h"
#include "model/trace.h"
#include "present/text.h"
#include "report_common.h"
#include "scaffold/definition.h"
#include "scaffold/solution.h"
#include "scaffold/workload.h"
#include "util/error.h"
#include "util/files.h"
#include "util/shell_word.h"

namespace fib::cmd {
namespace {

namespace fs = std::filesystem;

struct NewOptions {
  std::string local;  // empty: the default dataset
  std::string name;
  std::string definition;
  std::string op_type;
  scaffold::Form form = scaffold::Form::elementwise;
  scaffold::SourceLanguage language = scaffold::SourceLanguage::cpp;
  std::string output;
  std::vector<std::string> axes;
  std::vector<std::string> scalars;
};

fs::path root_of(const NewOptions& options) {
  return options.local.empty() ? dataset::default_dataset_path() : fs::path(options.local);
}

std::string local_words(const NewOptions& options) {
  return options.local.empty() ? "" : " --local " + util::shell_word(options.local);
}

void say(const std::string& text) { print_result(present::printable(text) + "\n"); }

dataset::Dataset load(const NewOptions& options) {
  const fs::path root = root_of(options);
  dataset::expect_dataset_folder(root);
  std::vector<std::string> unreadable;
  auto loaded = dataset::load_without_results(root.string(), unreadable);
  print_errors(unreadable, "");
  return loaded;
}

std::string line_of(const model::Definition& definition, const model::Workload& workload) {
  model::Trace record;
  record.definition = definition.name;
  record.workload = workload;
  return model::to_json(record);
}

// A folder definitions/ or workloads/ would hide the problems.
void expect_no_problems(const dataset::Dataset& loaded) {
  if (loaded.of_problems)
    throw Error(
        "{} has SOL-ExecBench's layout, a folder for each problem: write the definition.json or "
        "workload.jsonl "
        "there, or begin another dataset",
        loaded.root.string());
}

void new_definition(const NewOptions& options) {
  const fs::path root = root_of(options);
  const auto definition = scaffold::new_definition(options.name, options.op_type, options.form);
  std::error_code failed;
  fs::create_directories(root, failed);
  if (failed) throw Error("cannot make the folder {}: {}", root.string(), failed.message());
  std::vector<std::string> unreadable;
  const auto present = dataset::load_without_results(root.string(), unreadable);
  expect_no_problems(present);
  const auto& known = present.definitions;
  const fs::path file = dataset::definition_file(root, definition.op_type, definition.name);
  if (fs::exists(file)) throw Error("{} is there already", file.string());
  if (known.contains(definition.name))
    throw Error("{} has a definition {} already, of op type {}", root.string(), definition.name,
                known.at(definition.name).op_type);
  say("wrote " + dataset::add_definition(root, definition).file.string());
  const fs::path workloads = dataset::workloads_file(root, definition.op_type, definition.name);
  std::vector<std::string> lines;
  for (const auto& workload : scaffold::usual_workloads(definition))
    lines.push_back(line_of(definition, workload));
  if (fs::exists(workloads)) {
    say(workloads.string() + " is there already and stays as it is");
  } else {
    dataset::append_lines(root, workloads, lines);
    say(fmt::format("wrote {} with {}", workloads.string(), present::plural(lines.size(), "workload")));
  }
  say("change what it computes, then: fib validate" + local_words(options));
  say(fmt::format("and a first solution: fib new solution --definition {} --language cpp{}",
                  util::shell_word(definition.name), local_words(options)));
}

// "n=4096" of texts that may have several with "," between.
std::map<std::string, std::string> assignments(const std::string& option,
                                               const std::vector<std::string>& texts) {
  std::map<std::string, std::string> values;
  for (const std::string& text : texts) {
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      const std::string one = text.substr(begin, end - begin);
      const std::size_t equals = one.find('=');
      if (equals == std::string::npos || equals == 0)
        throw CLI::ValidationError(option, "\"" + one + "\" is not NAME=VALUE");
      values[one.substr(0, equals)] = one.substr(equals + 1);
      begin = end + 1;
    }
  }
  return values;
}

model::AxisValues sizes_of(const std::string& text) {
  model::AxisValues sizes;
  for (const auto& [axis, value] : assignments("--axes", {text})) {
    const auto size = model::literal_size(value);
    if (!size)
      throw CLI::ValidationError("--axes", fmt::format("{}={}: a size is a whole number", axis, value));
    sizes[axis] = *size;
  }
  return sizes;
}

void new_workload(const NewOptions& options) {
  const auto loaded = load(options);
  expect_no_problems(loaded);
  const auto& definition = find_definition(loaded, options.definition);
  const auto scalars = assignments("--set", options.scalars);
  std::vector<model::Workload> workloads;
  for (const std::string& text : options.axes)
    workloads.push_back(scaffold::new_workload(definition, sizes_of(text), scalars));
  if (options.axes.empty()) workloads.push_back(scaffold::new_workload(definition, {}, scalars));
  const auto known = loaded.workloads.find(definition.name);
  std::vector<std::string> lines;
  std::set<std::string> given;
  for (const auto& workload : workloads) {
    const auto same = [&](const model::Workload& other) { return other.uuid == workload.uuid; };
    if (known != loaded.workloads.end() && std::any_of(known->second.begin(), known->second.end(), same))
      throw Error("the workload {} of {} is there already", workload.uuid, definition.name);
    if (!given.insert(workload.uuid).second)
      throw CLI::ValidationError("--axes", fmt::format("the workload {} is asked for twice", workload.uuid));
    lines.push_back(line_of(definition, workload));
  }
  const fs::path file = dataset::workloads_file(loaded.root, definition.op_type, definition.name);
  dataset::append_lines(loaded.root, file, lines);
  for (const auto& workload : workloads)
    say(fmt::format("added the workload {} to {}", workload.uuid, file.string()));
}

// The definition that --definition names: a file, or one of the dataset.
model::Definition wanted_definition(const NewOptions& options) {
  if (options.definition.ends_with(".json"))
    return model::parse_definition(util::read_file(options.definition));
  return find_definition(load(options), options.definition);
}

void new_solution(const NewOptions& options) {
  const model::Definition definition = wanted_definition(options);
  std::string name = definition.name;
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!plain) c = '_';
  }
  const auto& suffixes = scaffold::suffixes_of(options.language);
  const fs::path file =
      options.output.empty() ? fs::path(name + std::string(suffixes.front())) : fs::path(options.output);
  if (std::find(suffixes.begin(), suffixes.end(), file.extension().string()) == suffixes.end())
    throw Error("--output {}: the name says how a source is compiled; end it with {}", file.string(),
                suffixes.front());
  util::write_new_file(file, scaffold::new_source(definition, options.language));
  say("wrote " + file.string());
  say(fmt::format("try it: fib eval {} --definition {}{}", util::shell_word(file.string()),
                  util::shell_word(options.definition), local_words(options)));
}

CLI::App* add_one(CLI::App& app, const char* name, const char* help, const char* footer,
                  const std::shared_ptr<NewOptions>& options, void (*act)(const NewOptions&),
                  int& exit_code) {
  CLI::App* one = app.add_subcommand(name, help);
  one->add_option("--local", options->local, "Dataset folder")->type_name("DIR");
  one->footer(std::string(footer) + kLocalDefault);
  one->callback([options, act, &exit_code] {
    act(*options);
    exit_code = kDone;
  });
  return one;
}

void add_definition_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<NewOptions>();
  CLI::App* one = add_one(app, "definition", "Write a definition that runs, with workloads of three sizes",
                          "Example:\n"
                          "  fib new definition my_norm --form rows --local D\n"
                          "The dataset's folder is made where it is not there. Nothing is overwritten.\n",
                          options, new_definition, exit_code);
  one->add_option("name", options->name, "Its name")->type_name("NAME")->required();
  add_choice(*one, "--form", options->form,
             "What it computes until you change it: elementwise (default), rows (a norm of each), matmul",
             {{"elementwise", scaffold::Form::elementwise},
              {"rows", scaffold::Form::rows},
              {"matmul", scaffold::Form::matmul}})
      ->type_name("FORM");
  one->add_option("--op-type", options->op_type, "Its op type; default: elementwise, norm or gemm")
      ->type_name("TYPE");
}

void add_workload_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<NewOptions>();
  CLI::App* one =
      add_one(app, "workload", "Add workloads with random inputs to a definition",
              "Example:\n"
              "  fib new workload --definition my_norm --axes rows=17 --axes rows=8192 --local D\n"
              "A workload that is there already is an error.\n",
              options, new_workload, exit_code);
  one->add_option("--definition", options->definition, "The definition")->type_name("NAME")->required();
  one->add_option("--axes", options->axes,
                  "Sizes of all variable axes: n=4096,m=8; repeatable: a workload each")
      ->allow_extra_args(false)
      ->type_name("AXIS=SIZE,...");
  one->add_option("--set", options->scalars, "Values of the scalar inputs: eps=1e-6; repeatable")
      ->allow_extra_args(false)
      ->type_name("INPUT=VALUE,...");
}

void add_solution_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<NewOptions>();
  CLI::App* one = add_one(
      app, "solution", "Write a source for a definition that compiles and can be tried",
      "Examples:\n"
      "  fib new solution --definition my_norm --language triton --local D\n"
      "  fib new solution --definition my_norm.json --language cuda --output fast.cu\n"
      "Python and Triton sources compute the reference and pass; the others write zeros until a kernel\n"
      "is in their place. Nothing is overwritten.\n",
      options, new_solution, exit_code);
  one->add_option("--definition", options->definition, "A definition of the dataset, or its JSON file")
      ->type_name("NAME|FILE")
      ->required();
  add_choice(*one, "--language", options->language, "c, cpp (default), cuda, python or triton",
             {{"c", scaffold::SourceLanguage::c},
              {"cpp", scaffold::SourceLanguage::cpp},
              {"cuda", scaffold::SourceLanguage::cuda},
              {"python", scaffold::SourceLanguage::python},
              {"triton", scaffold::SourceLanguage::triton}})
      ->type_name("LANGUAGE");
  one->add_option("--output", options->output, "The file; default: the definition's name, here")
      ->type_name("FILE");
}

}  // namespace

void add_new(CLI::App& app, int& exit_code) {
  CLI::App* all = app.add_subcommand("new", "Begin a definition, workloads or a solution");
  all->require_subcommand(1);
  add_definition_command(*all, exit_code);
  add_workload_command(*all, exit_code);
  add_solution_command(*all, exit_code);
  all->footer(
      "From nothing to a ranking: docs/datasets.md.\n"
      "Exit codes: 0 done, 1 something is there already, missing, or cannot be written, 2 wrong usage.");
}

}  // namespace fib::cmd
