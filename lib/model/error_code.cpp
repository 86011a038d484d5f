#include "model/error_code.h"

#include <algorithm>

namespace fib::model {

std::string_view name_of(Fault fault) {
  static constexpr std::string_view kNames[] = {"solution", "dataset", "machine", "harness"};
  return kNames[static_cast<std::size_t>(fault)];
}

const std::vector<ErrorFacts>& all_error_facts() {
  using enum ErrorCode;
  constexpr bool kRetry = true;
  constexpr bool kViolation = true;
  static const std::vector<ErrorFacts> all{
      {compile_error, "compile_error", "build", false, false, "A compiler refused the source.",
       "Mend the first error of the diagnostics; later ones often follow from it."},
      {link_error, "link_error", "build", false, false,
       "The source compiles, but a function or library that it names was not found.",
       "Define the symbol, or name the library among the solution's dependencies or ld_flags."},
      {build_timeout, "build_timeout", "build", true, false, "The build took longer than --build-timeout.",
       "Instantiate fewer templates or unroll less; a busy machine may be the reason too."},
      {missing_symbol, "missing_symbol", "load", false, false,
       "The entry point is not there; where the build shows that, its stage is build.",
       "Name the function as the solution's entry_point has it; C++ needs extern \"C\" unless it is "
       "exported otherwise."},
      {missing_package, "missing_package", "load", false, false, "The source imports what is not installed.",
       "Do without the package, or install it for the Python that fib uses."},
      {load_error, "load_error", "load", false, false, "Loading the solution failed.",
       "Read the log: a library with undefined symbols, or an exception while the source was imported."},
      {load_timeout, "load_timeout", "load", true, false, "Loading the solution took too long.",
       "Do less when the module is imported."},
      {too_many_threads, "too_many_threads", "run", false, false,
       "A launch asks for more threads a block than the kernel may have.",
       "Make blocks smaller: the device allows 1,024 threads, and kernels that use many registers allow "
       "fewer; __launch_bounds__ keeps their number down."},
      {too_much_shared_memory, "too_much_shared_memory", "run", false, false,
       "A kernel asks for more shared memory than it may have; where it declares so much, the stage is "
       "build.",
       "Make tiles smaller or pipelines shorter; more than 48 KiB must be dynamic, and be allowed by "
       "cudaFuncSetAttribute before the launch."},
      {bad_launch, "bad_launch", "run", false, false, "A kernel could not be launched as it was asked for.",
       "Check grid, block, shared memory, registers and the kernel's parameters against the device's "
       "limits."},
      {illegal_access, "illegal_access", "run", false, false,
       "A kernel read or wrote memory that it does not own.",
       "Check indices at the ends of tensors, for sizes that are no multiple of the block; fib sanitize "
       "names the line."},
      {cuda_error, "cuda_error", "run", false, false,
       "A kernel ended early (a trap, a failed assertion), or CUDA refused a call.",
       "The log has CUDA's own words; fib sanitize names the kernel and the line."},
      {device_error, "device_error", "run", kRetry, false,
       "The device itself failed, as by an error of its memory.",
       "Try again, on another device where there is one; the log has the error's name."},
      {out_of_memory, "out_of_memory", "run", kRetry, false,
       "The solution asked for more memory than the device or its limit has.",
       "Allocate less, or once instead of in every call."},
      {exception, "exception", "run", false, false, "The solution threw an exception.",
       "Mend what the last line of the log names."},
      {error_returned, "error_returned", "run", false, false, "The solution returned an error code.",
       "Find out in its source what the code means."},
      {crash, "crash", "run", false, false, "The solution's process ended.",
       "Look in host code for a wild pointer, a stack overflow, a failed assertion or an exit(); "
       "fib sanitize names the line of an access beyond a tensor."},
      {timeout, "timeout", "run", false, false, "The calls did not end within --timeout.",
       "Look for a loop that does not end or a barrier that not all threads reach."},
      {forbidden_call, "forbidden_call", "run", false, kViolation,
       "The solution made a system call that nobody tries who computes: ptrace, a mount, bpf and the like.",
       "Compute only: no ptrace, mounts, namespaces or kernel modules, and no calls of another "
       "architecture."},
      {broken_protocol, "broken_protocol", "run", false, kViolation,
       "The solution's process answered what it was not asked.",
       "Leave file descriptors alone that the solution has not opened."},
      {wrong_shape, "wrong_shape", "judge", false, false,
       "An output has another shape than the definition's.",
       "Return what the definition's outputs say for the sizes of the call."},
      {wrong_dtype, "wrong_dtype", "judge", false, false,
       "An output has another dtype than the definition's.", "Convert the result to the output's dtype."},
      {unwritten_output, "unwritten_output", "judge", false, false, "Elements of an output were not written.",
       "Write every element; look at the last block, and at sizes that are no multiple of it."},
      {wrong_values, "wrong_values", "judge", false, false, "An output differs from the reference's.",
       "Start at the first wrong element; the pattern of the wrong ones tells where to look."},
      {wrong_distribution, "wrong_distribution", "judge", false, false,
       "What the solution drew at random does not follow the distribution.",
       "Check probabilities, truncation and the use of the random numbers."},
      {changed_inputs, "changed_inputs", "judge", false, false, "The solution wrote to its inputs.",
       "Write to outputs and to memory of its own alone."},
      {work_outside_call, "work_outside_call", "time", false, kViolation,
       "The solution worked outside of the timed call.",
       "Let the call end when its work is done: no threads, processes or streams that go on."},
      {impossible_time, "impossible_time", "time", false, kViolation,
       "The time that was claimed is shorter than any that is possible.",
       "Do the work inside of the call, and leave the clock alone."},
      {unexplained_time, "unexplained_time", "time", kRetry, kViolation,
       "The call took longer than it claims, and nothing explains the difference.",
       "Do the work inside of the call; on a busy machine try again."},
      {clocks_disagree, "clocks_disagree", "time", kRetry, kViolation,
       "Two clocks read different times of the same calls.",
       "Do the same work in every call; on a busy machine try again."},
  };
  return all;
}

const ErrorFacts& facts_of(ErrorCode code) { return all_error_facts().at(static_cast<std::size_t>(code)); }

const ErrorFacts* find_error_facts(std::string_view name) {
  const auto& all = all_error_facts();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const ErrorFacts& facts) { return facts.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace fib::model
