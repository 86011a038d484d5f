#include "eval_references.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "kept_traces.h"
#include "model/measurement_record.h"
#include "present/text.h"
#include "util/clock.h"
#include "util/error.h"

namespace fib::cmd {
namespace {

std::filesystem::path file_of(const std::string& definition) {
  return file_of_kept("references", {definition});
}

std::vector<model::Trace> readable_traces(const std::string& definition) {
  try {
    return read_kept(file_of(definition));
  } catch (const Error&) {
    return {};  // they are measured again, and the file is written anew
  }
}

std::optional<std::string> timed_utc(const model::Trace& trace) {
  const auto reference = model::measurement_record(*trace.evaluation).reference;
  return reference ? reference->timed_utc : std::nullopt;
}

}  // namespace

bench::EarlierReferences read_references(const bench::Plan& plan,
                                         const std::vector<dataset::Dataset>& datasets,
                                         const bench::RunConfig& config,
                                         const bench::Environment& environment, std::int64_t now_us) {
  bench::EarlierReferences known;
  std::map<std::string, std::vector<model::Trace>> kept;
  for (const auto& planned : plan.evaluations) {
    const auto& definition = planned.definition->name;
    if (!kept.contains(definition)) kept[definition] = readable_traces(definition);
    const auto own = bench::config_for(config, *planned.definition, *planned.workload);
    const auto workload = kept_workload(*planned.workload, definition, datasets[planned.dataset].root);
    auto wanted = planned;
    wanted.workload = &workload;
    std::optional<model::RecordedReference> found;
    for (const auto& trace : kept[definition]) {
      if (found) break;
      found = bench::earlier_reference(trace, wanted, own, environment, FIB_VERSION, now_us);
    }
    if (!found) return {};
    known[{definition, planned.workload->uuid}] = *found;
  }
  return known;
}

void keep_references(const std::map<std::string, std::vector<model::Trace>>& traces) {
  std::map<std::string, std::vector<model::Trace>> kept;
  for (const auto& [solution, own] : traces) {
    for (const model::Trace& trace : own) {
      if (!bench::measures_reference(trace)) continue;
      if (!kept.contains(trace.definition)) kept[trace.definition] = readable_traces(trace.definition);
      auto& of_definition = kept[trace.definition];
      std::erase_if(of_definition, [&](const model::Trace& old) { return are_of_one_work(old, trace); });
      of_definition.push_back(trace);
      of_definition.back().evaluation->log.clear();
      drop_old(of_definition);
    }
  }
  for (const auto& [definition, of_definition] : kept) write_kept(file_of(definition), of_definition);
}

std::optional<std::string> about_references(const std::map<std::string, std::vector<model::Trace>>& traces,
                                            std::int64_t now_us) {
  std::optional<std::int64_t> oldest;
  for (const auto& [solution, own] : traces) {
    for (const model::Trace& trace : own) {
      const auto text = timed_utc(trace);
      const auto then = text ? util::parse_timestamp(*text) : std::nullopt;
      if (then) oldest = std::min(*then, oldest.value_or(*then));
    }
  }
  if (!oldest) return std::nullopt;
  const auto minutes = static_cast<std::size_t>(std::max<std::int64_t>(0, now_us - *oldest) / 60'000'000);
  return fmt::format(
      "Speedups are over the reference's time in a try {} ago; --reference python measures it again.",
      minutes == 0 ? "less than a minute" : present::plural(minutes, "minute"));
}

}  // namespace fib::cmd
