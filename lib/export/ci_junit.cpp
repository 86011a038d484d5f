#include <cmath>
#include <map>

#include "export/ci_forms.h"
#include "present/junit.h"
#include "present/text.h"

namespace fib::exports {
namespace {

// Seconds to a picosecond: more digits are those of the division.
double seconds(double milliseconds) { return std::round(milliseconds * 1e9) / 1e12; }

// The cases that have a log, by the error that it tells of.
using Logs = std::map<std::string, std::string>;

// The first line is the message: what happened, and why. The log follows where it says more, once for all
// cases with the same error.
std::string failure(const CiResult& result, const std::string& name, Logs& logs) {
  const std::string status = report::status_text(result.detail.status(), result.detail.failure);
  const std::string& log = result.detail.log;
  if (log.empty()) return status;
  const std::string message = status + ": " + reason_of(result);
  if (log.find('\n') == std::string::npos) return message;
  const auto [first, is_first] = logs.emplace(error_key(result), name);
  return message + "\n" + (is_first ? log : "the log is that of " + first->second);
}

present::JUnitCase case_of(const CiResult& result, UniqueNames& names, Logs& logs) {
  present::JUnitCase one;
  one.name = names(present::printable(result.solution() + " / " + result.workload));
  if (const auto latency = result.latency_ms()) one.seconds = seconds(*latency);
  if (!result.passed()) one.failure = failure(result, one.name, logs);
  if (result.passed() && result.detail.inputs_changed) one.output = "the solution wrote to its inputs";
  return one;
}

std::vector<present::JUnitCase> skipped_cases(const report::RunRest& rest) {
  std::vector<present::JUnitCase> cases;
  UniqueNames names;
  for (const auto& one : rest.skipped) {
    present::JUnitCase skipped{names(present::printable(one.solution))};
    skipped.skipped = one.reason;
    cases.push_back(std::move(skipped));
  }
  return cases;
}

}  // namespace

std::string junit_results(const std::vector<CiResult>& results, const report::RunRest& rest) {
  std::vector<present::JUnitSuite> suites;
  UniqueNames suite_names;
  UniqueNames case_names;
  Logs logs;
  const CiResult* last = nullptr;
  for (const CiResult& result : results) {
    if (last == nullptr || last->hardware() != result.hardware() ||
        last->definition() != result.definition()) {
      const std::string name = present::printable(result.definition() + " (" + result.hardware() + ")");
      suites.push_back({suite_names(name), {}});
      case_names = {};
    }
    suites.back().cases.push_back(case_of(result, case_names, logs));
    last = &result;
  }
  if (!rest.is_none()) {
    present::JUnitCase one{present::printable("run " + rest.run_id)};
    one.skipped = rest.text();
    suites.push_back({suite_names("not done"), {std::move(one)}});
  }
  if (!rest.skipped.empty()) suites.push_back({suite_names("skipped"), skipped_cases(rest)});
  return present::junit_document("fib", suites);
}

}  // namespace fib::exports
