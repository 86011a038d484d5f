#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "dataset/filter.h"

namespace fib::cmd {

// Options that choose records: --definitions, --solutions, --authors, --op-types, --status, --hardware,
// --since.
struct RecordFilter {
  dataset::Filter filter;
  std::string since;

  // What the options say. Throws CLI::ValidationError when --since is no time.
  [[nodiscard]] dataset::Filter parsed() const;
};

void add_record_filter(CLI::App& app, RecordFilter& options);

}  // namespace fib::cmd
