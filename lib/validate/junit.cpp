#include "present/junit.h"

#include <fmt/format.h>

#include "validate/report.h"

namespace fib::validate {
namespace {

using present::JUnitCase;
using present::JUnitSuite;

void add_line(std::string& text, const std::string& line) { text += (text.empty() ? "" : "\n") + line; }

JUnitCase case_of(const CheckResult& check, bool warnings_fail) {
  JUnitCase result{check.name};
  if (!check.messages) {
    result.skipped = check.why_skipped;
    return result;
  }
  for (const Message& message : *check.messages) {
    const bool fails = message.level == Level::error || (warnings_fail && message.level == Level::warning);
    if (fails && !result.failure) result.failure = "";
    add_line(fails ? *result.failure : result.output,
             fmt::format("{}: {}", name_of(message.level), message.text));
  }
  return result;
}

JUnitSuite suite_of(const std::string& name, const std::vector<CheckResult>& checks, bool warnings_fail) {
  JUnitSuite suite{name, {}};
  for (const CheckResult& check : checks) suite.cases.push_back(case_of(check, warnings_fail));
  return suite;
}

}  // namespace

std::string to_junit(const Report& report, bool warnings_fail) {
  std::vector<JUnitSuite> suites;
  for (const DefinitionReport& definition : report.definitions) {
    suites.push_back(suite_of(definition.name, definition.checks, warnings_fail));
  }
  if (!report.dataset.empty()) suites.push_back(suite_of("(dataset)", report.dataset, warnings_fail));
  return present::junit_document("fib validate", suites);
}

}  // namespace fib::validate
