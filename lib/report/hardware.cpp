#include "report/hardware.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace fib::report {

std::string ShownHardware::left_out_text() const {
  if (left_out == 0) return "";
  return fmt::format(
      "Of {} kinds of hardware the {} with the most traces are shown; --hardware NAME shows others",
      names.size() + left_out, names.size());
}

ShownHardware shown_hardware(const dataset::Dataset& dataset, const Selection& selection) {
  std::map<std::string_view, std::size_t> traces;
  for (const dataset::TraceRow& trace : dataset.traces) {
    if (trace.evaluation && selection.holds(dataset, trace)) ++traces[*trace.evaluation->hardware];
  }
  std::vector<std::pair<std::string_view, std::size_t>> all(traces.begin(), traces.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& left, const auto& right) { return left.second > right.second; });
  ShownHardware shown;
  shown.left_out = all.size() - std::min(all.size(), kMostHardware);
  all.resize(all.size() - shown.left_out);
  for (const auto& [name, count] : all) shown.names.emplace_back(name);
  std::sort(shown.names.begin(), shown.names.end());
  return shown;
}

}  // namespace fib::report
