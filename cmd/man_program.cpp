#include <utility>

#include "commands.h"
#include "man_pages.h"
#include "roff.h"

namespace fib::cmd {
namespace {

using Item = std::pair<const char*, const char*>;

constexpr Item kVariables[] = {
    {"FIB_DATASET_PATH",
     "The dataset of commands without --local. Default: ~/.cache/flashinfer_bench/dataset."},
    {"FIB_CACHE_PATH",
     "Where builds are kept, and what just-in-time compilers of solutions made: a folder of this user's to "
     "which not everybody may write. Default: ~/.cache/flashinfer_bench/cache."},
    {"FIB_ENABLE_APPLY, FIB_ENABLE_TRACING",
     "Of programs that load libfib. Set to 1: they apply, or trace into, the dataset FIB_DATASET_PATH."},
    {"FIB_PROGRAM",
     "Of programs that load libfib: the fib that builds solutions. Default: beside libfib, or on PATH."},
    {"FIB_TRUST_FILE", "Solutions that fib apply trust has accepted. Default: ~/.config/fib/trusted.txt."},
    {"XDG_CONFIG_HOME", "Where fib/config.yaml is looked for. Default: ~/.config."},
    {"NCU", "Nsight Compute's command line, for fib profile. Default: ncu of the CUDA toolkit or on PATH."},
    {"FIB_OPENBLAS",
     "The libraries to try for fast matrix products, separated by colons; set and empty: none. Default: "
     "libopenblas.so.0, then libopenblas.so."},
    {"FIB_PYTHON",
     "The Python that runs Python solutions and builds torch extensions: a path, or a program on PATH; set "
     "and "
     "empty: none. Default: python3."},
    {"FIB_TVM_FFI_HOME",
     "A folder with include/tvm/ffi, the headers of TVM-FFI solutions. Default: the package apache-tvm-ffi "
     "of "
     "that Python, /usr/local, /usr."},
    {"TRITON_INTERPRET", "Set to 1: Triton solutions run on the CPU, in Triton's own interpreter."},
    {"CXX, CC, NVCC", "The compilers, which may have options behind them. Default: c++, cc, CUDA's nvcc."},
    {"CUDA_HOME, CUDA_PATH", "CUDA toolkits, looked at before /usr/local/cuda."},
    {"CUTLASS_PATH", "A CUTLASS checkout (the folder with include/), for solutions that depend on cutlass."},
    {"CUDA_VISIBLE_DEVICES", "The GPUs to use, as for every CUDA program."},
    {"VIRTUAL_ENV, CONDA_PREFIX", "Python environments whose packages are searched for CUDA's libraries."},
    {"COLUMNS",
     "The width of tables and help texts. Default: that of the terminal; no limit where stdout is none."},
    {"NO_COLOR", "Set: no colours in logs and nothing bold in tables. --color always comes before it."},
    {"FORCE_COLOR", "Set, but not to 0: colours and bold text where no terminal is, too."},
    {"TERM", "dumb, or not set: nothing bold in tables."},
    {"TMPDIR", "Where a run keeps its temporary files. Default: /tmp."},
    {"HOME", "What the tilde stands for above; packages of Python in ~/.local/lib are searched too."},
    {"PATH", "Where compilers, nvcc and git are found."},
};

constexpr std::pair<ExitCode, const char*> kExitCodeRows[] = {
    {kDone, "Everything asked for was done."},
    {kNotAllDone, "Something could not be done or loaded."},
    {kWrongUsage, "The command line is wrong."},
    {kGateFailed,
     "What the user asked to hold did not: run --strict, validate, "
     "report compare --fail-on-regression."},
    {kInterrupted, "Interrupted (Ctrl-C)."},
};

}  // namespace

std::string program_sections() {
  std::string text = roff::section("EXIT STATUS");
  for (const auto& [code, meaning] : kExitCodeRows)
    text += roff::item(roff::bold(std::to_string(code)), roff::paragraph(meaning));
  text += roff::section("ENVIRONMENT");
  for (const auto& [names, meaning] : kVariables)
    text += roff::item(roff::bold(names), roff::paragraph(meaning));
  return text;
}

}  // namespace fib::cmd
