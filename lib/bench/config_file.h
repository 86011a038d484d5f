#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/config.h"
#include "dataset/load.h"

namespace fib::bench {

// What a configuration file says: YAML with the keys of flashinfer-bench (warmup_runs, iterations,
// num_trials, rtol, atol, required_matched_ratio, profile_baseline, timeout_seconds, use_isolated_runner,
// definitions, solutions, op_type_config, definition_config) and of fib (noise, dtype_config,
// workload_config, configs). Other keys mean nothing, as they do there. docs/configuration.md describes it.
struct ConfigFile {
  EvalSettings run;  // of all evaluations: goes before all layers
  SettingLayers layers;
  std::optional<double> timeout_s;
  std::optional<bool> isolated;
  std::vector<std::string> definitions;  // only these; empty: all
  std::vector<std::string> solutions;
  std::vector<std::string> remarks;  // what changes nothing and may be meant to, a sentence each
};

// Reads the text of a file, which `source` names in messages. With a name, the values below configs.<name>
// are taken over the others, key by key. Throws Error in one sentence with line: no YAML, a value of the
// wrong type or out of range, no configuration of that name (and which there are).
[[nodiscard]] ConfigFile parse_config_file(const std::string& text, const std::string& source,
                                           const std::string& name = "");

// The same of a file. Throws Error when it cannot be read.
[[nodiscard]] ConfigFile read_config_file(const std::filesystem::path& file, const std::string& name = "");

// $XDG_CONFIG_HOME/fib/config.yaml, else ~/.config/fib/config.yaml; nothing where there is no such file.
// Reads the environment.
[[nodiscard]] std::optional<std::filesystem::path> user_config_file();

// Definitions, op types and workloads whose settings are in the file and that none of the datasets has, a
// sentence each: names that may be misspelt, or of other datasets. Pure.
[[nodiscard]] std::vector<std::string> unmatched_names(const ConfigFile& file,
                                                       const std::vector<dataset::Dataset>& datasets);

// Lets `config` take what the file says where it says nothing itself. `config` is what options said alone;
// the file's time limit and isolation are taken by the caller, who knows whether they were options.
void take_settings(RunConfig& config, const ConfigFile& file);

}  // namespace fib::bench
