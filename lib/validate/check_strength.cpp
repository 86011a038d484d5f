#include <fmt/format.h>

#include <algorithm>

#include "report/text.h"
#include "validate/strength.h"

namespace fib::validate {
namespace {

using eval::NullAnswer;
using report::plural;

// What the solution would have done: "zeros everywhere pass".
std::string_view sentence_of(NullAnswer answer) {
  switch (answer) {
    case NullAnswer::kZeros:
      return "zeros everywhere pass";
    case NullAnswer::kOnes:
      return "ones everywhere pass";
    case NullAnswer::kInputCopy:
      return "a copy of an input passes";
    case NullAnswer::kConstantMean:
      return "the mean of the right output passes, written everywhere";
    case NullAnswer::kFirstElement:
      return "an output passes that is right in its first element alone";
    case NullAnswer::kLowerPrecision:
      break;
  }
  return "arithmetic on inputs of lower precision passes (float64 as float32, float32 as bfloat16, 16 bits "
         "as "
         "float8_e4m3fn)";
}

std::string tolerance_text(const eval::Tolerance& tolerance) {
  std::string text = fmt::format("atol {:g}, rtol {:g}", tolerance.atol, tolerance.rtol);
  if (tolerance.required_matched_ratio < 1)
    text += fmt::format(", {:g} of the elements", tolerance.required_matched_ratio);
  return text;
}

// "a, b, c and 4 more".
std::string some_of(const std::vector<std::string>& workloads) {
  constexpr std::size_t kShown = 3;
  const auto shown = std::min(workloads.size(), kShown);
  auto text = fmt::format(
      "{}", fmt::join(workloads.begin(), workloads.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (workloads.size() > shown) text += fmt::format(" and {} more", workloads.size() - shown);
  return text;
}

void report_answer(NullAnswer answer, const std::vector<StrengthRun>& runs, const Place& place,
                   Messages& messages) {
  std::vector<std::string> workloads;
  const eval::Tolerance* tolerance = nullptr;
  for (const StrengthRun& run : runs) {
    if (std::find(run.passed.begin(), run.passed.end(), answer) == run.passed.end()) continue;
    workloads.push_back(run.workload);
    tolerance = &run.tolerance;
  }
  if (workloads.empty()) return;
  warning(messages, place,
          fmt::format("{} on {} of {} ({}): {}", sentence_of(answer), workloads.size(),
                      plural(runs.size(), "workload"), tolerance_text(*tolerance), some_of(workloads)));
}

void report_problems(const std::vector<StrengthRun>& runs, const Place& place, Messages& messages) {
  std::map<std::string, std::vector<std::string>> workloads;  // by problem
  for (const StrengthRun& run : runs) {
    if (!run.problem.empty()) workloads[run.problem].push_back(run.workload);
  }
  for (const auto& [problem, names] : workloads)
    warning(messages, place, fmt::format("not judged: {}: {}", problem, some_of(names)));
}

}  // namespace

Messages check_strength(const StrengthCheck& check, const Place& place) {
  Messages messages;
  if (check.runs.empty()) {
    warning(messages, place, check.no_workloads);
    return messages;
  }
  report_problems(check.runs, place, messages);
  for (const NullAnswer answer : eval::kAllNullAnswers) report_answer(answer, check.runs, place, messages);
  const auto is_strong = [](const StrengthRun& run) { return run.problem.empty() && run.passed.empty(); };
  info(messages, fmt::format("no null answer passes on {} of {}{}",
                             std::count_if(check.runs.begin(), check.runs.end(), is_strong),
                             plural(check.runs.size(), "workload"), check.proposed ? ", all proposed" : ""));
  return messages;
}

}  // namespace fib::validate
