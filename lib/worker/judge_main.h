#pragma once

#include <functional>
#include <memory>

#include "util/unique_fd.h"
#include "worker/doors.h"

namespace fib::worker {

// The judge: owns the shared buffers, the seeds and the expected outputs, fills and compares. Answers the
// coordinator's requests (PROTOCOL.md, section "judge") until the channel closes, or its device has failed.
// Returns the process's exit code.
[[nodiscard]] int run_judge(util::UniqueFd channel);

// The same in a process that is prepared for it, with devices of `make_device`.
using MakeJudgeDevice = std::function<std::unique_ptr<JudgeDevice>(const UseDevice&)>;
[[nodiscard]] int run_judge(util::UniqueFd channel, MakeJudgeDevice make_device);

}  // namespace fib::worker
