#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "util/shared_library.h"

namespace fib::cuda {

// Opens the first of `names` (file names such as "libnvrtc.so.13", best first) that the loader or one of
// library_folders() has. Where there is none, it is not open, and `problem` says what is missing and where it
// was looked for; `title` is how that sentence calls it: "NVRTC".
[[nodiscard]] util::SharedLibrary open_library(const std::string& title,
                                               const std::vector<std::string>& names, std::string& problem);

// Where users have CUDA's libraries besides the loader's own places, in the order of the search: CUDA_HOME
// and CUDA_PATH, /usr/local/cuda, and the nvidia/* folders of Python packages (VIRTUAL_ENV, the user's and
// the system's site-packages). Only folders that exist.
[[nodiscard]] std::vector<std::filesystem::path> library_folders();

// The same for headers: include folders of the toolkits and Python packages.
[[nodiscard]] std::vector<std::filesystem::path> include_folders();

}  // namespace fib::cuda
