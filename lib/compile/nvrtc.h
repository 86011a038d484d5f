#pragma once

#include <string>
#include <utility>
#include <vector>

namespace fib::compile {

struct NvrtcInput {
  std::string name;  // of the main source, for messages
  std::string source;
  std::vector<std::pair<std::string, std::string>> headers;  // include name, content
  std::vector<std::string> options;                          // complete, the architecture included
  std::vector<std::string> kernels;                          // name expressions
};

struct NvrtcOutput {
  bool succeeded = false;
  std::string cubin;
  std::vector<std::string> symbols;  // one a name expression: the kernel's name in the cubin
  std::string log;                   // the compiler's messages
};

// Compiles in this process, without a GPU. Throws Error when NVRTC itself is missing or fails in a way that
// is not the source's fault.
[[nodiscard]] NvrtcOutput run_nvrtc(const NvrtcInput& input);

// "13.0": what decides, besides source and options, what comes out. Throws Error when NVRTC is missing.
[[nodiscard]] std::string nvrtc_version();

// The architecture to ask NVRTC for: `wanted` ("sm_103a") where this NVRTC knows its number. Throws Error
// with a sentence when the device is newer than this NVRTC.
[[nodiscard]] std::string check_architecture(const std::string& wanted);

}  // namespace fib::compile
