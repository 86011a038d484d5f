#pragma once

#include <span>
#include <string>

#include "model/trace.h"

// Digests by which programs know whether a result may be used again. All functions are pure.
namespace fib::report {

// What a result depends on and its trace does not say.
struct Circumstances {
  std::string sandbox = {};     // what was asked for: --sandbox
  std::string count_work = {};  // which evaluations were to be counted, on devices that can: --count-work
  std::string tools = {};       // versions of the driver, compilers and interpreter
  std::string seed = {};        // what was asked for, which fixes the inputs: --seed; empty: nothing
};

// What was asked for: the sources, what they compute, on which workloads and how. Equal for equal questions.
// `traces` have evaluations.
[[nodiscard]] std::string request_digest(std::span<const model::Trace> traces,
                                         const Circumstances& circumstances);

// Where it was answered: hardware, driver, compilers, packages and fib itself.
[[nodiscard]] std::string environment_digest(const model::Trace& trace, const Circumstances& circumstances);

}  // namespace fib::report
