#include "dataset/conditions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "dataset/trace_row.h"

namespace fib::dataset {
namespace {

using nlohmann::ordered_json;

std::string plain(const ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::optional<std::string> joined(const std::vector<std::string>& parts) {
  if (parts.empty()) return std::nullopt;
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string tolerance_text(const model::RecordedTolerance& tolerance) {
  std::string text = "own tolerance";
  const auto add = [&](const char* name, const std::optional<double>& value) {
    if (value) text += fmt::format(" {} {}", name, *value);
  };
  add("rtol", tolerance.rtol);
  add("atol", tolerance.atol);
  add("matched", tolerance.required_matched_ratio);
  add("max error", tolerance.max_error);
  return text;
}

// "Python 3.12.3, torch 2.11" and "Python 3.13.0, ..." are one kind.
std::string kind_of_engine(const std::string& engine) { return engine.substr(0, engine.find(' ')); }

}  // namespace

bool fails_before_reference(const TraceRow& row) {
  if (row.passed()) return false;
  const std::string* conditions = row.evaluation->origin.workload_conditions;
  return conditions == nullptr || conditions->find("reference ") == std::string::npos;
}

bool is_same_work(const TraceRow& left, const TraceRow& right) {
  const auto* of_left = left.evaluation->origin.definition_sha256;
  const auto* of_right = right.evaluation->origin.definition_sha256;
  if (of_left != nullptr && of_right != nullptr && *of_left != *of_right) return false;
  return left.workload == right.workload || model::same_work(*left.workload, *right.workload);
}

std::optional<std::string> run_conditions_text(const model::MeasurementRecord& record) {
  if (record.config.is_null()) return std::nullopt;
  std::vector<std::string> parts;
  for (const char* name : {"flush", "clock", "rtol", "atol"}) {
    if (record.config.contains(name)) parts.push_back(fmt::format("{} {}", name, plain(record.config[name])));
  }
  // A ratio that was not given is null today; it was 1 before rules had ratios of their own.
  const auto ratio = record.config.find("required_matched_ratio");
  if (ratio != record.config.end() && !ratio->is_null() && *ratio != 1.0)
    parts.push_back("matched " + plain(*ratio));
  return joined(parts);
}

std::optional<std::string> workload_conditions_text(const model::MeasurementRecord& record) {
  std::vector<std::string> parts;
  if (record.rule) parts.push_back("rule " + *record.rule);
  // Of a solution that did not build it is empty.
  if (record.reference && record.reference->engine && !record.reference->engine->empty()) {
    // Speedups are over the one that was timed.
    const auto& engine = record.reference->timed_by ? record.reference->timed_by : record.reference->engine;
    parts.push_back("reference " + kind_of_engine(*engine));
  }
  if (record.tolerance) parts.push_back(tolerance_text(*record.tolerance));
  if (record.synthesized && !record.synthesized->empty())
    parts.push_back(fmt::format("made inputs {}", fmt::join(*record.synthesized, " ")));
  return joined(parts);
}

}  // namespace fib::dataset
