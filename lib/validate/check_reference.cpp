#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "present/text.h"
#include "util/some_of.h"
#include "validate/made_inputs.h"
#include "validate/reference.h"

namespace fib::validate {
namespace {

using eval::Agreement;
using eval::OutputDifference;
using present::plural;

bool ran(const ReferenceRun& run) {
  return run.problem.empty() && run.native.error.empty() && run.python.error.empty();
}

bool agrees(const ReferenceRun& run) {
  return ran(run) && std::all_of(run.outputs.begin(), run.outputs.end(),
                                 [](const auto& output) { return output.difference.agrees(); });
}

// Texts that several workloads have in common, each with its workloads, in the order they were met.
class Grouped {
 public:
  void add(const std::string& workload, const std::string& text) {
    const auto known =
        std::find_if(groups_.begin(), groups_.end(), [&](const auto& group) { return group.text == text; });
    if (known == groups_.end()) {
      groups_.push_back({text, workload, 0});
    } else {
      ++known->more;
    }
  }
  template <typename Say>
  void each(Say say) const {
    for (const auto& group : groups_) {
      const auto more = group.more == 0 ? "" : " " + util::and_more(group.more + 1, 1);
      say(fmt::format("workload {}{}: {}", group.workload, more, group.text));
    }
  }

 private:
  struct Group {
    std::string text;
    std::string workload;
    std::size_t more;
  };
  std::vector<Group> groups_;
};

// Two calls tell no more than three digits.
std::string ms(double value) {
  return value < 1000 ? fmt::format("{:.3g} ms", value) : fmt::format("{:.0f} ms", value);
}

// "3 ulp, relative error 1.00e-03, absolute error 5.00e-01".
std::string errors_text(const OutputDifference& found) {
  const std::string errors =
      fmt::format("relative error {}, absolute error {}", present::format_error(found.relative),
                  present::format_error(found.absolute));
  return found.ulps > 0 ? fmt::format("{:.0f} ulp, {}", std::ceil(found.ulps), errors) : errors;
}

std::string difference_text(const ReferenceRun::Output& output) {
  const auto& found = output.difference;
  const bool ranks = found.rule == Agreement::kRanks;
  std::string text = fmt::format(
      "output {}: {} of {} elements {}, first {}: native {}, Python {}", output.name, found.differing,
      found.count, ranks ? "are chosen by one engine only" : "differ",
      eval::element_name(output.name, output.shape, found.first), found.got_text, found.expected_text);
  if (ranks) return text;
  if (found.other_class > 0)
    text += fmt::format("; {} are NaN or infinite in one engine only", found.other_class);
  if (found.other_class < found.differing) text += "; at most " + errors_text(found);
  return text;
}

// Which of several equals torch.topk takes is another matter on the CPU than on a GPU.
std::string ties_text(const ReferenceRun& run, const ReferenceRun::Output& output) {
  const bool ranks = output.difference.rule == Agreement::kRanks;
  if (run.tied_rows == 0) return ranks ? "; equal scores may be the reason, which are not known here" : "";
  return fmt::format("; torch.topk took some of several equal values in {}, which may be the reason",
                     plural(run.tied_rows, "row"));
}

void report_failures(const std::vector<ReferenceRun>& runs, const Place& place, Messages& messages) {
  Grouped problems;
  Grouped failures;
  for (const auto& run : runs) {
    if (!run.problem.empty()) problems.add(run.workload, "not compared: " + run.problem);
    if (!run.native.error.empty()) failures.add(run.workload, "native engine: " + run.native.error);
    if (!run.python.error.empty()) failures.add(run.workload, "Python engine: " + run.python.error);
  }
  failures.each([&](const std::string& text) { error(messages, place, text); });
  problems.each([&](const std::string& text) { warning(messages, place, text); });
}

void report_differences(const std::vector<ReferenceRun>& runs, const Place& place, Messages& messages) {
  for (const auto& run : runs) {
    for (const auto& output : run.outputs) {
      if (output.difference.agrees()) continue;
      const auto text =
          fmt::format("workload {}: {}{}", run.workload, difference_text(output), ties_text(run, output));
      const bool tied = run.tied_rows > 0 && output.difference.other_class == 0;
      if (output.difference.rule == Agreement::kRanks || tied) {
        warning(messages, place, text);
      } else {
        error(messages, place, text);
      }
    }
  }
}

// The worst of all outputs that were compared, whether they agree or not; nothing when none was.
std::optional<OutputDifference> worst(const std::vector<ReferenceRun>& runs) {
  std::optional<OutputDifference> result;
  for (const auto& run : runs) {
    for (const auto& [name, shape, found] : run.outputs) {
      if (found.rule == Agreement::kDraws) continue;
      result = result ? eval::worst_of(*result, found) : found;
    }
  }
  return result;
}

void report_agreement(const std::vector<ReferenceRun>& runs, Messages& messages) {
  const auto found = worst(runs);
  if (!found) return;
  const auto agreeing = std::count_if(runs.begin(), runs.end(), agrees);
  std::string text = fmt::format("engines agree on {} of {}", agreeing, plural(runs.size(), "workload"));
  if (found->absolute > 0) {
    text += "; at most " + errors_text(*found);
  } else if (found->agrees()) {
    text += ", in every bit of every number";
  }
  info(messages, text);
}

void report_draws(const std::vector<ReferenceRun>& runs, Messages& messages) {
  std::set<std::string> names;
  for (const auto& run : runs) {
    for (const auto& output : run.outputs) {
      if (output.difference.rule == Agreement::kDraws) names.insert(output.name);
    }
  }
  if (names.empty()) return;
  const auto all = std::count_if(runs.begin(), runs.end(), ran);
  info(messages, fmt::format("draws, not compared: {}; both engines ran {} of {}", fmt::join(names, ", "),
                             all, plural(runs.size(), "workload")));
}

void report_times(const ReferenceCheck& check, Messages& messages) {
  double native = 0;
  double python = 0;
  for (const auto& run : check.runs) {
    if (!ran(run)) continue;
    native += run.native.ms;
    python += run.python.ms;
  }
  const auto all = std::count_if(check.runs.begin(), check.runs.end(), ran);
  if (all == 0) return;
  std::string text =
      all == 1 ? "time of one call: " : fmt::format("time of one call for each of {} workloads: ", all);
  text += "native " + ms(native);
  if (check.python_on_cuda) {
    text += fmt::format(" with tensors in host memory, Python {} on the GPU", ms(python));
  } else {
    text += ", Python " + ms(python);
    if (python > 0) text += fmt::format("; native / Python {:.2f}", native / python);
  }
  info(messages, text);
}

void report_proposed(const ReferenceCheck& check, Messages& messages) {
  if (check.proposed)
    info(messages,
         fmt::format("the dataset has no workloads: {} proposed", plural(check.runs.size(), "workload")));
}

}  // namespace

Messages check_reference(const ReferenceCheck& check, const Place& place) {
  Messages messages;
  if (check.runs.empty()) {
    warning(messages, place, check.no_workloads);
    return messages;
  }
  report_failures(check.runs, place, messages);
  report_differences(check.runs, place, messages);
  report_agreement(check.runs, messages);
  report_draws(check.runs, messages);
  report_times(check, messages);
  report_proposed(check, messages);
  report_made(check.runs, messages);
  return messages;
}

}  // namespace fib::validate
