#include "visual/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "chart/chart.h"
#include "present/text.h"
#include "report/not_counted.h"
#include "util/find.h"
#include "util/some_of.h"
#include "visual/assets.h"
#include "visual/html.h"
#include "visual/page_parts.h"

namespace fib::visual {
namespace {

std::string head(const PageOptions& options) {
  const std::string policy = fmt::format(
      "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{}'; base-uri 'none'; form-action "
      "'none'",
      page_script_sha256());
  return "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
         "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=color-scheme content=\"light dark\">\n<meta http-equiv=\"Content-Security-Policy\" "
         "content=\"" +
         policy + "\">\n" + text_tag("title", options.title + " – fib report") + "\n<style>\n" +
         std::string(page_css()) + chart::chart_css() + "</style>\n</head>\n";
}

std::string entry(const std::string& id, const std::string& text) {
  const std::string inner = tag("span", {}, breakable(present::printable(text)));
  return "<li>" + tag("a", {{"href", "#" + id}}, inner) + "\n";
}

std::string navigation(const Scene& scene, bool only_history, bool has_environment, bool has_sources,
                       bool has_logs) {
  std::string list;
  for (const HardwareScene& hardware : scene.hardware) {
    if (only_history) break;
    std::string definitions;
    for (const DefinitionScene& definition : hardware.definitions)
      definitions += entry(definition_id(hardware.name, definition.name), definition.name);
    list += entry(hardware_id(hardware.name), hardware.name) + "<ul>" + definitions + "</ul>\n";
  }
  if (!scene.history.runs.empty()) list += entry("history", "History");
  if (has_environment) list += entry("environment", "Environment");
  if (has_sources) list += entry("solutions", "Solutions");
  if (has_logs) list += entry("logs", "Logs of failures");
  return "<nav id=contents aria-label=Contents><ul>\n" + list + "</ul></nav>\n";
}

// When the latest of the traces was made: pages are the same for the same data.
std::string latest_time(const Scene& scene) {
  std::string latest;
  for (const report::Detail& detail : scene.details)
    latest = std::max(latest, detail.row.evaluation->timestamp);
  return latest;
}

// "2026-03-17 14:18 UTC", without a zone where it has none; a time of another form as it is.
std::string minute_of(const std::string& timestamp) {
  constexpr std::string_view kForm = "2026-03-17T14:18";
  const bool is_usual = timestamp.size() > kForm.size() && timestamp[10] == 'T';
  const bool has_zone = timestamp.find_first_of("+-Z", kForm.size()) != std::string::npos;
  if (!is_usual || (has_zone && !timestamp.ends_with("+00:00"))) return timestamp;
  return timestamp.substr(0, 10) + " " + timestamp.substr(11, 5) + (has_zone ? " UTC" : "");
}

// Why numbers of the page may be off, to be opened.
std::string cautions_box(const std::vector<std::string>& cautions, const std::string& missing_baseline) {
  std::string text;
  if (!cautions.empty())
    text =
        text_tag("summary", present::plural(cautions.size(), "reason") + " to doubt some of these numbers");
  if (cautions.empty() && !missing_baseline.empty())
    text = text_tag("summary", "Definitions whose baseline has no result");
  if (text.empty()) return "";
  for (const std::string& caution : cautions)
    text += tag("p", {}, with_whole_options(present::printable(caution)));
  if (!missing_baseline.empty())
    text += tag("p", {}, with_whole_options(present::printable(missing_baseline)));
  return tag("details", {{"class", "cautions"}}, text);
}

// "62 traces of 28 solutions for 5 definitions".
std::string facts_of(const Scene& scene) {
  std::set<std::string> solutions;
  std::set<std::string> definitions;
  for (const report::Detail& detail : scene.details) {
    solutions.insert(*detail.row.solution);
    definitions.insert(*detail.row.definition);
  }
  std::string facts = present::plural(scene.details.size(), "trace");
  if (!scene.details.empty())
    facts += fmt::format(" of {} for {}", present::plural(solutions.size(), "solution"),
                         present::plural(definitions.size(), "definition"));
  return facts;
}

// Why the latest run on the hardware that is shown which left a solution out, or tried it in vain, did so, by
// its name.
std::map<std::string, std::string> reasons_of_runs(const Scene& scene) {
  std::set<std::string> shown;
  for (const HardwareScene& hardware : scene.hardware) shown.insert(hardware.name);
  std::map<std::string, std::string> reasons;
  for (const report::HistoryRun& run : scene.history.runs) {
    if (!shown.contains(run.record.hardware)) continue;
    for (const auto* list : {&run.record.skipped, &run.record.in_vain}) {
      for (const dataset::SkippedInRun& one : *list) reasons[one.solution] = one.reason;
    }
  }
  return reasons;
}

// The solutions of the dataset without a result of their present source, to be opened: by the reason that a
// run gave, else by the hardware that they are for.
std::string untried_box(const Scene& scene) {
  const auto reasons = reasons_of_runs(scene);
  std::set<std::string> counted;
  for (const dataset::TraceRow& row : scene.dataset.traces) {
    if (row.solution != nullptr) counted.insert(*row.solution);
  }
  std::set<std::string> tried;  // and does not count
  for (const report::Detail& detail : scene.details) tried.insert(*detail.row.solution);
  std::set<std::string> outdated;
  if (scene.standing != nullptr) outdated = scene.standing->left_out().outdated;
  std::map<std::string, std::vector<std::string>> by_reason;
  std::size_t count = 0;
  for (const auto& [name, solution] : scene.dataset.solutions) {
    if (counted.contains(name)) continue;
    constexpr std::size_t kMostColumns = 300;
    const std::string target = fmt::format("{}", fmt::join(solution.spec.target_hardware, ", "));
    const std::string* reason = util::find_or_null(reasons, name);
    by_reason[outdated.contains(name) ? "results of an earlier source alone"
              : tried.contains(name)  ? "results that do not count alone"
              : reason != nullptr     ? present::shorten(present::printable(*reason), kMostColumns)
                                  : "for " + (target.empty() ? "hardware that they do not name" : target) +
                                        "; no run says why there is no result"]
        .push_back(name);
    ++count;
  }
  if (count == 0) return "";
  std::string text =
      text_tag("summary", fmt::format("{} {} no result that counts", present::plural(count, "solution"),
                                      count == 1 ? "has" : "have"));
  for (const auto& [reason, names] : by_reason) {
    constexpr std::size_t kMost = 200;
    const std::size_t shown = std::min(names.size(), kMost);
    std::string some =
        fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
    if (shown < names.size()) some += " " + util::and_more(names.size(), shown);
    some += ": " + reason;
    text += tag("p", {}, breakable(present::printable(some)));
  }
  return tag("details", {{"class", "cautions"}}, text);
}

// The definitions of which there are traces, and none that counts.
std::string uncounted_definitions(const Scene& scene) {
  std::set<std::string> names;
  for (const report::Detail& detail : scene.details) names.insert(*detail.row.definition);
  for (const HardwareScene& hardware : scene.hardware) {
    for (const DefinitionScene& definition : hardware.definitions) names.erase(definition.name);
  }
  if (names.empty() || scene.hardware.empty()) return "";
  return text_tag("p", fmt::format("No trace of {} counts.", present::printable(util::some_of(names))));
}

std::string banner(const Scene& scene, const PageOptions& options) {
  std::string facts = facts_of(scene);
  const std::string time = minute_of(latest_time(scene));
  if (!time.empty()) facts += "; the latest of " + time;
  const std::string left_out = report::not_counted_text(scene.standing.get());
  const bool has_references =
      std::any_of(scene.hardware.begin(), scene.hardware.end(),
                  [](const HardwareScene& hardware) { return report::has_references(hardware.summary); });
  const auto cautions = report::cautions_of(scene.standing.get(), scene.dataset.traces,
                                            report::has_references_if(has_references));
  return "<header>" + text_tag("h1", options.title) + text_tag("p", facts) +
         (left_out.empty() ? "" : tag("p", {}, with_whole_options(left_out))) +
         (scene.left_out.empty() ? "" : text_tag("p", scene.left_out + ".")) + uncounted_definitions(scene) +
         cautions_box(cautions, scene.missing_baseline) + untried_box(scene) +
         text_tag("p",
                  "Made by fib " + options.version + ". Results of different hardware are never mixed.") +
         "<a class=contents href=\"#contents\">Contents</a></header>\n";
}

std::string problems(const Scene& scene) {
  if (scene.unreadable.empty()) return "";
  constexpr std::size_t kShown = 20;
  std::string list;
  for (std::size_t i = 0; i < std::min(kShown, scene.unreadable.size()); ++i)
    list += "<li>" + text_tag("span", present::printable(scene.unreadable[i]));
  if (scene.unreadable.size() > kShown)
    list += text_tag("li", util::and_more(scene.unreadable.size(), kShown));
  return "<section id=unreadable><h2>What could not be read</h2><ul>" + list + "</ul></section>\n";
}

}  // namespace

std::string page(const Scene& scene, const PageOptions& options) {
  Logs logs;
  std::string sections = problems(scene);
  for (const HardwareScene& hardware : scene.hardware) {
    if (options.only_history) break;
    sections += hardware_section(scene, hardware, logs);
    for (const DefinitionScene& definition : hardware.definitions)
      sections += definition_section(scene, hardware, definition, logs);
  }
  if (scene.hardware.empty() && scene.history.runs.empty())
    sections += "<p>No traces" + std::string(scene.details.empty() ? "" : " that match") +
                ". To get some: <code>fib run</code>.</p>\n";
  const std::string environment = environment_section(scene);
  sections += history_section(scene, options.defaults) + environment;
  const std::string sources = options.only_history ? "" : sources_section(scene);
  const std::string of_failures = logs.section();
  return head(options) + "<body>\n<a class=skip href=\"#main\">Skip to the content</a>\n" +
         banner(scene, options) +
         navigation(scene, options.only_history, !environment.empty(), !sources.empty(),
                    !of_failures.empty()) +
         "<main id=main>\n" + sections + sources + of_failures + "</main>\n<script>" +
         std::string(page_script()) + "</script>\n</body>\n</html>\n";
}

}  // namespace fib::visual
