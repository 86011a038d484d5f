#include "bench/config_file.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <set>
#include <system_error>
#include <vector>

#include "dataset/paths.h"
#include "util/closest.h"
#include "util/files.h"

namespace fib::bench {
namespace {

namespace fs = std::filesystem;

// Reads values of one file, and says where something is wrong.
class FileReader {
 public:
  explicit FileReader(std::string source) : source_(std::move(source)) {}

  void read(const YAML::Node& node, ConfigFile& file) const {
    if (!node || node.IsNull()) return;
    expect_map(node, "a configuration");
    read_settings(node, file.run);
    read_layer(node, "dtype_config", file.layers.by_dtype, file);
    read_layer(node, "op_type_config", file.layers.by_op_type, file);
    read_layer(node, "definition_config", file.layers.by_definition, file);
    read_layer(node, "workload_config", file.layers.by_workload, file);
    take<double>(node, "timeout_seconds", file.timeout_s, "above 0", [](double value) { return value > 0; });
    take<bool>(node, "use_isolated_runner", file.isolated, "true or false", [](bool) { return true; });
    read_names(node, "definitions", file.definitions);
    read_names(node, "solutions", file.solutions);
    remark_on_unused(node, "", file);
    if (node["log_dir"]) file.remarks.emplace_back("log_dir changes nothing: see docs/configuration.md");
    remark_on_unknown(node, top_keys(), file);
    if (file.run.noise && (file.run.iterations || file.run.num_trials))
      file.remarks.emplace_back(
          "noise changes nothing beside iterations or num_trials, which say how many calls are made");
  }

  // What a reader of the file would expect to count, and does not: a second value of one key, keys that are
  // merged from elsewhere, documents after the first.
  void refuse_unread(const std::vector<YAML::Node>& documents) const {
    if (documents.size() > 1)
      throw wrong(documents[1], fmt::format("it has {} documents; one is read", documents.size()));
    std::size_t entries = 0;
    if (!documents.empty()) refuse_unread(documents.front(), 0, entries);
  }

  // The part below configs.<name>.
  [[nodiscard]] YAML::Node named(const YAML::Node& root, const std::string& name) const {
    const YAML::Node configs = root.IsMap() ? root["configs"] : YAML::Node();
    std::vector<std::string> names;
    if (configs && configs.IsMap()) {
      for (const auto& entry : configs) {
        names.push_back(entry.first.as<std::string>(""));
        if (names.back() == name) return entry.second;
      }
    }
    throw Error("{} has no configuration \"{}\"{}", source_, name,
                names.empty() ? "" : fmt::format("; it has: {}", fmt::join(names, ", ")));
  }

 private:
  // A configuration below configs has a setting in its fifth map, and `extra` of a layer in its sixth; what
  // lies deeper says nothing.
  static constexpr int kDeepest = 6;
  // Far above what people write: a few aliases can stand for more entries than anybody can read.
  static constexpr std::size_t kMostEntries = 1'000'000;

  void refuse_unread(const YAML::Node& node, int depth, std::size_t& entries) const {
    if (!node.IsMap() || depth >= kDeepest) return;
    std::set<std::string> keys;
    for (const auto& entry : node) {
      if (++entries > kMostEntries)
        throw wrong(node, fmt::format("it has more than {} entries, aliases (*) written out", kMostEntries));
      const auto key = entry.first.as<std::string>("");
      if (key == "<<") throw wrong(entry.first, "keys are not merged (<<); write them out");
      if (!keys.insert(key).second) throw wrong(entry.first, fmt::format("{} is given twice", key));
      refuse_unread(entry.second, depth + 1, entries);
    }
  }

  [[nodiscard]] Error wrong(const YAML::Node& node, const std::string& what) const {
    return Error("{}:{}: {}", source_, node.Mark().line + 1, what);
  }

  void expect_map(const YAML::Node& node, const std::string& what) const {
    if (!node.IsMap()) throw wrong(node, what + " is a map of names and values");
  }

  static std::vector<std::string> setting_keys() {
    return {"warmup_runs",     "iterations", "num_trials", "noise", "rtol", "atol", "required_matched_ratio",
            "profile_baseline"};
  }

  static std::vector<std::string> top_keys() {
    auto keys = setting_keys();
    keys.insert(keys.end(),
                {"timeout_seconds", "use_isolated_runner", "definitions", "solutions", "dtype_config",
                 "op_type_config", "definition_config", "workload_config", "configs"});
    return keys;
  }

  // flashinfer-bench judges samplers by these; what could not be right there is refused here, too. `place` is
  // where they stand, with a point at its end.
  void remark_on_unused(const YAML::Node& node, const std::string& place, ConfigFile& file) const {
    const auto check = [&](const YAML::Node& of) {
      std::optional<int> trials;
      std::optional<double> threshold;
      take<int>(of, "sampling_validation_trials", trials, "a whole number above 0",
                [](int value) { return value > 0; });
      take<double>(of, "sampling_tvd_threshold", threshold, "from 0 to 1",
                   [](double value) { return value >= 0 && value <= 1; });
    };
    check(node);
    if (const YAML::Node extra = node["extra"]; extra && extra.IsMap()) check(extra);
    for (const char* key : {"sampling_validation_trials", "sampling_tvd_threshold", "extra"}) {
      if (node[key])
        file.remarks.push_back(fmt::format("{}{} changes nothing: see docs/configuration.md", place, key));
    }
  }

  // Unknown keys mean nothing, but one that is nearly a known one may be a slip.
  static void remark_on_unknown(const YAML::Node& node, const std::vector<std::string>& known,
                                ConfigFile& file) {
    for (const auto& entry : node) {
      const auto key = entry.first.as<std::string>("");
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      const std::string hint = util::did_you_mean(key, known);
      if (!hint.empty()) file.remarks.push_back(fmt::format("{} is no key{}", key, hint));
    }
  }

  template <typename T>
  void take(const YAML::Node& node, const char* key, std::optional<T>& value, const char* rule,
            const std::function<bool(T)>& holds) const {
    const YAML::Node found = node[key];
    if (!found || found.IsNull()) return;
    T read{};
    const bool is_read = found.IsScalar() && YAML::convert<T>::decode(found, read);
    if (!is_read || !holds(read)) throw wrong(found, fmt::format("{} must be {}", key, rule));
    value = read;
  }

  void read_settings(const YAML::Node& node, EvalSettings& settings) const {
    const auto positive = [](auto value) { return value > 0; };
    const auto share = [](double value) { return value > 0 && value <= 1; };
    take<int>(node, "warmup_runs", settings.warmup_runs, "a whole number of at least 0",
              [](int value) { return value >= 0; });
    take<int>(node, "iterations", settings.iterations, "a whole number above 0", positive);
    take<int>(node, "num_trials", settings.num_trials, "a whole number above 0", positive);
    take<double>(node, "noise", settings.noise, "above 0 and at most 1", share);
    const auto tolerance = [](double value) { return value > 0 && std::isfinite(value); };
    take<double>(node, "rtol", settings.rtol, "above 0", tolerance);
    take<double>(node, "atol", settings.atol, "above 0", tolerance);
    take<double>(node, "required_matched_ratio", settings.required_matched_ratio, "above 0 and at most 1",
                 share);
    take<bool>(node, "profile_baseline", settings.profile_baseline, "true or false",
               [](bool) { return true; });
  }

  void read_layer(const YAML::Node& node, const char* key, std::map<std::string, EvalSettings>& layer,
                  ConfigFile& file) const {
    const YAML::Node found = node[key];
    if (!found || found.IsNull()) return;
    expect_map(found, key);
    for (const auto& entry : found) {
      if (entry.second.IsNull()) continue;
      const std::string place = fmt::format("{}.{}", key, entry.first.as<std::string>("?"));
      expect_map(entry.second, place);
      remark_on_unused(entry.second, place + ".", file);
      EvalSettings settings;
      read_settings(entry.second, settings);
      remark_on_unknown(entry.second, setting_keys(), file);
      layer[entry.first.as<std::string>()].merge(settings);
    }
  }

  void read_names(const YAML::Node& node, const char* key, std::vector<std::string>& names) const {
    const YAML::Node found = node[key];
    if (!found || found.IsNull()) return;
    if (!found.IsSequence()) throw wrong(found, std::string(key) + " is a list of names");
    names.clear();
    for (const auto& name : found) {
      if (!name.IsScalar()) throw wrong(name, std::string(key) + " is a list of names");
      names.push_back(name.as<std::string>());
    }
  }

  std::string source_;
};

}  // namespace

ConfigFile parse_config_file(const std::string& text, const std::string& source, const std::string& name) {
  try {
    const FileReader reader(source);
    const auto documents = YAML::LoadAll(text);
    reader.refuse_unread(documents);
    const YAML::Node root = documents.empty() ? YAML::Node() : documents.front();
    ConfigFile file;
    reader.read(root, file);
    if (!name.empty()) reader.read(reader.named(root, name), file);
    return file;
  } catch (const YAML::Exception& error) {
    throw Error("{}:{}: {}", source, error.mark.line + 1, error.msg);
  }
}

ConfigFile read_config_file(const fs::path& file, const std::string& name) {
  return parse_config_file(util::read_file(file), file.string(), name);
}

std::optional<fs::path> user_config_file() {
  const fs::path folder = dataset::config_folder();
  const fs::path file = folder.empty() ? folder : folder / "config.yaml";
  std::error_code unknown;
  return !file.empty() && fs::is_regular_file(file, unknown) ? std::optional(file) : std::nullopt;
}

std::vector<std::string> unmatched_names(const ConfigFile& file,
                                         const std::vector<dataset::Dataset>& datasets) {
  std::set<std::string> definitions;
  std::set<std::string> op_types;
  std::set<std::string> workloads;
  for (const auto& dataset : datasets) {
    for (const auto& [name, definition] : dataset.definitions) {
      definitions.insert(name);
      op_types.insert(definition.op_type);
    }
    for (const auto& [name, some] : dataset.workloads) {
      for (const auto& workload : some) workloads.insert(workload.uuid);
    }
  }
  std::vector<std::string> sentences;
  const auto look_for = [&](const std::map<std::string, EvalSettings>& layer, const char* key,
                            const char* what, const std::set<std::string>& known) {
    for (const auto& [name, settings] : layer) {
      if (!known.contains(name))
        sentences.push_back(fmt::format("{}: there is no {} {}{}", key, what, name,
                                        util::did_you_mean(name, {known.begin(), known.end()})));
    }
  };
  look_for(file.layers.by_definition, "definition_config", "definition", definitions);
  look_for(file.layers.by_op_type, "op_type_config", "op type", op_types);
  look_for(file.layers.by_workload, "workload_config", "workload", workloads);
  return sentences;
}

void take_settings(RunConfig& config, const ConfigFile& file) {
  const auto take = [](auto& option, const auto& value) {
    if (!option) option = value;
  };
  const bool says_calls = config.iterations || config.num_trials || config.noise;
  if (!says_calls) {
    config.iterations = file.run.iterations;
    config.num_trials = file.run.num_trials;
    if (!config.iterations && !config.num_trials) config.noise = file.run.noise;
  }
  take(config.warmup_runs, file.run.warmup_runs);
  take(config.rtol, file.run.rtol);
  take(config.atol, file.run.atol);
  take(config.required_matched_ratio, file.run.required_matched_ratio);
  if (!file.run.profile_baseline.value_or(true)) config.profile_baseline = false;
  config.layers = file.layers;
}

}  // namespace fib::bench
