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

// Of a compiler's command: of programs ("ccache g++") what they need, of folders that options name ("-isystem
// /opt/include") the folders.
std::vector<std::filesystem::path> files_of_word(const std::string& word, bool is_first) {
  if (word.starts_with('-')) return {};
  std::error_code error;
  const bool is_path = word.find('/') != std::string::npos;
  if (!is_first && is_path && std::filesystem::is_directory(word, error))
    return {std::filesystem::absolute(word, error)};
  return sandbox::folders_of_program(word);
}

}  // namespace

sandbox::FileAccess files_of_compilers(const BuildTarget& target) {
  if (target.files) return *target.files;
  sandbox::FileAccess access;
  access.mode = target.sandbox;
  access.private_bytes = kPrivateBytes;
  access.endless_devices = false;  // a source may include them
  access.readable = target.readable;
  const Toolchain toolchain;
  for (const auto* command : {&toolchain.cxx, &toolchain.cc, &toolchain.nvcc}) {
    for (std::size_t i = 0; i < command->size(); ++i)
      append(access.readable, files_of_word((*command)[i], i == 0));
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
