#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "util/unique_fd.h"
#include "worker/messages.h"

namespace fib::bench {

// The content of an artifact in a memory file that nobody can change (util::make_sealed_document): workers
// get that instead of a path or a descriptor of the cache, through which they could write to it. `sha256`:
// what the build said (compile::Artifact); empty: anything. Throws Error when the file cannot be read or is
// another one, which is no solution's fault.
[[nodiscard]] util::UniqueFd open_sealed(const std::filesystem::path& file, const std::string& sha256);

// What lies beside Start: on CUDA fib's own kernels for the device. Throws Error.
[[nodiscard]] std::vector<util::UniqueFd> kernels_beside(const worker::UseDevice& device);

}  // namespace fib::bench
