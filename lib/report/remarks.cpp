#include "report/remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/text.h"

namespace fib::report {
namespace {

using dataset::ReferenceTime;
using dataset::TraceRow;

constexpr double kMostSpread = 0.1;        // of a reference's time: above it a speedup says little
constexpr double kMostDeviceRange = 0.02;  // between devices of one run

// The results to which something applies, and the one to which it applies most.
struct Worst {
  std::size_t count = 0;
  double most = 0;
  std::string example;

  void add(double value, const std::string& text) {
    ++count;
    if (value <= most) return;
    most = value;
    example = text;
  }
};

std::string place_of(const TraceRow& row) {
  return fmt::format("{} on {}", *row.definition, row.workload->uuid);
}

}  // namespace

std::vector<std::string> cautions_of(const dataset::StandingResults* standing,
                                     const std::vector<TraceRow>& rows) {
  std::vector<std::string> cautions;
  if (standing == nullptr) return cautions;
  Worst spread;
  Worst devices;
  std::map<std::string, bool> seen;  // a run's workload has one time of the reference for all solutions
  for (const TraceRow& row : rows) {
    const ReferenceTime* time = row.passed() ? standing->reference_of(row) : nullptr;
    if (time == nullptr) continue;
    const std::string& run = *row.evaluation->origin.run_id;
    if (!seen.emplace(fmt::format("{}\n{}\n{}", run, place_of(row), *row.evaluation->hardware), true).second)
      continue;
    if (time->spread() > kMostSpread) {
      spread.add(time->spread(), fmt::format("{} took {} to {} ms", place_of(row), format_ms(time->low_ms),
                                             format_ms(time->high_ms)));
    }
    if (time->device_range > kMostDeviceRange)
      devices.add(time->device_range, fmt::format("{} by {:.1f}%", place_of(row), time->device_range * 100));
  }
  if (spread.count > 0) {
    cautions.push_back(
        fmt::format("Speedups against the reference say little for {}: its times in one run spread by more "
                    "than {:.0f}%, most "
                    "of all {}. Latencies are what to compare; a quiet machine helps.",
                    plural(spread.count, "workload"), kMostSpread * 100, spread.example));
  }
  if (devices.count > 0) {
    cautions.push_back(
        fmt::format("The devices of one run differ by more than {:.0f}% in the time of the reference for {}, "
                    "most of all {}. "
                    "One device alone (--device) is measured on equal terms.",
                    kMostDeviceRange * 100, plural(devices.count, "workload"), devices.example));
  }
  return cautions;
}

void write(Document& document, const Remarks& remarks) {
  std::vector<std::string> lines;
  if (!remarks.not_counted.empty()) lines.push_back(remarks.not_counted);
  lines.insert(lines.end(), remarks.cautions.begin(), remarks.cautions.end());
  if (!lines.empty()) document.notes(lines);
}

void add_to(model::json::Value& object, const Remarks& remarks) {
  namespace json = model::json;
  object.add("not_counted",
             remarks.not_counted.empty() ? json::make_null() : json::make_string(remarks.not_counted));
  json::Value cautions = json::make_array();
  for (const std::string& caution : remarks.cautions) cautions.items.push_back(json::make_string(caution));
  object.add("cautions", std::move(cautions));
}

}  // namespace fib::report
