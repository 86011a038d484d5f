#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eval/layout.h"
#include "model/error_code.h"
#include "model/measurement_record.h"
#include "model/solution.h"
#include "worker/answer.h"

// What programs are told of a solution's failure, beside the sentence for people. All functions are pure.
namespace fib::bench {

// Why the solution failed; what is known of it beyond status and note.
struct FailureFacts {
  model::ErrorCode code{};
  std::optional<std::uint64_t> call = std::nullopt;  // from 1
  std::optional<eval::Mismatch> mismatch = std::nullopt;
  std::optional<std::uint64_t> skipped_after = std::nullopt;  // failures, after which it was not tried again
  std::string error = {};                                     // error_name(); empty: it has none
};

// Of a build that failed, by its log.
[[nodiscard]] model::ErrorCode code_of_build(const std::string& log);

// Of a launch plan that cannot be carried out as it stands, by the error's text.
[[nodiscard]] model::ErrorCode code_of_launch_plan(const std::string& error);

// Of a worker that failed while the solution was loaded, or while it ran, on CUDA or on the CPU, where no
// words of the solution mean that a launch or a device failed.
[[nodiscard]] FailureFacts facts_of_load(const worker::Failure& failure, bool on_cuda);
[[nodiscard]] FailureFacts facts_of_run(const worker::Failure& failure, bool on_cuda);

// The name that the error itself has in what a worker says: of CUDA's driver or runtime
// ("CUDA_ERROR_ASSERT", "cudaErrorInvalidValue"), of the signal that ended the process ("SIGSEGV"), of a
// Python exception ("ValueError"), or the code that was returned ("7"). Empty: it has none. Letters, digits,
// '_', '.' and '-' alone, 64 at most. A solution that throws may say what it likes.
[[nodiscard]] std::string error_name(const std::string& text);

// `log`: of which diagnostics are read; `sources`: the solution's. What shows in the build has failed there,
// whatever its code.
[[nodiscard]] model::RecordedFailure failure_record(const FailureFacts& facts, model::Status status,
                                                    const std::string& log,
                                                    const std::vector<model::SourceFile>& sources);

}  // namespace fib::bench
