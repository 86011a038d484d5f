#include <fmt/format.h>

#include <memory>
#include <set>

#include "apply/build.h"
#include "apply/config.h"
#include "apply/trust.h"
#include "apply_tables.h"
#include "apply_trust.h"
#include "choice.h"
#include "commands.h"
#include "compile/builder.h"
#include "device/cpu/hardware.h"
#include "devices.h"
#include "present/document.h"
#include "present/text.h"
#include "report_common.h"
#include "util/files.h"
#include "util/shell_word.h"

namespace fib::cmd {
namespace {

struct ApplyOptions {
  ReadOptions read;
  std::string config_file;
  apply::Config config;
  std::vector<std::string> definitions;
  bool any_source = false;
};

// This machine's devices: the CPU first.
struct Machine {
  std::string cpu;
  std::vector<bench::LaneDevice> gpus;

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all = {cpu};
    for (const auto& gpu : gpus) all.push_back(gpu.name);
    return all;
  }
};

Machine this_machine() { return {device::cpu::model_name(), cuda_devices().devices}; }

apply::Registry registry_of(const ApplyOptions& options) {
  if (!options.config_file.empty() && (options.any_source || options.config != apply::Config{}))
    throw CLI::ValidationError("--apply-config",
                               "the file says everything: it goes with no other option of these");
  if (!options.config_file.empty()) {
    try {
      return apply::parse_registry(util::read_file(options.config_file));
    } catch (const Error& error) {
      throw error.with_context(options.config_file);
    }
  }
  apply::Registry registry;
  registry.fallback = options.config;
  registry.fallback->require_hash = !options.any_source;
  return registry;
}

// The one dataset that --local names, its table, and which of it is about this machine.
struct Choice {
  dataset::Dataset dataset;
  apply::Registry registry;
  apply::Table table;
  Machine machine;
  std::vector<std::string> hardware;  // as the table calls it
  std::vector<ChosenCase> cases;
};

Choice choose(const ApplyOptions& options) {
  dataset::Filter filter;
  filter.definitions = options.definitions;
  Choice choice{one_dataset(options.read, filter), registry_of(options), {}, this_machine(), {}, {}};
  choice.table = apply::make_table(choice.dataset, choice.registry);
  std::erase_if(choice.table.definitions,
                [&](const auto& entry) { return !dataset::matches(options.definitions, entry.first); });
  choice.hardware = choice.machine.names();
  choice.hardware.emplace_back("any");
  const auto& fallback = choice.registry.fallback;
  if (fallback && fallback->hardware != "auto") choice.hardware.push_back(fallback->hardware);
  for (const auto& [name, config] : choice.registry.per_definition) {
    if (config.hardware != "auto") choice.hardware.push_back(config.hardware);
  }
  choice.cases = chosen_on(choice.table, choice.hardware);
  return choice;
}

// What stands below a table: results that do not count, and cases of other machines.
std::vector<std::string> notes_of(const Choice& choice) {
  std::vector<std::string> notes;
  std::map<std::string, std::size_t> elsewhere;
  for (const auto& [name, own] : choice.table.definitions) {
    for (const auto& winner : own.winners) {
      if (std::find(choice.hardware.begin(), choice.hardware.end(), winner.hardware) == choice.hardware.end())
        ++elsewhere[winner.hardware];
    }
  }
  for (const auto& [hardware, count] : elsewhere)
    notes.push_back(fmt::format("{} on {}, which is not here: --hardware {}",
                                present::plural(count, "more case"), present::printable(hardware),
                                util::shell_word(present::printable(hardware))));
  if (const auto text = left_out_text(choice.table); !text.empty()) notes.push_back(text);
  return notes;
}

std::string no_cases(const Choice& choice) {
  const std::string root = present::printable(choice.dataset.root.string());
  if (choice.dataset.traces.empty())
    return fmt::format("{} has no results yet: fib run --local {}", root, util::shell_word(root));
  const auto& fallback = choice.registry.fallback;
  const std::string where = fallback && fallback->hardware != "auto"
                                ? fallback->hardware
                                : fmt::format("this machine ({})", fmt::join(choice.machine.names(), ", "));
  return fmt::format("No solution of {} has a result that counts on {}.", root, present::printable(where));
}

void print(const ApplyOptions& options, const Choice& choice, const char* key, const present::Table& table,
           const std::string& heading) {
  if (options.read.format == present::Format::json) {
    auto object = model::json::make_object();
    object.add("path", model::json::make_string(choice.dataset.root.string()));
    object.add("digest", model::json::make_string(choice.table.digest));
    object.add(key, to_json(table));
    auto left_out = model::json::make_object();
    for (const auto& [reason, count] : choice.table.left_out)
      left_out.add(reason, model::json::make_integer(static_cast<std::int64_t>(count)));
    object.add("left_out", std::move(left_out));
    std::vector<model::json::Value> datasets;
    datasets.push_back(std::move(object));
    return print_result(present::json_document(fmt::format("apply_{}", key), std::move(datasets)));
  }
  if (options.read.format == present::Format::csv) return print_result(present::to_csv(table));
  present::Document document(options.read.format, stdout_style());
  document.paragraph(table.rows.empty() ? no_cases(choice) : heading);
  document.table("", table);
  document.notes(notes_of(choice));
  print_result(document.text());
}

int show(const ApplyOptions& options) {
  const Choice choice = choose(options);
  std::set<std::string> definitions;
  for (const auto& chosen : choice.cases) definitions.insert(*chosen.definition);
  print(
      options, choice, "cases", cases_table(choice.cases, choice.dataset),
      fmt::format("Which solution answers which call: {} of {}", present::plural(choice.cases.size(), "case"),
                  present::plural(definitions.size(), "definition")));
  return kDone;
}

// The kind of device that a case's calls come from.
model::DeviceKind kind_of(const Choice& choice, const model::Solution& solution,
                          const std::string& hardware) {
  if (hardware != "any") return dataset::device_kind(hardware);
  const bool on_gpu = !choice.machine.gpus.empty() && model::may_run_on(solution, model::DeviceKind::cuda);
  return on_gpu ? model::DeviceKind::cuda : model::DeviceKind::cpu;
}

// The winners, each once for a definition and hardware.
std::vector<Checked> check_all(const Choice& choice) {
  const auto python = compile::find_python();
  const auto tvm_ffi = compile::find_tvm_ffi(python);
  const auto trusted = apply::read_trust(apply::trust_file());
  std::vector<Checked> result;
  for (const auto& [definition, winner] : choice.cases) {
    const auto known = std::find_if(result.begin(), result.end(),
                                    [&, name = definition, won = winner](const Checked& other) {
                                      return other.definition == *name && other.solution == won->solution &&
                                             other.hardware == won->hardware;
                                    });
    if (known != result.end()) {
      ++known->cases;
      continue;
    }
    const auto& solution = choice.dataset.solutions.at(winner->solution);
    Checked checked{*definition,
                    solution.name,
                    winner->hardware,
                    1,
                    {},
                    {},
                    trusted.contains(apply::trust_key(solution, choice.dataset.definitions.at(*definition)))};
    const auto kind = kind_of(choice, solution, winner->hardware);
    if (const auto obstacle =
            compile::unsupported_reason(solution, kind, python, tvm_ffi, compile::TorchWay::kAuto)) {
      checked.problem = obstacle->why;
    } else if (compile::needs_python(solution)) {
      checked.called = "by Python";
    } else if (compile::is_torch_extension(solution, kind)) {
      checked.called = "in the program, or by Python";  // as fib's torch headers build it or not
    } else {
      checked.called = "in the program";
    }
    const auto* config = choice.registry.find(*definition);
    if (config != nullptr && config->require_trust && !checked.trusted) {
      checked.called.clear();
      checked.problem = "it is not accepted (fib apply trust), which the configuration demands";
    }
    result.push_back(std::move(checked));
  }
  return result;
}

bool all_are_called(const std::vector<Checked>& checked) {
  return std::all_of(checked.begin(), checked.end(), [](const Checked& row) { return !row.called.empty(); });
}

// What stands against winners, in full: the table may cut it.
std::string problems_of(const std::vector<Checked>& checked) {
  std::string text;
  for (const auto& row : checked) {
    if (row.called.empty())
      text +=
          present::printable(fmt::format("{} for {}: {}", row.solution, row.definition, row.problem)) + "\n";
  }
  return text.empty() ? "" : "\n" + text;
}

int check(const ApplyOptions& options) {
  const Choice choice = choose(options);
  const auto checked = check_all(choice);
  print(options, choice, "checks", checked_table(checked),
        fmt::format("How each winner would be called: {}. Nothing is built (fib apply warm does that).",
                    present::plural(checked.size(), "solution")));
  if (options.read.format == present::Format::table) print_result(problems_of(checked));
  return all_are_called(checked) ? kDone : kGateFailed;
}

// The architecture of the GPU of that name; that of the first where the name says nothing.
std::string architecture_on(const Machine& machine, const std::string& hardware) {
  for (const auto& gpu : machine.gpus) {
    if (gpu.name == hardware) return gpu.architecture;
  }
  return machine.gpus.empty() ? "" : machine.gpus.front().architecture;
}

int warm(const ApplyOptions& options) {
  const Choice choice = choose(options);
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  if (choice.cases.empty()) print_result(no_cases(choice) + "\n");
  bool all_built = true;
  for (const auto& checked : check_all(choice)) {
    std::string outcome = "built";
    if (checked.called.empty()) {
      outcome = "cannot be called: " + checked.problem;
      all_built = false;
    } else if (checked.called == "by Python") {
      outcome = "is called by Python; nothing to build";
    } else {
      const auto& solution = choice.dataset.solutions.at(checked.solution);
      const auto kind = kind_of(choice, solution, checked.hardware);
      const bool on_cuda = kind == model::DeviceKind::cuda;
      if (on_cuda && choice.machine.gpus.empty()) {
        outcome = "needs a GPU to be built for, and there is none here";
        all_built = false;
      } else {
        const auto built =
            apply::build(program, {solution, choice.dataset.definitions.at(checked.definition), kind,
                                   on_cuda ? architecture_on(choice.machine, checked.hardware) : ""});
        if (built.outcome == compile::BuildResult::Outcome::kFailed &&
            compile::is_torch_extension(solution, kind)) {
          outcome = "is called by Python: fib's torch headers do not build it: " +
                    built.log.substr(0, built.log.find('\n'));
        } else if (built.outcome != compile::BuildResult::Outcome::kBuilt) {
          outcome = "does not build: " + built.log.substr(0, built.log.find('\n'));
          all_built = false;
        } else if (built.from_cache) {
          outcome = "was built before";
        }
      }
    }
    print_result(present::printable(fmt::format("{} for {} on {}: {}", checked.solution, checked.definition,
                                                checked.hardware, outcome)) +
                 "\n");
  }
  return all_built ? kDone : kNotAllDone;
}

void add_choice_options(CLI::App& app, ApplyOptions& options) {
  add_read_options(app, options.read);
  app.add_option("--definitions", options.definitions, "Only these definitions; names or globs")
      ->type_name("NAME");
  app.add_option("--apply-config", options.config_file, "Configuration as docs/apply.md has it, as JSON")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  app.add_option("--hardware", options.config.hardware,
                 "Whose results count: auto (this machine's), any, or a name")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_flag("--any-source", options.any_source,
               "Results count whichever source they were made from, also those of other tools");
  app.add_option("--max-atol", options.config.max_atol, "Highest absolute error of a result that counts")
      ->check(number_check(0, true));
  app.add_option("--max-rtol", options.config.max_rtol, "Highest relative error of a result that counts")
      ->check(number_check(0, true));
}

}  // namespace

void add_apply(CLI::App& app, int& exit_code) {
  CLI::App* group =
      app.add_subcommand("apply", "Which solutions programs that use fib would run, and preparing them");
  group->require_subcommand(1);
  group->footer(
      "docs/apply.md says how programs use it.\nExit codes: 0 done, 1 not all could be done, 2 wrong usage, "
      "3 a winner cannot be called (check).");
  const auto add = [&](const char* name, const char* description, int (*run)(const ApplyOptions&),
                       const char* more) {
    auto options = std::make_shared<ApplyOptions>();
    CLI::App* one = group->add_subcommand(name, description);
    add_choice_options(*one, *options);
    one->footer(fmt::format("Examples:\n  fib apply {0} --local DIR\n{1}{2}", name, more, kLocalDefault));
    one->callback([options, run, &exit_code] { exit_code = run(*options); });
  };
  add("show", "Which solution answers which call, and by how much it leads", show,
      "  fib apply show --local DIR --hardware any --format json\n");
  add("check", "Whether and how each winner can be called on this machine", check, "");
  add("warm", "Build the winners into the cache, so that no call waits for a compiler", warm, "");
  CLI::App* warmed = group->get_subcommand("warm");
  warmed->remove_option(warmed->get_option("--format"));  // it prints sentences
  add_apply_trust(*group, exit_code);
}

}  // namespace fib::cmd
