#pragma once

#include <nvrtc.h>

#include <string>

namespace fib::cuda {

// The functions of NVRTC that fib uses, opened at run time. Plain data; threads: as NVRTC's own.
struct Nvrtc {
  // Throws Error with one sentence: what is missing, where it was looked for, what cannot be done.
  [[nodiscard]] static Nvrtc open();

  std::string path;  // of the library
  int major = 0;
  int minor = 0;

  decltype(&nvrtcVersion) version = nullptr;
  decltype(&nvrtcGetErrorString) error_string = nullptr;
  decltype(&nvrtcGetNumSupportedArchs) architecture_count = nullptr;
  decltype(&nvrtcGetSupportedArchs) architectures = nullptr;
  decltype(&nvrtcCreateProgram) create = nullptr;
  decltype(&nvrtcDestroyProgram) destroy = nullptr;
  decltype(&nvrtcAddNameExpression) add_name = nullptr;
  decltype(&nvrtcCompileProgram) compile = nullptr;
  decltype(&nvrtcGetLoweredName) lowered_name = nullptr;
  decltype(&nvrtcGetProgramLogSize) log_size = nullptr;
  decltype(&nvrtcGetProgramLog) log = nullptr;
  decltype(&nvrtcGetCUBINSize) cubin_size = nullptr;
  decltype(&nvrtcGetCUBIN) cubin = nullptr;
};

}  // namespace fib::cuda
