#include "report/remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string_view>

#include "present/text.h"
#include "report/workload_text.h"
#include "util/some_of.h"

namespace fib::report {
namespace {

using dataset::ReferenceTime;
using dataset::TraceRow;

constexpr double kMostSpread = dataset::kWideSpeedup;  // of a reference's time
constexpr double kMostDeviceRange = 0.02;              // between devices of one run
constexpr double kMostCv = 0.05;                       // of the calls of a result
constexpr std::uint64_t kFewestCalls = 10;
constexpr double kSlowestClock = 0.9;  // of the device's highest
constexpr double kMostSlowCalls = 0.05;
constexpr double kLongestTail = 1.5;  // the 95 % quantile over the median

// The results to which something applies, and the one to which it applies most.
struct Worst {
  std::size_t count = 0;
  std::set<std::string> things = {};  // of these: how many different ones, where that is asked for
  double most = 0;
  std::string example;

  void of(const std::string& thing) { things.insert(thing); }

  void add(double value, const std::string& text) {
    ++count;
    if (value <= most) return;
    most = value;
    example = text;
  }
};

std::string place_of(const TraceRow& row) {
  return fmt::format("{} on {}", *row.definition, workload_text(*row.workload));
}

std::string name_of(const TraceRow& row) {
  const std::string& name = row.solution != nullptr ? *row.solution : *row.definition;
  return fmt::format("{} on {}", name, workload_text(*row.workload));
}

// The same for all results of a workload.
std::string work_of(const TraceRow& row) { return *row.definition + "\n" + row.workload->uuid; }

using TimeOf = std::function<const ReferenceTime*(const TraceRow&)>;

std::vector<std::string> about_references(const TimeOf& time_of, const std::vector<TraceRow>& rows) {
  std::vector<std::string> cautions;
  Worst spread;
  Worst devices;
  std::set<std::string> seen;  // a run's workload has one time of the reference for all solutions
  for (const TraceRow& row : rows) {
    const ReferenceTime* time = row.passed() ? time_of(row) : nullptr;
    if (time == nullptr) continue;
    const std::string& run = *row.evaluation->origin.run_id;
    if (!seen.insert(fmt::format("{}\n{}\n{}", run, *row.definition + row.workload->uuid,
                                 *row.evaluation->hardware))
             .second)
      continue;
    if (time->spread() > kMostSpread) {
      spread.of(work_of(row));
      spread.add(time->spread(),
                 fmt::format("{} ({} to {} ms)", place_of(row), present::format_ms(time->low_ms),
                             present::format_ms(time->high_ms)));
    }
    if (time->device_range > kMostDeviceRange) {
      devices.of(work_of(row));
      devices.add(time->device_range, fmt::format("{} ({:.1f}%)", place_of(row), time->device_range * 100));
    }
  }
  if (spread.count > 0) {
    cautions.push_back(fmt::format(
        "Speedups against the reference say little for {}: within one run the reference's own times "
        "differ by more than {:.0f}%, most of all {}. Speedups that this blurs are written as ranges "
        "(from–to), and rank nobody. Latencies are what to compare; a quiet machine helps.",
        present::plural(spread.things.size(), "workload"), kMostSpread * 100, spread.example));
  }
  if (devices.count > 0) {
    cautions.push_back(fmt::format(
        "The devices of one run differ by more than {:.0f}% in the time of the reference for {}, "
        "most of all {}. "
        "One device alone (--device) is measured on equal terms.",
        kMostDeviceRange * 100, present::plural(devices.things.size(), "workload"), devices.example));
  }
  return cautions;
}

// What the timed calls of results that passed tell against their latencies.
class CallsCheck {
 public:
  // `highest_clock`: of all rows of the hardware, for one that does not tell what its device's is.
  void add(const TraceRow& row, double highest_clock) {
    const dataset::RowCalls& calls = row.evaluation->calls;
    const auto at = [&](const std::string& value) { return fmt::format("{} ({})", name_of(row), value); };
    if (calls.cv && *calls.cv > kMostCv) cv_.add(*calls.cv, at(fmt::format("{:.0f}%", *calls.cv * 100)));
    if (calls.count && *calls.count < kFewestCalls)
      few_.add(1.0 / static_cast<double>(*calls.count + 1), at(present::plural(*calls.count, "call")));
    if (calls.tail && *calls.tail > kLongestTail)
      tail_.add(*calls.tail, at(fmt::format("{:.1f} times", *calls.tail)));
    const double most_clock = calls.max_sm_clock_mhz.value_or(highest_clock);
    if (calls.sm_clock_mhz && *calls.sm_clock_mhz < kSlowestClock * most_clock) {
      clock_.add(most_clock / std::max(1.0, *calls.sm_clock_mhz),
                 at(fmt::format("{:.0f} of {:.0f} MHz", *calls.sm_clock_mhz, most_clock)));
    }
    if (calls.slow && calls.count && *calls.count > 0) {
      const double share = static_cast<double>(*calls.slow) / static_cast<double>(*calls.count);
      if (share > kMostSlowCalls) slow_.add(share, at(fmt::format("{} of {}", *calls.slow, *calls.count)));
    }
    if (calls.throttled != nullptr) throttled_.add(1, at(*calls.throttled));
    if (calls.load && calls.load->average && calls.load->cores.value_or(0) > 0) {
      const double a_core = *calls.load->average / static_cast<double>(*calls.load->cores);
      if (a_core > 1)
        load_.add(a_core, at(fmt::format("{:.1f} on {}", *calls.load->average,
                                         present::plural(*calls.load->cores, "core"))));
    }
  }

  void write(std::string_view noun, std::vector<std::string>& cautions) const {
    const auto say = [&](const Worst& worst, std::string_view what, std::string_view advice) {
      if (worst.count == 0) return;
      cautions.push_back(fmt::format("{} {}{} {}. {}", present::plural(worst.count, noun), what,
                                     worst.count == 1 ? ":" : ", most of all", worst.example, advice));
    };
    say(load_, "of runs that began on a machine with a load above the number of its cores",
        "Other programs make latencies longer and less certain: stop them, or wait, and run again.");
    say(throttled_, "during which the GPU was throttled",
        "Let it cool, or limit its power less, and run again.");
    say(cv_, fmt::format("with calls that vary by more than {:.0f}% (CV)", kMostCv * 100),
        "A quiet machine helps, or more calls (a lower --noise, or more --iterations).");
    say(few_, fmt::format("with fewer than {} timed calls", kFewestCalls),
        "--call-budget and --iterations ask for more.");
    say(tail_, fmt::format("of whose calls 5% took more than {} times the median", kLongestTail),
        "Other programs, or work that the solution does now and then, may be the cause.");
    say(clock_, fmt::format("at GPU clocks below {:.0f}% of their maximum", kSlowestClock * 100),
        "Let the GPU cool, or raise its limit on power, and run again; where its clocks are locked, or none "
        "reaches that, compare with runs at the same clock.");
    say(slow_,
        fmt::format("with more than {:.0f}% of calls made again because the GPU was throttled",
                    kMostSlowCalls * 100),
        "Let the GPU cool, or limit its power less, and run again.");
  }

 private:
  Worst load_;
  Worst throttled_;
  Worst cv_;
  Worst few_;
  Worst tail_;
  Worst clock_;
  Worst slow_;
};

// What passed where nothing need be computed to pass.
void about_zeros(const std::vector<TraceRow>& rows, std::vector<std::string>& cautions) {
  std::set<std::string> workloads;
  std::string first;
  for (const TraceRow& row : rows) {
    if (!row.passed() || row.evaluation->calls.zeros_pass == nullptr) continue;
    if (workloads.empty()) first = fmt::format("{} ({})", place_of(row), *row.evaluation->calls.zeros_pass);
    workloads.insert(work_of(row));
  }
  if (workloads.empty()) return;
  cautions.push_back(fmt::format(
      "Zeros in place of an output would have passed for {}{} {}. What passed there may have computed "
      "nothing: a lower --atol and --rtol, or a tolerance of its own for the workload, tells. fib "
      "validate --checks workload-strength says more.",
      present::plural(workloads.size(), "workload"), workloads.size() == 1 ? ":" : ", first of all", first));
}

void about_calls(const std::vector<TraceRow>& rows, std::string_view noun,
                 std::vector<std::string>& cautions) {
  std::map<std::string, double> highest;  // clock, by hardware
  for (const TraceRow& row : rows) {
    if (!row.evaluation) continue;
    double& clock = highest[*row.evaluation->hardware];
    clock = std::max(clock, row.evaluation->calls.sm_clock_mhz.value_or(0));
  }
  CallsCheck check;
  for (const TraceRow& row : rows) {
    if (row.passed()) check.add(row, highest.at(*row.evaluation->hardware));
  }
  check.write(noun, cautions);
}

// Definitions whose results were not all made in one run.
void about_runs(const std::vector<TraceRow>& rows, std::vector<std::string>& cautions) {
  std::map<std::string, std::map<std::string, std::set<std::string>>> runs;  // by hardware and definition
  for (const TraceRow& row : rows) {
    if (row.evaluation && row.evaluation->origin.run_id != nullptr)
      runs[*row.evaluation->hardware][*row.definition].insert(*row.evaluation->origin.run_id);
  }
  std::set<std::string> definitions;
  for (const auto& [hardware, of_hardware] : runs) {
    for (const auto& [definition, ids] : of_hardware) {
      if (ids.size() > 1) definitions.insert(definition);
    }
  }
  if (!definitions.empty()) cautions.push_back(several_runs_text({definitions.begin(), definitions.end()}));
}

}  // namespace

std::string several_runs_text(const std::vector<std::string>& definitions) {
  return fmt::format("Not all results of {} are of one run: a machine may be slower in one than in another.",
                     util::some_of(definitions));
}

std::vector<std::string> cautions_of(const dataset::StandingResults* standing,
                                     const std::vector<TraceRow>& rows, HasReferences has_references,
                                     std::string_view noun) {
  std::vector<std::string> cautions;
  if (standing != nullptr && has_references == HasReferences::yes)
    cautions = about_references([&](const TraceRow& row) { return standing->reference_of(row); }, rows);
  about_calls(rows, noun, cautions);
  about_zeros(rows, cautions);
  if (standing != nullptr) about_runs(rows, cautions);
  return cautions;
}

std::vector<std::string> cautions_of(const dataset::ReferenceTimes& references,
                                     const std::vector<TraceRow>& rows) {
  auto cautions = about_references([&](const TraceRow& row) { return references.of(row); }, rows);
  about_calls(rows, "result", cautions);
  about_zeros(rows, cautions);
  return cautions;
}

void write(present::Document& document, const Remarks& remarks) {
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
