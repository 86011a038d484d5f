#pragma once

#include <string>

#include "model/definition.h"
#include "model/workload.h"

namespace fib::validate {

// Which constraint of the definition does not hold for the workload, a sentence with its values; empty when
// none is known not to: those about the content of files, and such that cannot be parsed, are not judged.
[[nodiscard]] std::string broken_constraint(const model::Definition& definition,
                                            const model::Workload& workload);

}  // namespace fib::validate
