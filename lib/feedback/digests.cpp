#include "feedback/digests.h"

#include <nlohmann/json.hpp>

#include "util/hash.h"

namespace fib::feedback {

// What an open sandbox lets pass another would have caught. An answer whose work may be counted is another
// one than without, whichever evaluations the run's secret then picks.
std::string request_digest(const model::MeasurementRecord& record, const model::Workload& workload,
                           const Circumstances& circumstances) {
  util::Sha256 hash;
  hash.add("sandbox").add(record.sandbox ? record.sandbox->mode.value_or("") : "");
  hash.add(record.solution_sha256.value_or("")).add(record.definition_sha256.value_or(""));
  hash.add(model::to_json(workload)).add(record.config.dump());
  for (const std::string& folder : circumstances.readable) hash.add("readable").add(folder);
  if (!circumstances.seed.empty()) hash.add("seed").add(circumstances.seed);
  if (record.device && record.device->kind == "cuda") hash.add("counted").add(circumstances.count_work);
  return hash.hex();
}

std::string joint_digest(const std::vector<std::string>& digests) {
  util::Sha256 hash;
  for (const std::string& digest : digests) hash.add(digest);
  return hash.hex();
}

std::string environment_digest(const model::MeasurementRecord& record, const model::Environment& environment,
                               const Circumstances& circumstances) {
  util::Sha256 hash;
  hash.add(environment.hardware).add(circumstances.tools);
  for (const auto& [name, version] : environment.libs) hash.add(name).add(version);
  hash.add(record.version.value_or("")).add(record.build_id.value_or(""));
  return hash.hex();
}

}  // namespace fib::feedback
