#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/early_end.h"
#include "dataset/filter.h"
#include "measure_options.h"
#include "run_gate.h"

namespace fib::cmd {

enum class RunFormat { text, jsonl };

// What `fib run` is told.
struct RunOptions {
  std::vector<std::string> local;
  std::vector<std::string> devices;
  dataset::Filter filter;
  std::vector<std::string> sweep;
  std::vector<std::string> tags;
  MeasureOptions measure;
  bool save_results = true;
  bool resume = false;
  bool retry_failed = false;
  std::string since;  // with one of these two
  bench::RunLimits limits;
  GateOptions gate;
  bool strict_load = false;
  bool dry_run = false;
  std::string timeline;
  bool explain_time = false;
  bool quiet = false;
  RunFormat format = RunFormat::text;

  [[nodiscard]] bool takes_results() const { return resume || retry_failed; }
  // Where people read: stdout is for programs alone where they read there.
  [[nodiscard]] std::FILE* for_people() const { return format == RunFormat::text ? stdout : stderr; }
};

// All options of `fib run`. `options` must outlive `app`.
void add_run_options(CLI::App& app, RunOptions& options);

}  // namespace fib::cmd
