#pragma once

#include <string>

#include "report/history_tables.h"
#include "visual/scene.h"

namespace fib::visual {

struct PageOptions {
  std::string title;                     // of the document: the dataset's name
  std::string version;                   // of fib
  bool only_history = false;             // runs and sweeps, no results
  report::ConfigDefaults defaults = {};  // what differs in a run's configuration is said
};

// A report as one HTML document that needs nothing else: no network, no scripts (a small one of ours adds
// sorting, filters and tooltips), light and dark, to be printed. Whatever names, logs and sources hold cannot
// become markup; a content security policy allows nothing but our own style and script. The same scene gives
// the same bytes. Pure.
[[nodiscard]] std::string page(const Scene& scene, const PageOptions& options);

}  // namespace fib::visual
