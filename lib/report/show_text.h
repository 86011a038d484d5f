#pragma once

#include <string>
#include <vector>

#include "present/document.h"
#include "report/show.h"

// The reports of `fib report show`, one for each dataset that has the record. Pure. Sources and logs keep
// their lines; nothing in them can control a terminal.
namespace fib::report {

struct ShowStyle {
  present::Format format = present::Format::table;
  present::TextStyle text = {};  // bold: sources are coloured too
  bool full_log = false;         // of solutions: whole logs instead of their last lines
};

[[nodiscard]] std::string render_show(const std::vector<DefinitionView>& views, const ShowStyle& style);
[[nodiscard]] std::string render_show(const std::vector<SolutionView>& views, const ShowStyle& style);
[[nodiscard]] std::string render_show(const std::vector<WorkloadView>& views, const ShowStyle& style);
[[nodiscard]] std::string render_show(const std::vector<TraceView>& views, const ShowStyle& style);

// The results of one solution alone, one of each workload (none of a solution that does not build), with the
// logs of those that failed.
[[nodiscard]] std::string render_results(const std::vector<Shown>& results, const ShowStyle& style);

}  // namespace fib::report
