#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/config.h"
#include "bench/config_file.h"
#include "bench/held_results.h"

namespace fib::cmd {

// The options that say how evaluations are made, of every command that makes some.
struct MeasureOptions {
  bench::RunConfig config;
  std::string reference = "auto";
  std::string seed;
  std::string clock = "auto";
  std::string flush = "clean";
  std::string sandbox = "auto";
  std::vector<std::string> sandbox_read;
  std::string torch = "auto";
  std::optional<double> call_budget_s;
  std::optional<double> timeout_s;
  std::string config_file;  // empty: the user's, where there is one
  std::string config_name;
  double memory_budget_mib = 0;
  bool no_profile_baseline = false;
  std::string count_work;  // empty: as usual

  // What the configuration file says, once finish() has read it.
  bench::ConfigFile file;

  // Where the option does not say: `usual`.
  [[nodiscard]] bench::CountWork counted(bench::CountWork usual) const;

  // Completes `config` with what the words above and the configuration file say, once the device is known.
  // Throws CLI::ValidationError for what no device could do, Error for a file that cannot be read.
  void finish(model::DeviceKind device);
};

inline constexpr const char* kJudgingGroup = "How to judge";

// --config and --config-name; the options' own file, else the user's, else nothing: then all is as usual.
void add_config_file(CLI::App& app, MeasureOptions& options);
[[nodiscard]] std::optional<std::string> config_path(
    const MeasureOptions& options);  // nothing: there is none
[[nodiscard]] bench::ConfigFile read_config(const MeasureOptions& options);

// Time limits and how solutions are built, of commands that time nothing.
void add_limits(CLI::App& app, MeasureOptions& options);

// How calls are made and timed; how outputs are judged; what builds and solutions may reach. `options` must
// outlive `app`.
void add_measuring(CLI::App& app, MeasureOptions& options);
void add_judging(CLI::App& app, MeasureOptions& options);
void add_confining(CLI::App& app, MeasureOptions& options);

}  // namespace fib::cmd
