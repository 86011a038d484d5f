#include "report/compare_ci.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "present/github.h"
#include "present/junit.h"
#include "present/text.h"
#include "report/workload_text.h"
#include "util/some_of.h"

namespace fib::report {
namespace {

std::string sentence(const Comparison& pair) {
  const std::string work =
      fmt::format("{} on {} {} ({})", *pair.b->row.solution, *pair.b->row.definition,
                  workload_text(*pair.b->row.workload), *pair.b->row.evaluation->hardware);
  const std::string remark = pair.remark.empty() ? "" : "; " + pair.remark;
  if (!pair.change) {
    return fmt::format("{}: {} before, {} now{}", work, model::name_of(pair.a->status()),
                       model::name_of(pair.b->status()), remark);
  }
  return fmt::format("{}: {} ms before, {} ms now ({}){}", work, present::format_ms(*pair.latency_a_ms),
                     present::format_ms(*pair.latency_b_ms), format_change(*pair.change), remark);
}

// The record of B's solution.
present::AnnotationPlace place_of(const Comparison& pair, const CompareReport& report) {
  const auto file = report.files.find(*pair.b->row.solution);
  return {file != report.files.end() ? file->second : ""};
}

present::JUnitCase case_of(const Comparison& pair, const std::set<const Comparison*>& regressions) {
  present::JUnitCase result{*pair.b->row.solution + " " + workload_text(*pair.b->row.workload)};
  const std::string text = fmt::format("{}: {}", name_of(pair.verdict), sentence(pair));
  if (pair.latency_b_ms) result.seconds = *pair.latency_b_ms / 1e3;
  if (pair.verdict == Verdict::failed) {
    result.skipped = text;
  } else {
    (regressions.contains(&pair) ? result.failure.emplace() : result.output) = text;
  }
  return result;
}

// Under a gate what passed in A and is missing in B is a failure, as it is for the exit code.
present::JUnitSuite missing_suite(const CompareReport& report, bool has_gate) {
  present::JUnitSuite suite{"only in A", {}};
  for (const Detail* detail : report.only_a) {
    present::JUnitCase one{name_of(*detail)};
    const bool fails = has_gate && detail->row.passed();
    (fails ? one.failure.emplace() : one.skipped.emplace()) = "there is no such result in B";
    suite.cases.push_back(std::move(one));
  }
  return suite;
}

}  // namespace

std::string to_github(const CompareReport& report, const std::optional<CompareGate>& gate) {
  std::string text;
  const auto found = report.regressions(gate ? gate->limit : 0);
  const auto level = gate ? present::Annotation::error : present::Annotation::warning;
  // Results come last, since GitHub shows ten of a step.
  std::size_t before = 0;
  const auto add = [&](std::string_view title, const std::string& note) {
    text += present::annotation(level, title, present::printable(note));
    ++before;
  };
  for (const std::string& caution : cautions_of_b(report)) add("fib compare", caution);
  if (report.missing() > 0) add("missing", alone_text("A", report.only_a));
  if (report.other_work > 0) add("missing", other_work_text(report.other_work));
  if (report.only_b_broken_since > 0) add("broken", broken_since_text(report.only_b_broken_since));
  if (!report.rest_a.is_none()) {
    text += present::annotation(present::Annotation::warning, "fib compare", "A: " + report.rest_a.text());
    if (!gate) ++before;
  }
  // One more says how many there are.
  const std::size_t room = present::kMostAnnotations - std::min(before, present::kMostAnnotations - 1);
  const std::size_t shown = found.size() <= room ? found.size() : room - 1;
  for (std::size_t i = 0; i < shown; ++i)
    text += present::annotation(level, std::string(name_of(found[i]->verdict)),
                                present::printable(sentence(*found[i])), place_of(*found[i], report));
  if (found.size() > shown)
    text += present::annotation(level, "fib compare", util::and_more(found.size(), shown));
  text += present::annotation(present::Annotation::notice, "fib compare", totals_text(report));
  for (const auto& notes : {machine_notes(report, kSameWithin), pair_cautions(report)}) {
    for (const std::string& note : notes)
      text += present::annotation(present::Annotation::notice, "caution", present::printable(note));
  }
  if (gate && (report.nothing_compared()))
    return text + present::annotation(present::Annotation::error, "fib compare", gate_text(report, *gate));
  return text + (gate ? gate_text(report, *gate) + "\n" : "");
}

std::string to_junit(const CompareReport& report, const std::optional<CompareGate>& gate) {
  const auto found = report.regressions(gate ? gate->limit : 0);
  const std::set<const Comparison*> regressions(found.begin(), found.end());
  std::vector<present::JUnitSuite> suites;
  for (const Comparison& pair : report.pairs) {
    const std::string name = *pair.a->row.definition + " on " + *pair.a->row.evaluation->hardware;
    if (suites.empty() || suites.back().name != name) suites.push_back({name, {}});
    suites.back().cases.push_back(case_of(pair, regressions));
  }
  if (!report.only_a.empty()) suites.push_back(missing_suite(report, gate.has_value()));
  if (gate && !why_gate_cannot_hold(report, *gate).empty()) {
    suites.push_back({"gate", {{"fib report compare"}}});
    suites.back().cases.back().failure = gate_text(report, *gate);
  }
  return present::junit_document("fib report compare", suites);
}

}  // namespace fib::report
