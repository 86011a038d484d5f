#include "report/junit.h"

#include <fmt/format.h>

#include "model/json_value.h"
#include "util/utf8.h"

namespace fib::report {
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
                     escape_xml(text.substr(0, text.find('\n'))), escape_xml(text));
}

std::string case_element(const std::string& suite, const JUnitCase& one) {
  std::string text =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\"", escape_xml(suite), escape_xml(one.name));
  if (one.seconds) text += fmt::format(" time=\"{}\"", seconds_text(*one.seconds));
  text += ">\n";
  if (one.skipped) {
    const std::string& why = *one.skipped;
    text += "      <skipped" + (why.empty() ? "" : fmt::format(" message=\"{}\"", escape_xml(why))) + "/>\n";
  }
  if (one.failure) text += failure_element(*one.failure);
  if (!one.output.empty()) text += fmt::format("      <system-out>{}</system-out>\n", escape_xml(one.output));
  return text + "    </testcase>\n";
}

// XML 1.0 has no place for U+FFFE and U+FFFF.
std::string without_noncharacters(std::string text) {
  for (const std::string_view bad : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
    for (std::size_t i = text.find(bad); i != std::string::npos; i = text.find(bad, i))
      text.replace(i, 3, "?");
  }
  return text;
}

}  // namespace

std::string escape_xml(std::string_view text) {
  std::string result;
  for (const char c : without_noncharacters(util::valid_utf8(std::string(text)))) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\n':
        result += "&#10;";
        break;
      case '\t':
        result += "&#9;";
        break;
      default:
        result += byte < 0x20 ? '?' : c;
    }
  }
  return result;
}

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
    text += fmt::format("  <testsuite name=\"{}\" {}>\n", escape_xml(suite.name), counts(totals)) + cases +
            "  </testsuite>\n";
  }
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" {}>\n",
                     escape_xml(name), counts(all)) +
         text + "</testsuites>\n";
}

}  // namespace fib::report
