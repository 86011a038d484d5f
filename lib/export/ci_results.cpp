#include "export/ci_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "dataset/standing.h"
#include "dataset/trace_stream.h"
#include "present/text.h"
#include "report/run_results.h"
#include "report/workload_text.h"
#include "util/hash.h"
#include "util/utf8.h"

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
  text.resize(util::beginning_of(text, limit - std::min(limit, kMark.size())).size());
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
    if (filter.standing) filter.standing->settle_reference(details.back().row);
    details.back().log = log_part(trace.evaluation->status, trace.evaluation->log, kKeptLines, kKeptBytes);
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
  return present::printable(fmt::format("{} / {} / {} ({})", definition(), solution(), workload, hardware()));
}

std::optional<double> CiResult::latency_ms() const {
  const auto latency = detail.latency_ms();
  return latency && usable(*latency) ? latency : std::nullopt;
}

std::optional<LatencyBounds> CiResult::bounds() const {
  const auto latency = latency_ms();
  if (!latency) return std::nullopt;
  const auto& evaluation = *detail.row.evaluation;
  if (const auto& share = evaluation.interval; share && std::isfinite(*share) && *share >= 0)
    return LatencyBounds{*latency * std::max(0.0, 1 - *share), *latency * (1 + *share)};
  const auto& spread = evaluation.calls.spread;
  if (!spread || !usable(spread->q25_ms) || !usable(spread->q75_ms)) return std::nullopt;
  return LatencyBounds{spread->q25_ms, spread->q75_ms};
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

constexpr std::string_view kBefore = "\nBefore that:";  // compile/compiler_log.cpp writes it

std::string log_part(model::Status status, std::string_view log, std::size_t lines, std::size_t bytes) {
  const bool from_begin = status == model::Status::COMPILE_ERROR;
  std::string part;
  while (!log.empty() && lines > 0) {
    const std::size_t newline = from_begin ? log.find('\n') : log.rfind('\n');
    const bool is_last = newline == std::string_view::npos;
    std::string line(from_begin || is_last ? log.substr(0, newline) : log.substr(newline + 1));
    log = is_last ? std::string_view() : from_begin ? log.substr(newline + 1) : log.substr(0, newline);
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    if (line.back() == '\r') line.pop_back();
    line = cut(present::printable(line), bytes);
    if (part.size() + line.size() + 1 > bytes && !part.empty()) break;
    if (!part.empty()) line = from_begin ? "\n" + line : line + "\n";
    part.insert(from_begin ? part.size() : 0, line);
    --lines;
  }
  // The heading of what is left out.
  if (from_begin && part.ends_with(kBefore)) part.resize(part.size() - kBefore.size());
  return part;
}

std::string reason_of(const CiResult& result) {
  return report::failure_reason(result.detail.status(), result.detail.log);
}

std::string error_key(const CiResult& result) {
  std::string key = fmt::format("{}\n{}\n{}\n{}\n", result.hardware(), result.definition(), result.solution(),
                                model::name_of(result.detail.status()));
  constexpr std::string_view kDigits = "0123456789";
  constexpr std::string_view kOfNumbers = "0123456789.e+-";
  constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";
  const std::string_view log = result.detail.log;
  for (std::size_t at = 0; at < log.size();) {
    // Addresses are others in each process.
    if (log.substr(at, 2) == "0x") {
      key += '0';
      at = std::min(log.find_first_not_of(kHexDigits, at + 2), log.size());
      continue;
    }
    const std::size_t digit = log[at] == '-' ? at + 1 : at;
    if (digit < log.size() && kDigits.find(log[digit]) != std::string_view::npos) {
      key += '0';
      at = std::min(log.find_first_not_of(kOfNumbers, digit), log.size());
    } else {
      key += log[at++];
    }
  }
  return key;
}

std::string UniqueNames::operator()(const std::string& name) {
  std::string whole = name;
  if (whole.size() > kLongestName) {
    const std::string digits = util::sha256_hex(name).substr(0, kHashDigits);
    whole = cut(name, kLongestName - kHashDigits - 1) + " " + digits;
  }
  std::string unique = whole;
  std::size_t& last = last_.emplace(whole, 1).first->second;
  while (!taken_.insert(unique).second) unique = fmt::format("{} #{}", whole, ++last);
  return unique;
}

}  // namespace fib::exports
