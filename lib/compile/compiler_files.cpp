#include "compile/compiler_files.h"

#if FIB_CUDA
#include "cuda/library.h"
#endif

namespace fib::compile {
namespace {

constexpr std::uint64_t kPrivateBytes = std::uint64_t{256} << 20U;  // builds work in their own folder

template <typename Paths>
void append(std::vector<std::filesystem::path>& paths, const Paths& more) {
  paths.insert(paths.end(), more.begin(), more.end());
}

}  // namespace

sandbox::FileAccess files_of_compilers(const BuildTarget& target) {
  sandbox::FileAccess access;
  access.mode = target.sandbox;
  access.private_bytes = kPrivateBytes;
  access.endless_devices = false;  // a source may include them
  access.readable = target.readable;
  const Toolchain toolchain;
  for (const auto* command : {&toolchain.cxx, &toolchain.cc, &toolchain.nvcc}) {
    for (const auto& word : *command) {
      if (!word.starts_with('-')) append(access.readable, sandbox::folders_of_program(word));
    }
  }
  append(access.readable,
         sandbox::folders_in_variables({"CUDA_HOME", "CUDA_PATH", "CUTLASS_PATH", "LD_LIBRARY_PATH"}));
#if FIB_CUDA
  append(access.readable, cuda::include_folders());
  append(access.readable, cuda::library_folders());
#endif
  if (target.python) {
    append(access.readable, sandbox::folders_of_program(target.python->path));
    append(access.readable, target.python->folders);
  }
  return access;
}

}  // namespace fib::compile
