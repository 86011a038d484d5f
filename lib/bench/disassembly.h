#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/probe.h"

// What compilers made of a solution.
namespace fib::bench {

enum class CodeForm {
  native,  // of the host's processor, or of the GPU (SASS)
  ptx,
};

// What one kernel takes, as cuobjdump says it.
struct KernelResources {
  std::string kernel;
  std::uint64_t registers = 0;     // a thread
  std::uint64_t stack_bytes = 0;   // a thread: spilled registers and arrays of threads
  std::uint64_t shared_bytes = 0;  // static, a block
};

struct Disassembly {
  std::vector<KernelResources> kernels;  // on CUDA
  std::string text;
  std::string problem;  // why there is nothing, in a sentence or a compiler's log; empty: there is
};

// Of a solution in Python what Triton and torch.compile have made, as the last evaluation that passed has
// kept it (JitCache). Else builds the solution for the session's first device with what its lines need (-g,
// -lineinfo) and disassembles what came out, by objdump on the CPU and by cuobjdump and nvdisasm on CUDA.
// They read what a stranger's source became, so they run shut in as compilers do. Throws Error for what makes
// it impossible.
[[nodiscard]] Disassembly disassemble(Session& session, const RunConfig& config,
                                      const model::Solution& solution, const model::Definition& definition,
                                      CodeForm form);

// The process that does it, "fib __disasm" with the words that disassemble() gives it: prints the text.
// Returns the exit code.
[[nodiscard]] int run_disassembler(const std::vector<std::string>& words);

// The kernels in the output of cuobjdump -res-usage. Pure.
[[nodiscard]] std::vector<KernelResources> resources_of(std::string_view output);

}  // namespace fib::bench
