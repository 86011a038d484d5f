#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "present/text.h"
#include "util/some_of.h"
#include "validate/made_inputs.h"
#include "validate/strength.h"

namespace fib::validate {
namespace {

using eval::NullAnswer;
using present::plural;

// What the solution would have done.
std::string_view name_for_people(NullAnswer answer) {
  switch (answer) {
    case NullAnswer::kZeros:
      return "zeros";
    case NullAnswer::kOnes:
      return "ones";
    case NullAnswer::kInputCopy:
      return "a copy of an input";
    case NullAnswer::kConstantMean:
      return "one value everywhere (the mean of what is right)";
    case NullAnswer::kFirstElement:
      return "zeros but for a right first element";
    case NullAnswer::kLowerPrecision:
      break;
  }
  return "what the reference makes of inputs in lower precision";
}

std::string tolerance_text(const eval::Tolerance& tolerance) {
  std::string text = fmt::format("atol {:g}, rtol {:g}", tolerance.atol, tolerance.rtol);
  if (tolerance.required_matched_ratio < 1)
    text += fmt::format(", {:g} of the elements", tolerance.required_matched_ratio);
  return text;
}

// In the order of answers, then of outputs as they are met.
using NullAnswerOfOutput = std::pair<NullAnswer, std::string>;

void report_group(const NullAnswerOfOutput& group, const std::vector<StrengthRun>& runs, const Place& place,
                  Messages& messages) {
  std::vector<std::string> workloads;
  const eval::Tolerance* tolerance = nullptr;
  for (const StrengthRun& run : runs) {
    for (const auto& passed : run.passed) {
      if (NullAnswerOfOutput{passed.answer, passed.output} != group) continue;
      workloads.push_back(run.workload);
      tolerance = &run.tolerance;
    }
  }
  const std::string of = group.second.empty() ? "" : " in place of output " + group.second;
  const auto text =
      fmt::format("{}{} would pass on {} of {} ({}): {}", name_for_people(group.first), of, workloads.size(),
                  plural(runs.size(), "workload"), tolerance_text(*tolerance), util::some_of(workloads));
  if (group.first == NullAnswer::kLowerPrecision) {
    info(messages, text);
  } else {
    warning(messages, place, text);
  }
}

void report_answers(const std::vector<StrengthRun>& runs, const Place& place, Messages& messages) {
  for (const NullAnswer answer : eval::kAllNullAnswers) {
    std::vector<std::string> outputs;
    for (const StrengthRun& run : runs) {
      for (const auto& passed : run.passed) {
        const bool is_new = std::find(outputs.begin(), outputs.end(), passed.output) == outputs.end();
        if (passed.answer == answer && is_new) outputs.push_back(passed.output);
      }
    }
    for (const std::string& output : outputs) report_group({answer, output}, runs, place, messages);
  }
}

bool is_weak(const StrengthRun& run) {
  return std::any_of(run.passed.begin(), run.passed.end(),
                     [](const auto& passed) { return passed.answer != NullAnswer::kLowerPrecision; });
}

void report_counts(const StrengthCheck& check, Messages& messages) {
  const auto count = [&](auto holds) { return std::count_if(check.runs.begin(), check.runs.end(), holds); };
  const auto not_judged = count([](const StrengthRun& run) { return !run.problem.empty(); });
  const auto weak = count(is_weak);
  const auto all = static_cast<std::ptrdiff_t>(check.runs.size());
  std::string text = fmt::format("a solution that computes nothing would fail on {} of {}",
                                 all - weak - not_judged, plural(check.runs.size(), "workload"));
  if (not_judged > 0) text += fmt::format("; {} not judged", not_judged);
  if (check.proposed) text += "; all workloads are proposed ones";
  info(messages, text);
}

void report_problems(const std::vector<StrengthRun>& runs, const Place& place, Messages& messages) {
  std::map<std::string, std::vector<std::string>> workloads;  // by problem
  for (const StrengthRun& run : runs) {
    if (!run.problem.empty()) workloads[run.problem].push_back(run.workload);
  }
  for (const auto& [problem, names] : workloads)
    warning(messages, place, fmt::format("not judged: {}: {}", problem, util::some_of(names)));
}

}  // namespace

Messages check_strength(const StrengthCheck& check, const Place& place) {
  Messages messages;
  if (check.runs.empty()) {
    warning(messages, place, check.no_workloads);
    return messages;
  }
  report_problems(check.runs, place, messages);
  report_answers(check.runs, place, messages);
  report_counts(check, messages);
  report_made(check.runs, messages);
  return messages;
}

}  // namespace fib::validate
