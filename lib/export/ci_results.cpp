#include "export/ci_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "dataset/trace_stream.h"
#include "report/text.h"
#include "report/workload_text.h"
#include "util/hash.h"

namespace fib::exports {
namespace {

constexpr std::size_t kKeptLines = 40;
constexpr std::size_t kKeptBytes = 8192;
constexpr std::size_t kLongestName = 1000;
constexpr std::size_t kHashDigits = 16;

// At most `limit` bytes of valid UTF-8 text; "…" ends what was cut.
std::string cut(std::string text, std::size_t limit) {
  constexpr std::string_view kMark = "…";
  if (text.size() <= limit) return text;
  limit -= std::min(limit, kMark.size());
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0U) == 0x80U) --limit;
  text.resize(limit);
  return text.append(kMark);
}

bool usable(double value) { return std::isfinite(value) && value > 0; }

// Labels of workloads, unique within a definition. They depend on the workloads of the dataset, not on which
// of them passed, so that a benchmark keeps its name.
class WorkloadLabels {
 public:
  explicit WorkloadLabels(const dataset::Dataset& dataset) {
    for (const auto& [definition, workloads] : dataset.workloads) {
      for (const auto& workload : workloads) add(definition, workload);
    }
  }

  void add(const std::string& definition, const model::Workload& workload) {
    uuids_[{definition, report::axes_cell(workload).text}].insert(workload.uuid);
  }

  [[nodiscard]] std::string operator()(const std::string& definition, const model::Workload& workload) const {
    if (workload.axes.empty()) return workload.uuid;
    const std::string axes = report::axes_cell(workload).text;
    return uuids_.at({definition, axes}).size() == 1 ? axes : axes + " [" + workload.uuid + "]";
  }

 private:
  std::map<std::pair<std::string, std::string>, std::set<std::string>> uuids_;  // by definition and axes
};

std::vector<report::Detail> read_all(const dataset::Dataset& dataset, const dataset::Filter& filter,
                                     std::vector<std::string>& unreadable,
                                     const std::atomic<bool>* interrupted) {
  std::vector<report::Detail> details;
  const auto add = [&](const model::Trace& trace) {
    if (!trace.solution || !trace.evaluation) return;
    details.push_back(report::make_detail(trace, *dataset.pool, report::KeepLogs::no));
    details.back().log = log_tail(trace.evaluation->log, kKeptLines, kKeptBytes);
  };
  dataset::for_each_trace(dataset, filter, unreadable, add, interrupted);
  return details;
}

bool by_names(const report::Detail* a, const report::Detail* b) {
  const auto names = [](const report::Detail& detail) {
    return std::tie(*detail.row.evaluation->hardware, *detail.row.definition, *detail.row.solution);
  };
  return names(*a) < names(*b);
}

}  // namespace

std::string CiResult::name() const {
  return report::printable(fmt::format("{} / {} / {} ({})", definition(), solution(), workload, hardware()));
}

std::optional<double> CiResult::median_ms() const {
  const auto median = detail.median_ms();
  return median && usable(*median) ? median : std::nullopt;
}

std::optional<report::Spread> CiResult::spread() const {
  if (!detail.spread || !median_ms()) return std::nullopt;
  const auto& spread = *detail.spread;
  const bool ordered = spread.q25_ms <= spread.median_ms && spread.median_ms <= spread.q75_ms;
  return ordered && usable(spread.q25_ms) && usable(spread.q75_ms) ? detail.spread : std::nullopt;
}

std::optional<double> CiResult::speedup() const {
  const auto& performance = detail.row.evaluation->performance;
  if (!passed() || !performance || !usable(performance->speedup_factor)) return std::nullopt;
  return performance->speedup_factor;
}

std::vector<CiResult> read_ci_results(const dataset::Dataset& dataset, const dataset::Filter& filter,
                                      std::vector<std::string>& unreadable,
                                      const std::atomic<bool>* interrupted) {
  const auto details = read_all(dataset, filter, unreadable, interrupted);
  auto latest = report::latest(details);
  std::stable_sort(latest.begin(), latest.end(), by_names);
  WorkloadLabels labels(dataset);
  for (const auto* detail : latest) labels.add(*detail->row.definition, *detail->row.workload);
  std::vector<CiResult> results;
  results.reserve(latest.size());
  for (const auto* detail : latest)
    results.push_back({*detail, labels(*detail->row.definition, *detail->row.workload)});
  return results;
}

std::string log_tail(std::string_view log, std::size_t lines, std::size_t bytes) {
  std::string tail;
  while (!log.empty() && lines > 0) {
    const std::size_t newline = log.rfind('\n');
    std::string line(log.substr(newline == std::string_view::npos ? 0 : newline + 1));
    log = log.substr(0, newline == std::string_view::npos ? 0 : newline);
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    if (line.back() == '\r') line.pop_back();
    line = cut(report::printable(line), bytes);
    if (tail.size() + line.size() + 1 > bytes && !tail.empty()) break;
    if (!tail.empty()) line += '\n';
    tail.insert(0, line);
    --lines;
  }
  return tail;
}

std::string UniqueNames::operator()(const std::string& name) {
  std::string whole = name;
  if (whole.size() > kLongestName) {
    const std::string digits = util::sha256_hex(name).substr(0, kHashDigits);
    whole = cut(name, kLongestName - kHashDigits - 1) + " " + digits;
  }
  std::string unique = whole;
  for (std::size_t i = 2; !taken_.insert(unique).second; ++i) unique = fmt::format("{} #{}", whole, i);
  return unique;
}

}  // namespace fib::exports
