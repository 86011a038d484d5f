#pragma once

#include "eval_inputs.h"
#include "eval_outcome.h"

namespace fib::cmd {

// What `fib eval` says of a try on stdout. `against_last`: each solution is compared with its last result.

// One JSON object.
void print_json(const EvalInputs& inputs, const EvalOutcome& outcome, bool against_last);

// The same of a try that ended by an error of fib's own, which has no results.
void print_json_error(const std::string& error);

struct AnswerForm {
  bool quiet = false;     // one line for each solution
  bool full_log = false;  // whole logs of failures
};
void print_tables(const EvalInputs& inputs, const AnswerForm& form, const EvalOutcome& outcome,
                  bool against_last);

}  // namespace fib::cmd
