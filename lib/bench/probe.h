#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/config.h"
#include "bench/session.h"
#include "model/definition.h"
#include "model/solution.h"
#include "model/workload.h"

// Runs a solution on one workload in a process of its own, under a tool that looks at it from outside: a
// sanitizer, a profiler (worker/probe_main.h). Nothing is judged or timed.
namespace fib::bench {

// How a tool wants solutions to be built, and how it is started.
struct ProbeTool {
  std::vector<std::string> words = {};  // in front of the probe's own: "compute-sanitizer --tool memcheck"
  std::vector<std::string> environment = {};  // "NAME=value", beside a clean one
  std::vector<std::string> cflags = {};       // behind the solution's own
  std::vector<std::string> cuda_cflags = {};
  std::vector<std::string> ld_flags = {};
  std::vector<std::filesystem::path> writable = {};  // folders that the tool may write
  bool limits_data = true;  // the solution's memory is limited as in a run; not for tools that map terabytes
};

// The solution with the tool's flags.
[[nodiscard]] model::Solution for_tool(model::Solution solution, const ProbeTool& tool);

struct ProbeOutcome {
  enum class End {
    called,     // the solution was called, and returned
    died,       // its process ended before: `reason`
    not_built,  // `reason` is the compiler's log
    not_done,   // it could not be tried: `reason`
  };
  End end = End::not_done;
  std::string reason;
  std::string output;  // of the tool and the solution together, without what the probe itself says
  int exit_code = 0;   // of the process; 128 and the signal where one ended it
};

// What a tool needs to read of its own: where it is installed, and where NVIDIA's packages put Nsight's
// programs.
[[nodiscard]] std::vector<std::filesystem::path> files_of_tool(const std::string& program);

// Builds the solution for the tool, or takes it from the cache, and calls it twice on the workload, on the
// session's first device, within the time limits of `config`. Where the tool is a program it runs with the
// solution in a room of their own (sandbox/tool_room.h), else the solution in the sandbox, unless `config`
// has none. Python code can be probed on CUDA alone. `dataset_root`: where the workload's blobs are. Takes as
// long as that does; returns soon when the session is interrupted. Throws Error for what makes it impossible.
[[nodiscard]] ProbeOutcome run_probe(Session& session, const RunConfig& config,
                                     const model::Solution& solution, const model::Definition& definition,
                                     const model::Workload& workload,
                                     const std::filesystem::path& dataset_root, const ProbeTool& tool);

}  // namespace fib::bench
