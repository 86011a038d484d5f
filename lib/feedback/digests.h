#pragma once

#include <string>
#include <vector>

#include "model/measurement_record.h"
#include "model/trace.h"

// Digests by which programs know whether a result may be used again. All functions are pure.
namespace fib::feedback {

// What a result depends on and its record does not say otherwise.
struct Circumstances {
  std::string count_work = {};  // which evaluations were to be counted, on devices that can: --count-work
  std::string tools = {};       // versions of the driver, compilers and interpreter; empty: not known
  std::vector<std::string> readable = {};  // folders beside the usual ones that builds and calls read
  std::string seed = {};  // what was asked for, which fixes the inputs: --seed; empty: nothing
};

// What was asked for: the source, what it computes, on which workload and how. Equal for equal questions.
// `record` has hashes, config, device and sandbox.
[[nodiscard]] std::string request_digest(const model::MeasurementRecord& record,
                                         const model::Workload& workload, const Circumstances& circumstances);

// What several requests ask for together, by their digests.
[[nodiscard]] std::string joint_digest(const std::vector<std::string>& digests);

// Where it was answered: hardware, driver, compilers, packages and fib itself. `record` has a version and a
// build id.
[[nodiscard]] std::string environment_digest(const model::MeasurementRecord& record,
                                             const model::Environment& environment,
                                             const Circumstances& circumstances);

}  // namespace fib::feedback
