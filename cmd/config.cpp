#include "bench/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bench/config_file.h"
#include "bench/plan.h"
#include "commands.h"
#include "config_defaults.h"
#include "dataset/filter.h"
#include "dataset/paths.h"
#include "dataset/trace_stream.h"
#include "eval/rule.h"
#include "measure_options.h"
#include "present/document.h"
#include "present/table.h"
#include "present/text.h"
#include "report_common.h"
#include "util/error.h"
#include "util/find.h"
#include "util/shell_word.h"

namespace fib::cmd {
namespace {

using nlohmann::ordered_json;

struct ConfigShowOptions {
  MeasureOptions measure;
  std::string local;
  std::string definition;
  std::string workload;  // one of its workloads; empty: any
};

// Settings with where they stand; later ones go before earlier ones.
using Sources = std::vector<std::pair<std::string, ordered_json>>;

// What the settings are for. It points into itself.
struct Subject {
  Subject() = default;
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  dataset::Dataset dataset = {};
  const model::Definition* definition = nullptr;  // null: for any
  const model::Workload* workload = nullptr;      // null: for any of the definition's
};

// What holds where nothing is said.
ordered_json usual_settings() {
  const bench::CallPlan calls = bench::wanted_calls({});
  return {{"warmup_runs", calls.warmup},    {"noise", calls.width},        {"rtol", bench::kUsualTolerance},
          {"atol", bench::kUsualTolerance}, {"required_matched_ratio", 1}, {"profile_baseline", true}};
}

const std::vector<model::Workload>& workloads_of(const Subject& subject) {
  static const std::vector<model::Workload> none;
  const auto* found = util::find_or_null(subject.dataset.workloads, subject.definition->name);
  return found == nullptr ? none : *found;
}

const model::Workload& find_workload(const Subject& subject, const std::string& uuid) {
  std::vector<const model::Workload*> alike;
  for (const model::Workload& workload : workloads_of(subject)) {
    if (workload.uuid == uuid) return workload;
    if (dataset::matches_uuid({uuid}, workload.uuid)) alike.push_back(&workload);
  }
  if (alike.size() == 1) return *alike.front();
  if (!alike.empty())
    throw Error("\"{}\" is the name of {} workloads, of {} and {} among them", uuid, alike.size(),
                alike[0]->uuid, alike[1]->uuid);
  throw Error("{} has no workload \"{}\"; to see all: fib list workloads --definitions {} --local {}",
              subject.definition->name, uuid, util::shell_word(subject.definition->name),
              util::shell_word(subject.dataset.root.string()));
}

void find_subject(const ConfigShowOptions& options, Subject& subject) {
  if (options.definition.empty()) return;
  const std::string root = options.local.empty() ? dataset::default_dataset_path().string() : options.local;
  dataset::expect_dataset_folder(root);
  std::vector<std::string> unreadable;
  subject.dataset = dataset::load_without_results(root, unreadable);
  subject.definition = &find_definition(subject.dataset, options.definition);
  if (!options.workload.empty()) subject.workload = &find_workload(subject, options.workload);
}

// What the file says, with and without its part below configs.<name>; equal where no name is given.
struct ReadFile {
  bench::ConfigFile whole;
  bench::ConfigFile plain;
  std::string name = {};
};

ReadFile read_file(MeasureOptions options) {
  ReadFile file{read_config(options), {}, options.config_name};
  options.config_name.clear();
  file.plain = read_config(options);
  return file;
}

// Where in the file something stands that only its named part says, or says otherwise; `place` is empty at
// the top.
std::string place_in(const ReadFile& file, bool is_named, const std::string& place = "") {
  if (!is_named) return place.empty() ? "the file" : place;
  return "configs." + file.name + (place.empty() ? "" : "." + place);
}

void add_settings(Sources& sources, const ReadFile& file, const bench::EvalSettings& whole,
                  const bench::EvalSettings& plain, const std::string& place) {
  ordered_json own = bench::to_json(plain);
  ordered_json named = ordered_json::object();
  const ordered_json settings = bench::to_json(whole);
  for (const auto& [key, value] : settings.items()) {
    if (!own.contains(key) || own.at(key) != value) named[key] = value;
  }
  sources.emplace_back(place_in(file, false, place), std::move(own));
  sources.emplace_back(place_in(file, true, place), std::move(named));
}

using Layers = bench::SettingLayers;
using Layer = std::map<std::string, bench::EvalSettings>;

void add_layer(Sources& sources, const ReadFile& file, const char* name, Layer Layers::*layer,
               const std::string& key) {
  const auto settings = [&](const bench::ConfigFile& of) {
    const auto found = (of.layers.*layer).find(key);
    return found == (of.layers.*layer).end() ? bench::EvalSettings{} : found->second;
  };
  add_settings(sources, file, settings(file.whole), settings(file.plain), fmt::format("{}.{}", name, key));
}

// What SOL-ExecBench's field says of a workload's outputs.
ordered_json settings_in(const model::WorkloadTolerance& tolerance) {
  ordered_json settings = ordered_json::object();
  const auto add = [&](const char* name, const std::optional<double>& value) {
    if (value) settings[name] = *value;
  };
  add("atol", tolerance.max_atol);
  add("rtol", tolerance.max_rtol);
  add("required_matched_ratio", tolerance.required_matched_ratio);
  add("max_error", tolerance.max_error_cap);
  return settings;
}

Sources sources_of(const Subject& subject, const ReadFile& file) {
  Sources sources = {{"usual", usual_settings()}};
  if (subject.definition != nullptr) {
    const model::Definition& definition = *subject.definition;
    const double ratio = eval::usual_matched_ratio(bench::rule_for(subject.dataset, definition), definition);
    if (ratio < 1)
      sources.emplace_back("usual for this definition", ordered_json{{"required_matched_ratio", ratio}});
    if (!definition.outputs.empty())
      add_layer(sources, file, "dtype_config", &Layers::by_dtype, definition.outputs.front().dtype);
    add_layer(sources, file, "op_type_config", &Layers::by_op_type, definition.op_type);
    add_layer(sources, file, "definition_config", &Layers::by_definition, definition.name);
  }
  if (subject.workload != nullptr)
    add_layer(sources, file, "workload_config", &Layers::by_workload, subject.workload->uuid);
  add_settings(sources, file, file.whole.run, file.plain.run, "");
  if (subject.workload != nullptr && subject.workload->tolerance) {
    sources.emplace_back("the workload's tolerance", settings_in(*subject.workload->tolerance));
    if (subject.workload->tolerance->max_error_cap) sources.front().second["max_error"] = nullptr;
  }
  for (std::size_t i = 1; i < sources.size(); ++i) {
    const ordered_json& settings = sources[i].second;
    if (!settings.contains("iterations") && !settings.contains("num_trials")) continue;
    sources.front().second.update(config_defaults().calls);
    sources.front().second.erase("noise");
  }
  return sources;
}

present::Table table_of(const Sources& sources, const ReadFile& read) {
  present::Table table{{present::text_column("Setting", "setting"), present::text_column("Value", "value"),
                        present::text_column("From", "from")},
                       {}};
  const auto add = [&](const std::string& name, const std::string& value, const std::string& from) {
    table.rows.push_back({present::text_cell(name), present::text_cell(value), present::text_cell(from)});
  };
  for (const auto& item : sources.front().second.items()) {
    const std::pair<std::string, ordered_json>* last = &sources.front();
    for (const auto& source : sources) {
      if (source.second.contains(item.key())) last = &source;
    }
    add(item.key(), last->second.at(item.key()).dump(), last->first);
  }
  const bench::RunConfig usual;
  const bench::ConfigFile& file = read.whole;
  const bench::ConfigFile& plain = read.plain;
  add("timeout_seconds", fmt::format("{}", file.timeout_s.value_or(usual.timeout_s)),
      file.timeout_s ? place_in(read, file.timeout_s != plain.timeout_s) : "usual");
  add("use_isolated_runner", file.isolated.value_or(false) ? "true" : "false",
      file.isolated ? place_in(read, file.isolated != plain.isolated) : "usual");
  const auto names = [](const std::vector<std::string>& all) {
    return fmt::format("{}", fmt::join(all, ", "));
  };
  if (!file.definitions.empty())
    add("definitions", names(file.definitions), place_in(read, file.definitions != plain.definitions));
  if (!file.solutions.empty())
    add("solutions", names(file.solutions), place_in(read, file.solutions != plain.solutions));
  return table;
}

// That workloads of the definition have settings of their own, which are not shown; "" where none has.
std::string about_workloads(const Subject& subject, const bench::ConfigFile& file) {
  if (subject.definition == nullptr || subject.workload != nullptr) return "";
  const auto& workloads = workloads_of(subject);
  const auto has_own = [&](const model::Workload& workload) {
    return workload.tolerance || file.layers.by_workload.contains(workload.uuid);
  };
  const auto first = std::find_if(workloads.begin(), workloads.end(), has_own);
  if (first == workloads.end()) return "";
  return fmt::format(
      "Workloads with settings of their own: {} of {}; to see those of the first: --workload {}",
      std::count_if(workloads.begin(), workloads.end(), has_own), workloads.size(),
      util::shell_word(first->uuid));
}

int show(const ConfigShowOptions& options) {
  if (!options.workload.empty() && options.definition.empty())
    throw CLI::ValidationError("--workload", "is one of a definition, which comes first");
  const ReadFile read = read_file(options.measure);
  const bench::ConfigFile& file = read.whole;
  Subject subject;
  find_subject(options, subject);
  const present::Table table = table_of(sources_of(subject, read), read);
  present::Document document(present::Format::table, stdout_style());
  document.facts({{"Configuration file", config_path(options.measure).value_or("none")},
                  {"Definition", options.definition},
                  {"Workload", subject.workload == nullptr ? "" : subject.workload->uuid}});
  document.table("", table);
  document.notes(file.remarks);
  const std::string others = about_workloads(subject, file);
  if (!others.empty()) document.paragraph(others);
  print_result(document.text());
  return kDone;
}

}  // namespace

void add_config(CLI::App& app, int& exit_code) {
  CLI::App* config =
      app.add_subcommand("config", "Show the settings that a run would have, and where they come from");
  config->require_subcommand(1);
  config->footer("Example:\n  fib config show\nExit codes: 0 done, 1 a file cannot be read, 2 wrong usage.");
  auto options = std::make_shared<ConfigShowOptions>();
  CLI::App* one = config->add_subcommand("show", "Every setting with its value and its source");
  one->add_option("definition", options->definition, "For this definition of the dataset; default: for any")
      ->type_name("DEFINITION");
  one->add_option("--workload", options->workload,
                  "And this workload of it: a uuid, or at least four characters with which one\nbegins")
      ->type_name("UUID");
  one->add_option("--local", options->local, "Dataset folder")->type_name("DIR");
  add_config_file(*one, options->measure);
  one->footer(
      std::string("Examples:\n"
                  "  fib config show\n"
                  "  fib config show rmsnorm_h4096 --local D --config nightly.yaml --config-name fast\n"
                  "  fib config show rmsnorm_h4096 --local D --config nightly.yaml --workload 7fb60c56\n") +
      kLocalDefault + "Exit codes: 0 done, 1 a file cannot be read, 2 wrong usage.");
  one->callback([options, &exit_code] { exit_code = show(*options); });
}

}  // namespace fib::cmd
