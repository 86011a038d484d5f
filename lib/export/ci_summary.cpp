#include <fmt/format.h>

#include <map>
#include <set>

#include "export/ci_forms.h"
#include "export/ci_ranking.h"
#include "present/document.h"
#include "present/junit.h"
#include "present/table.h"
#include "present/text.h"
#include "util/some_of.h"
#include "util/xml.h"

namespace fib::exports {
namespace {

constexpr std::size_t kSummaryLogLines = 20;
constexpr std::size_t kSummaryLogBytes = 4096;
constexpr std::size_t kReasonBytes = 300;
constexpr std::size_t kEndBytes = 512;  // room for the last lines
constexpr double kFailuresShare = 0.6;  // of the limit; the rest is for the rankings

// Failures are a block of HTML, one row a line and no blank line: within it nothing is read as Markdown, so
// that escaping HTML is all that hostile text needs.
constexpr const char* kTableHead =
    "\n### Failures\n\n<table>\n<tr><th>Status</th><th>Definition</th><th>Solution</th><th>Workload</th>"
    "<th>Hardware</th><th>Log</th></tr>\n";
constexpr const char* kTableEnd = "</table>\n";

std::string cell(const std::string& text) {
  return "<td>" + util::escape_xml(present::printable(text)) + "</td>";
}

// A log is shown once for all workloads with the same error: `told` has these errors. Of the others the line
// that says why, since its numbers are their own.
std::string log_cell(const CiResult& result, std::set<std::string>& told) {
  const std::string log =
      log_part(result.detail.status(), result.detail.log, kSummaryLogLines, kSummaryLogBytes);
  if (log.empty()) return "<td>-</td>";
  if (!told.insert(error_key(result)).second) {
    const std::string reason = reason_of(result);
    return cell(log_part(result.detail.status(), reason.empty() ? log : reason, 1, kReasonBytes));
  }
  return "<td><details><summary>log</summary><pre>" + util::escape_xml(log) + "</pre></details></td>";
}

std::string failure_row(const CiResult& result, std::set<std::string>& told) {
  return "<tr>" + cell(report::status_text(result.detail.status(), result.detail.failure)) +
         cell(result.definition()) + cell(result.solution()) + cell(result.workload) +
         cell(result.hardware()) + log_cell(result, told) + "</tr>\n";
}

// Takes what fits and counts the rest.
class Page {
 public:
  explicit Page(std::size_t limit) : limit_(limit) {}

  void allow(std::size_t limit) { limit_ = limit; }
  void add(const std::string& text) { text_ += text; }
  [[nodiscard]] bool add_if_fits(const std::string& text) {
    if (text_.size() + text.size() > limit_) return false;
    text_ += text;
    return true;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::size_t limit_;
  std::string text_;
};

// Returns how many failures did not fit.
std::size_t add_failures(Page& page, const std::vector<CiResult>& results) {
  std::size_t left_out = 0;
  std::set<std::string> told;
  page.add(kTableHead);
  for (const CiResult& result : results) {
    if (result.passed()) continue;
    const bool is_known = told.contains(error_key(result));
    if (page.add_if_fits(failure_row(result, told))) continue;
    if (!is_known) told.erase(error_key(result));
    ++left_out;
  }
  page.add(kTableEnd);
  return left_out;
}

// Returns how many definitions did not fit; one counts for each hardware.
std::size_t add_rankings(Page& page, const std::vector<CiRanking>& rankings) {
  std::size_t left_out = 0;
  const std::string* hardware = nullptr;
  for (const CiRanking& ranking : rankings) {
    const bool is_new = hardware == nullptr || *hardware != ranking.hardware;
    const std::string head = is_new ? "\n### " + present::escape_markdown(ranking.hardware) + "\n" : "";
    if (page.add_if_fits(head + ranking_text(ranking))) {
      hardware = &ranking.hardware;
    } else {
      ++left_out;
    }
  }
  return left_out;
}

std::string left_out_text(std::size_t failures, std::size_t rankings, bool lacks_skipped) {
  if (failures + rankings == 0 && !lacks_skipped) return "";
  std::string what = failures > 0 ? present::plural(failures, "failure") : "";
  if (rankings > 0) what += (what.empty() ? "" : " and ") + present::plural(rankings, "ranking");
  if (lacks_skipped) what += std::string(what.empty() ? "" : " and ") + "what was skipped";
  return fmt::format(
      "\nLeft out, since GitHub takes no summary of more than 1 MiB: {}. To see all: `fib export --format "
      "junit`, "
      "`fib report summary`.\n",
      what);
}

// The solutions that were skipped, together where the reason is the same; the first few of each.
std::string skipped_text(const report::RunRest& rest) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const auto& one : rest.skipped) by_reason[one.reason].push_back(one.solution);
  std::string text = by_reason.empty() ? "" : "\n### Skipped\n\n";
  for (const auto& [reason, solutions] : by_reason)
    text += fmt::format("- {}: {}\n", present::markdown_block(util::some_of(solutions)),
                        present::escape_markdown(reason));
  return text;
}

}  // namespace

std::string job_summary(const std::vector<CiResult>& results, const dataset::Dataset& dataset,
                        std::size_t limit, const report::RunRest& rest) {
  const CiTotals totals(results, rest);
  Page page(static_cast<std::size_t>(kFailuresShare * static_cast<double>(limit)));
  page.add("## fib\n\n" + present::markdown_block(totals.text()) + "\n");
  const std::size_t failures = totals.failed.empty() ? 0 : add_failures(page, results);
  page.allow(limit - kEndBytes);
  const bool tells_skipped = page.add_if_fits(skipped_text(rest));
  const std::size_t rankings = add_rankings(page, rank_results(results, dataset));
  return page.text() + left_out_text(failures, rankings, !tells_skipped);
}

}  // namespace fib::exports
