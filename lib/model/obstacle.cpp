#include "model/obstacle.h"

#include <algorithm>

#include "util/utf8.h"

namespace fib::model {

const std::vector<ObstacleFacts>& all_obstacle_facts() {
  using enum ObstacleCode;
  using enum Fault;
  constexpr bool kRetry = true;
  static const std::vector<ObstacleFacts> all{
      {no_workloads, "no_workloads", "plan", dataset, false,
       "The dataset lacks the solution's definition, or has no workloads of it.",
       "Add the definition and a workload of it to the dataset, or mend the solution's \"definition\"."},
      {bad_definition, "bad_definition", "plan", dataset, false,
       "Nothing says how solutions of the definition are to be judged.",
       "Read the reason: the definition's name and op_type ask for more than one judging rule."},
      {unsupported_solution, "unsupported_solution", "plan", harness, false,
       "fib does not run solutions of this language or binding.",
       "Write it in one of the kinds that docs/kinds.md lists, or leave it out."},
      {other_device, "other_device", "plan", machine, false,
       "The solution is not for a device of the kind that it is to run on.",
       "Choose another --device, or a machine that has what its target_hardware names."},
      {missing_tool, "missing_tool", "plan", machine, false,
       "What the solution or its reference needs is not installed or does not work: a compiler, a package, "
       "header files; where only a build could tell, it was tried.",
       "Install or mend what the reason names, or leave the solution out."},
      {build_not_made, "build_not_made", "build", machine, kRetry,
       "The build ended for a reason that is not the source's: its compiler was killed, say, or a disk is "
       "full.",
       "Mend what the reason names, and try again."},
      {bad_workload, "bad_workload", "load", dataset, false, "The workload's inputs cannot be read or made.",
       "Read the reason, and mend the workload or its files; fib validate tells of all of them."},
      {unsupported_workload, "unsupported_workload", "load", harness, false,
       "fib cannot make inputs of the kind that the workload asks for.",
       "Leave the workload out, or write its inputs into a file."},
      {too_large, "too_large", "load", machine, false,
       "The workload's inputs and outputs need more memory than the machine or the device has.",
       "Try a smaller workload, or a machine with more memory."},
      {reference_failed, "reference_failed", "run", dataset, false,
       "The definition's reference has no answer to judge by.",
       "Mend the reference: fib validate --checks reference runs it."},
      {unsupported_reference, "unsupported_reference", "run", machine, false,
       "The built-in engine does not run the definition's reference, and torch is not there or not asked "
       "for.",
       "Install torch for the Python that fib uses, and do not insist on --reference native."},
      {machine_error, "machine_error", "run", machine, kRetry,
       "The machine refused something, or ended one of fib's processes.",
       "Read the reason: memory, disk space or descriptors may have run out. Then try again."},
      {lost_device, "lost_device", "run", machine, kRetry, "The device cannot be used any more.",
       "See whether nvidia-smi still lists it and whether other work has filled its memory, and try again."},
      {fib_error, "fib_error", "run", harness, false, "This is a mistake of fib's own.",
       "Please report it, with the command and the reason."},
      {busy_device, "busy_device", "time", machine, kRetry,
       "Other work keeps the device busy, so that calls cannot be timed.",
       "End the other work, or choose another device, and try again."},
      {full_device, "full_device", "time", machine, kRetry,
       "The device has no memory left for what fib needs to hold a claim against its own counters.",
       "End what else uses its memory, and try again."},
      {unclear_time, "unclear_time", "time", machine, kRetry,
       "What was measured contradicts itself, and a busy machine may be the reason.",
       "Try again on a quieter machine."},
      {unclear_work, "unclear_work", "time", solution, kRetry,
       "The solution takes so long, or is so busy, where nobody times it, that there can be no verdict.",
       "Let it wait for its device without threads or processes that compute meanwhile, and try again."},
  };
  return all;
}

const ObstacleFacts& facts_of(ObstacleCode code) {
  return all_obstacle_facts().at(static_cast<std::size_t>(code));
}

const ObstacleFacts* find_obstacle_facts(std::string_view name) {
  const auto& all = all_obstacle_facts();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

nlohmann::ordered_json json_of(const Obstacle& obstacle) {
  const ObstacleFacts& facts = facts_of(obstacle.code);
  return {{"code", facts.name},
          {"stage", facts.stage},
          {"fault", name_of(facts.fault)},
          {"retryable", facts.retryable},
          {"reason", util::valid_utf8(obstacle.why)}};
}

}  // namespace fib::model
