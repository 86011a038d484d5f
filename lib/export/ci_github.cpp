#include <fmt/format.h>

#include "export/ci_forms.h"
#include "report/github.h"
#include "report/text.h"

namespace fib::exports {
namespace {

using report::Annotation;

constexpr std::size_t kMost = 50;           // annotations of a kind
constexpr std::size_t kTitleColumns = 200;  // GitHub takes 255 characters
constexpr std::size_t kLogLines = 5;
constexpr std::size_t kLogBytes = 2048;

std::string title(const std::string& what, const CiResult& result) {
  return report::shorten(
      report::printable(fmt::format("{}: {} / {}", what, result.definition(), result.solution())),
      kTitleColumns);
}

std::string error(const CiResult& result) {
  const std::string log = log_tail(result.detail.log, kLogLines, kLogBytes);
  return report::annotation(Annotation::error,
                            title(std::string(model::name_of(result.detail.status())), result),
                            result.name() + (log.empty() ? "" : "\n" + log));
}

std::string warning(const CiResult& result) {
  return report::annotation(Annotation::warning, title("inputs changed", result),
                            result.name() + "\nIt passed, but the solution wrote to its inputs.");
}

// The first annotations of a kind, and how many more there are.
class Some {
 public:
  void add(const std::string& line) {
    if (++count_ <= kMost) text_ += line;
  }
  [[nodiscard]] std::string text(const std::string& noun) const {
    if (count_ <= kMost) return text_;
    return text_ +
           fmt::format("... and {} more {}{}\n", count_ - kMost, noun, count_ - kMost == 1 ? "" : "s");
  }

 private:
  std::size_t count_ = 0;
  std::string text_;
};

}  // namespace

CiTotals::CiTotals(const std::vector<CiResult>& all) : results(all.size()) {
  for (const CiResult& result : all) {
    if (!result.passed()) {
      ++failed[std::string(model::name_of(result.detail.status()))];
      continue;
    }
    ++passed;
    if (result.detail.inputs_changed) ++changed_inputs;
  }
}

std::string CiTotals::text() const {
  if (results == 0) return "no results";
  std::string text =
      fmt::format("{}: {} passed, {} failed", report::plural(results, "result"), passed, results - passed);
  std::string statuses;
  for (const auto& [status, count] : failed)
    statuses += fmt::format("{}{} {}", statuses.empty() ? "" : ", ", count, status);
  if (!statuses.empty()) text += " (" + statuses + ")";
  if (changed_inputs > 0) text += fmt::format("; {} of those that passed changed inputs", changed_inputs);
  return text;
}

std::string github_commands(const std::vector<CiResult>& results) {
  Some errors;
  Some warnings;
  for (const CiResult& result : results) {
    if (!result.passed()) {
      errors.add(error(result));
    } else if (result.detail.inputs_changed) {
      warnings.add(warning(result));
    }
  }
  return errors.text("failure") + warnings.text("warning") +
         report::annotation(Annotation::notice, "fib", CiTotals(results).text());
}

}  // namespace fib::exports
