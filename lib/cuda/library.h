#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fib::cuda {

// A shared library opened at run time, or the sentence that says why not. Never closed: CUDA's libraries do
// not support being unloaded.
struct Library {
  void* handle = nullptr;
  std::string path;     // of the file that was opened
  std::string problem;  // when handle is null: what is missing and where it was looked for

  [[nodiscard]] void* symbol(const char* name) const;  // null when it has none
};

// Opens the first of `names` (file names such as "libnvrtc.so.13", best first) that the loader or one of
// library_folders() has. `title` is how the sentence calls it: "NVRTC".
[[nodiscard]] Library open_library(const std::string& title, const std::vector<std::string>& names);

// Where users have CUDA's libraries besides the loader's own places, in the order of the search: CUDA_HOME
// and CUDA_PATH, /usr/local/cuda, and the nvidia/* folders of Python packages (VIRTUAL_ENV, the user's and
// the system's site-packages). Only folders that exist.
[[nodiscard]] std::vector<std::filesystem::path> library_folders();

// The same for headers: include folders of the toolkits and Python packages.
[[nodiscard]] std::vector<std::filesystem::path> include_folders();

}  // namespace fib::cuda
