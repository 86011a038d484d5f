#pragma once

#include <optional>
#include <string_view>
#include <vector>

// Why an evaluation did not pass, as a word of a closed list, for programs: a status says what kind of
// verdict it was, an error code what to do about it. docs/error-codes.md has the list.
namespace fib::model {

enum class ErrorCode {
  // build
  compile_error,
  link_error,
  build_timeout,
  // load
  missing_symbol,
  missing_package,
  load_error,
  load_timeout,
  // run
  too_many_threads,
  too_much_shared_memory,
  bad_launch,
  illegal_access,
  cuda_error,
  device_error,
  out_of_memory,
  exception,
  error_returned,
  crash,
  timeout,
  forbidden_call,
  broken_protocol,
  // judge
  wrong_shape,
  wrong_dtype,
  unwritten_output,
  wrong_values,
  wrong_distribution,
  changed_inputs,
  // time
  work_outside_call,
  impossible_time,
  unexplained_time,
  clocks_disagree,
};

// Who is to blame where there is no result, or a bad one: the solution; the dataset (a blob that is missing,
// a reference that fails); the machine (no compiler, no memory, a device that is lost); fib itself.
enum class Fault { solution, dataset, machine, harness };
[[nodiscard]] std::string_view name_of(Fault fault);

// What is true of every failure with a code.
struct ErrorFacts {
  ErrorCode code{};
  std::string_view name;     // "compile_error"
  std::string_view stage;    // "build", "load", "run", "judge", "time"
  bool retryable = false;    // the same source may pass when it is tried again
  bool violation = false;    // the sandbox or the judge has caught what no honest solution does
  std::string_view meaning;  // a sentence
  std::string_view advice;   // a sentence: what to do next
};

// All of them, by stage.
[[nodiscard]] const std::vector<ErrorFacts>& all_error_facts();
[[nodiscard]] const ErrorFacts& facts_of(ErrorCode code);
// Null: there is no code of this name.
[[nodiscard]] const ErrorFacts* find_error_facts(std::string_view name);

}  // namespace fib::model
