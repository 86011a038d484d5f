#include "present/junit.h"

#include <fmt/format.h>

#include "model/json_value.h"
#include "util/xml.h"

namespace fib::present {
namespace {

struct Totals {
  std::size_t cases = 0;
  std::size_t failures = 0;
  std::size_t skipped = 0;

  void add(const JUnitCase& one) {
    ++cases;
    if (one.failure) ++failures;
    if (one.skipped) ++skipped;
  }
};

std::string counts(const Totals& totals) {
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\"", totals.cases,
                     totals.failures, totals.skipped);
}

// A decimal, for JUnit's schema knows no exponents.
std::string seconds_text(double seconds) {
  std::string text = model::json::format_double(seconds);
  if (text.find('e') == std::string::npos) return text;
  text = fmt::format("{:.12f}", seconds);
  return text.substr(0, text.find_last_not_of('0') + 1);
}

std::string failure_element(const std::string& text) {
  return fmt::format("      <failure message=\"{}\">{}</failure>\n",
                     util::escape_xml(text.substr(0, text.find('\n'))), util::escape_xml(text));
}

std::string case_element(const std::string& suite, const JUnitCase& one) {
  std::string text = fmt::format("    <testcase classname=\"{}\" name=\"{}\"", util::escape_xml(suite),
                                 util::escape_xml(one.name));
  if (one.seconds) text += fmt::format(" time=\"{}\"", seconds_text(*one.seconds));
  text += ">\n";
  if (one.skipped) {
    const std::string& why = *one.skipped;
    text += "      <skipped" + (why.empty() ? "" : fmt::format(" message=\"{}\"", util::escape_xml(why))) +
            "/>\n";
  }
  if (one.failure) text += failure_element(*one.failure);
  if (!one.output.empty())
    text += fmt::format("      <system-out>{}</system-out>\n", util::escape_xml(one.output));
  return text + "    </testcase>\n";
}

}  // namespace

std::string junit_document(std::string_view name, const std::vector<JUnitSuite>& suites) {
  Totals all;
  std::string text;
  for (const JUnitSuite& suite : suites) {
    Totals totals;
    std::string cases;
    for (const JUnitCase& one : suite.cases) {
      totals.add(one);
      all.add(one);
      cases += case_element(suite.name, one);
    }
    text += fmt::format("  <testsuite name=\"{}\" {}>\n", util::escape_xml(suite.name), counts(totals)) +
            cases + "  </testsuite>\n";
  }
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" {}>\n",
                     util::escape_xml(name), counts(all)) +
         text + "</testsuites>\n";
}

}  // namespace fib::present
