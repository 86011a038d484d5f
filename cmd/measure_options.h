#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/config.h"

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
  double memory_budget_mib = 0;
  bool no_profile_baseline = false;

  // Completes `config` with what the words above say, once the device is known. Throws CLI::ValidationError
  // for what no device could do.
  void finish(model::DeviceKind device);
};

inline constexpr const char* kJudgingGroup = "How to judge";

// How calls are made and timed; how outputs are judged; what builds and solutions may reach. `options` must
// outlive `app`.
void add_measuring(CLI::App& app, MeasureOptions& options);
void add_judging(CLI::App& app, MeasureOptions& options);
void add_confining(CLI::App& app, MeasureOptions& options);

}  // namespace fib::cmd
