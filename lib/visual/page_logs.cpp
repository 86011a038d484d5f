#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "chart/markup.h"
#include "present/text.h"
#include "report/workload_text.h"
#include "util/shell_word.h"
#include "util/some_of.h"
#include "util/utf8.h"
#include "util/xml.h"
#include "visual/html.h"
#include "visual/overview.h"
#include "visual/page_parts.h"

namespace fib::visual {
namespace {

// All logs of a page together, so that it stays small enough to open at once.
constexpr std::size_t kAllLogs = 384 * 1024;
constexpr std::size_t kLongestLog = 8 * 1024;
constexpr std::size_t kShortestLog = 200;
constexpr std::size_t kMostOpen = 8;  // logs of a solution on a definition

bool is_inside_character(const std::string& text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

// At most `most` bytes, whole characters: of a compiler's log the beginning, where the first error is, else
// the end.
std::string part_of(const std::string& log, model::Status status, std::size_t most) {
  if (log.size() <= most) return log;
  if (status == model::Status::COMPILE_ERROR) {
    std::size_t end = most;
    while (is_inside_character(log, end)) --end;
    return log.substr(0, end) + " …";
  }
  std::size_t begin = log.size() - most;
  while (is_inside_character(log, begin)) ++begin;
  return "… " + log.substr(begin);
}

std::string id_of(std::size_t place) { return fmt::format("log-{}", place + 1); }

// Other tools' logs do not say by how much numbers are wrong: a line for each workload that says it; empty
// where the logs do.
std::string reasons_of(const std::vector<const report::Detail*>& group) {
  constexpr std::size_t kMostLines = 20;
  std::string lines;
  for (std::size_t i = 0; i < std::min(group.size(), kMostLines); ++i) {
    const report::Detail& detail = *group[i];
    const std::string reason = detail.run_id == nullptr || detail.log.empty() ? reason_of(detail) : "";
    if (reason.empty() || detail.log.find(reason) != std::string::npos) continue;
    lines += group.size() > 1 ? report::workload_text(*detail.row.workload) + ": " : "";
    lines += reason + "\n";
  }
  if (!lines.empty() && group.size() > kMostLines) lines += util::and_more(group.size(), kMostLines) + "\n";
  return lines;
}

}  // namespace

std::string lines_of(const std::string& text) {
  std::string result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    result += (begin > 0 ? "\n" : "") + util::escape_xml(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

std::string Logs::link(const report::Detail& detail) {
  if (detail.row.passed()) return "";
  const auto& row = detail.row;
  const std::string told =
      fmt::format("{}\n{}\n{}\n{}\n{}", *row.solution, *row.definition, *row.evaluation->hardware,
                  model::name_of(detail.status()), detail.log);
  const auto [place, is_new] = places_.emplace(told, groups_.size());
  if (is_new) groups_.emplace_back();
  auto& group = groups_[place->second];
  if (std::find(group.begin(), group.end(), &detail) == group.end()) group.push_back(&detail);
  return id_of(place->second);
}

// By definition and solution, as a reader looks for them.
std::vector<std::size_t> Logs::places_by_name() const {
  std::vector<std::size_t> places(groups_.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  const auto key = [&](std::size_t place) {
    const auto& row = groups_[place].front()->row;
    return std::tie(*row.evaluation->hardware, *row.definition, *row.solution);
  };
  std::stable_sort(places.begin(), places.end(),
                   [&](std::size_t left, std::size_t right) { return key(left) < key(right); });
  return places;
}

std::string Logs::one(std::size_t place, std::size_t most) const {
  std::vector<std::string> workloads;
  for (const report::Detail* one : groups_[place])
    workloads.push_back(report::workload_text(*one->row.workload));
  const report::Detail* detail = groups_[place].front();
  const auto& row = detail->row;
  const std::string title = fmt::format("{} on {} {} ({}): {}", *row.solution, *row.definition,
                                        util::some_of(workloads, "workload", util::kNamed, "; "),
                                        *row.evaluation->hardware, model::name_of(detail->status()));
  const std::string reasons = reasons_of(groups_[place]);
  const std::string log =
      (reasons.empty() ? "" : reasons + "\n") +
      (detail->log.empty() ? "The log is empty." : part_of(detail->log, detail->status(), most));
  const std::string command =
      detail->log.size() > most
          ? fmt::format("\n\nThe whole log: fib report show trace {} {}", util::shell_word(*row.solution),
                        util::shell_word(row.workload->uuid))
          : "";
  return tag("details", {{"id", id_of(place)}},
             tag("summary", {}, breakable(present::printable(title))) +
                 tag("pre", {}, lines_of(log + command))) +
         "\n";
}

std::string Logs::section() const {
  if (groups_.empty()) return "";
  const std::size_t most = std::clamp(kAllLogs / groups_.size(), kShortestLog, kLongestLog);
  // A solution with many is one line, which opens.
  std::map<std::string, std::pair<std::size_t, std::string>> by_solution;
  std::vector<std::string> solutions;
  for (const std::size_t place : places_by_name()) {
    const auto& row = groups_[place].front()->row;
    const std::string name =
        fmt::format("{} on {} ({})", *row.solution, *row.definition, *row.evaluation->hardware);
    auto& [count, logs] = by_solution[name];
    if (count++ == 0) solutions.push_back(name);
    logs += one(place, most);
  }
  std::string text = "<h2>Logs of failures</h2>\n";
  for (const std::string& name : solutions) {
    const auto& [count, logs] = by_solution.at(name);
    text +=
        count <= kMostOpen
            ? logs
            : tag("details", {},
                  text_tag("summary", present::printable(fmt::format("{}: {} different logs", name, count))) +
                      logs) +
                  "\n";
  }
  return tag("section", {{"id", "logs"}}, text) + "\n";
}

}  // namespace fib::visual
