#pragma once

#include "model/definition.h"
#include "model/workload.h"

namespace fib::model {

// Whether `left` stands before `right`, where workloads of one definition are run and shown: the smaller
// value of the first variable axis that differs, in the definition's order; of equal sizes the lower uuid.
// Without a definition (null) the axes of the workloads themselves count, in their order.
[[nodiscard]] bool is_smaller(const Definition* definition, const Workload& left, const Workload& right);

}  // namespace fib::model
