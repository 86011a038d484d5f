#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace fib::compile {

// fib's own device code (kernels/): name and content of each file, the main source first. Embedded at build
// time.
[[nodiscard]] const std::vector<std::pair<std::string, std::string>>& kernel_sources();

// fib's own kernels for `architecture` ("sm_90a") as a cubin in the cache; compiled by NVRTC when it is not
// there (about a second). Needs no GPU. Throws Error when NVRTC is missing or the cache cannot be written.
[[nodiscard]] std::filesystem::path device_kernels(const std::string& architecture,
                                                   const std::filesystem::path& cache);

}  // namespace fib::compile
