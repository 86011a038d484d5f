#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace fib::compile {

// fib's own headers for torch extensions (docs/torch-headers.md): path and content of each file, those of
// lib/torch_headers and what they share with fib. Embedded at build time.
[[nodiscard]] const std::vector<std::pair<std::string, std::string>>& torch_header_sources();

// The names by which extensions include them, as torch has them: "torch/extension.h", "ATen/ATen.h", …
[[nodiscard]] std::vector<std::string> torch_header_names();

// Where in a folder that write_torch_headers() has filled the code for tensors in device memory lies.
constexpr const char* kTorchDeviceCode = "fib_torch.cu";

// Writes all of them below `folder`, which is to be on the include path. Throws Error.
void write_torch_headers(const std::filesystem::path& folder);

// The version of torch whose behaviour they follow: "2.11.0".
constexpr const char* kTorchHeadersVersion = "2.11.0";

// A digest of all of them, names included.
[[nodiscard]] std::string torch_headers_digest();

// fib's own runtime for extensions that are built with them, libfib_torch.so, beside libfib.
[[nodiscard]] std::filesystem::path torch_headers_runtime();

}  // namespace fib::compile
