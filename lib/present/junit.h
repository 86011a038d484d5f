#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// JUnit's XML, as Jenkins, GitLab and others read it.
namespace fib::present {

struct JUnitCase {
  std::string name;
  std::optional<double> seconds = std::nullopt;       // how long it took; finite
  std::optional<std::string> failure = std::nullopt;  // it failed; the first line is the message
  std::optional<std::string> skipped = std::nullopt;  // it did not run, and why; may be empty
  std::string output = {};                            // what else there is to say
};

struct JUnitSuite {
  std::string name;
  std::vector<JUnitCase> cases;
};

// The whole document, with a final newline; valid UTF-8 and XML 1.0 whatever the texts hold. Pure.
[[nodiscard]] std::string junit_document(std::string_view name, const std::vector<JUnitSuite>& suites);

}  // namespace fib::present
