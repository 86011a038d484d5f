#include "report/digests.h"

#include <nlohmann/json.hpp>

#include "model/measurement_record.h"
#include "util/hash.h"

namespace fib::report {

// An answer whose work was to be counted is another one: of some workloads, by the run's secret, or of each.
// What an open sandbox lets pass another would have caught.
std::string request_digest(std::span<const model::Trace> traces, const Circumstances& circumstances) {
  util::Sha256 hash;
  hash.add("sandbox").add(circumstances.sandbox);
  bool is_counted = false;
  for (const model::Trace& trace : traces) {
    const auto record = model::measurement_record(*trace.evaluation);
    is_counted =
        is_counted || (record.witness && record.witness->counters && !record.witness->counters->missing);
    hash.add(record.solution_sha256.value_or("")).add(record.definition_sha256.value_or(""));
    hash.add(model::to_json(trace.workload)).add(record.config.dump());
  }
  if (!circumstances.seed.empty()) hash.add("seed").add(circumstances.seed);
  if (is_counted) hash.add("counted").add(circumstances.count_work);
  return hash.hex();
}

std::string environment_digest(const model::Trace& trace, const Circumstances& circumstances) {
  const auto& evaluation = *trace.evaluation;
  const auto record = model::measurement_record(evaluation);
  util::Sha256 hash;
  hash.add(evaluation.environment.hardware).add(circumstances.tools);
  for (const auto& [name, version] : evaluation.environment.libs) hash.add(name).add(version);
  hash.add(record.version.value_or("")).add(record.build_id.value_or(""));
  return hash.hex();
}

}  // namespace fib::report
