#include <fmt/format.h>

#include <algorithm>

#include "chart/markup.h"
#include "report/text.h"
#include "report/workload_text.h"
#include "util/utf8.h"
#include "visual/html.h"
#include "visual/page_parts.h"

namespace fib::visual {
namespace {

// All logs of a page together, so that it stays small enough to open at once.
constexpr std::size_t kAllLogs = 384 * 1024;
constexpr std::size_t kLongestLog = 8 * 1024;
constexpr std::size_t kShortestLog = 200;

// The last `most` bytes, from the beginning of a character on.
std::string end_of(const std::string& log, std::size_t most) {
  if (log.size() <= most) return log;
  std::size_t begin = log.size() - most;
  while (begin < log.size() && (static_cast<unsigned char>(log[begin]) & 0xC0) == 0x80) ++begin;
  return "… " + log.substr(begin);
}

}  // namespace

std::string lines_of(const std::string& text) {
  std::string result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    result += (begin > 0 ? "\n" : "") + chart::escape_xml(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

std::string Logs::link(const report::Detail& detail) {
  if (detail.row.passed()) return "";
  const auto [place, is_new] = places_.emplace(&detail, details_.size() + 1);
  if (is_new) details_.push_back(&detail);
  return fmt::format("log-{}", place->second);
}

std::string Logs::section() const {
  if (details_.empty()) return "";
  const std::size_t most = std::clamp(kAllLogs / details_.size(), kShortestLog, kLongestLog);
  std::string text = "<h2>Logs of failures</h2>\n";
  for (const report::Detail* detail : details_) {
    const auto& row = detail->row;
    const std::string title = fmt::format("{} on {} {} ({}): {}", *row.solution, *row.definition,
                                          report::workload_text(*row.workload), *row.evaluation->hardware,
                                          model::name_of(detail->status()));
    const std::string log = detail->log.empty() ? "The log is empty." : end_of(detail->log, most);
    const std::string command =
        detail->log.size() > most
            ? fmt::format("\n\nThe whole log: fib report show trace {} {}", *row.solution, row.workload->uuid)
            : "";
    text += tag("details", {{"id", fmt::format("log-{}", places_.at(detail))}},
                text_tag("summary", report::printable(title)) + tag("pre", {}, lines_of(log + command))) +
            "\n";
  }
  return tag("section", {{"id", "logs"}}, text) + "\n";
}

}  // namespace fib::visual
