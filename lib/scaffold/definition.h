#pragma once

#include <string>
#include <vector>

#include "model/definition.h"
#include "model/workload.h"

namespace fib::scaffold {

// What a new definition computes until somebody writes what it shall.
enum class Form {
  elementwise,  // y = silu(gate) * up, over all elements
  rows,         // the root mean square norm of each row
  matmul,       // C = A B^T, in bfloat16
};

// A definition that can be run, of one of these forms. `op_type`: of the dataset's folders; empty: the form's
// own. Pure. Throws ParseError for a name that the format does not take.
[[nodiscard]] model::Definition new_definition(const std::string& name, const std::string& op_type,
                                               Form form);

// Workloads of three sizes for a definition that new_definition() made. Pure.
[[nodiscard]] std::vector<model::Workload> usual_workloads(const model::Definition& definition);

}  // namespace fib::scaffold
