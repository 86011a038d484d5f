#include <fmt/format.h>

#include "util/utf8.h"
#include "validate/report.h"

namespace fib::validate {
namespace {

struct Totals {
  std::size_t cases = 0;
  std::size_t failures = 0;
  std::size_t skipped = 0;
};

// XML 1.0 has no way to write most control characters.
std::string xml(std::string_view text) {
  std::string result;
  for (const char c : text) {
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

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

std::string failure(const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  return fmt::format("      <failure message=\"{}\">{}</failure>\n", xml(lines.front()), xml(joined(lines)));
}

std::string output(const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  return fmt::format("      <system-out>{}</system-out>\n", xml(joined(lines)));
}

std::string test_case(const std::string& suite, const CheckResult& check, bool warnings_fail,
                      Totals& totals) {
  ++totals.cases;
  const std::string start =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\">\n", xml(suite), xml(check.name));
  if (!check.messages) {
    ++totals.skipped;
    const std::string& why = check.why_skipped;
    const std::string reason = why.empty() ? "" : fmt::format(" message=\"{}\"", xml(why));
    return start + "      <skipped" + reason + "/>\n    </testcase>\n";
  }
  std::vector<std::string> failures;
  std::vector<std::string> others;
  for (const Message& message : *check.messages) {
    const bool fails = message.level == Level::error || (warnings_fail && message.level == Level::warning);
    (fails ? failures : others).push_back(fmt::format("{}: {}", name_of(message.level), message.text));
  }
  if (!failures.empty()) ++totals.failures;
  return start + failure(failures) + output(others) + "    </testcase>\n";
}

std::string counts(const Totals& totals) {
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\"", totals.cases,
                     totals.failures, totals.skipped);
}

std::string suite(const std::string& name, const std::vector<CheckResult>& checks, bool warnings_fail,
                  Totals& all) {
  Totals totals;
  std::string cases;
  for (const CheckResult& check : checks) cases += test_case(name, check, warnings_fail, totals);
  all.cases += totals.cases;
  all.failures += totals.failures;
  all.skipped += totals.skipped;
  return fmt::format("  <testsuite name=\"{}\" {}>\n", xml(name), counts(totals)) + cases +
         "  </testsuite>\n";
}

}  // namespace

std::string to_junit(const Report& report, bool warnings_fail) {
  Totals all;
  std::string suites;
  for (const DefinitionReport& definition : report.definitions) {
    suites += suite(definition.name, definition.checks, warnings_fail, all);
  }
  if (!report.dataset.empty()) suites += suite("(dataset)", report.dataset, warnings_fail, all);
  return util::valid_utf8("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" +
                          fmt::format("<testsuites name=\"fib validate\" {}>\n", counts(all)) + suites +
                          "</testsuites>\n");
}

}  // namespace fib::validate
