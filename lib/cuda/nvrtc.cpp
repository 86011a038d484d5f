#include "cuda/nvrtc.h"

#include "cuda/library.h"
#include "util/error.h"

namespace fib::cuda {

Nvrtc Nvrtc::open() {
  std::string problem;
  const auto library = open_library("NVRTC", {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}, problem);
  if (!library.is_open()) {
    throw Error(
        "{}; CUDA solutions with spec.launch cannot be compiled (install the CUDA toolkit, or the Python "
        "package nvidia-cuda-nvrtc)",
        problem);
  }
  Nvrtc nvrtc;
  nvrtc.path = library.file();
  const auto load = [&](const char* symbol, auto& function) {
    if (!library.find(symbol, function))
      throw Error("{} is too old: it has no {}; CUDA 12 or newer is needed", library.file(), symbol);
  };
  load("nvrtcVersion", nvrtc.version);
  load("nvrtcGetErrorString", nvrtc.error_string);
  load("nvrtcGetNumSupportedArchs", nvrtc.architecture_count);
  load("nvrtcGetSupportedArchs", nvrtc.architectures);
  load("nvrtcCreateProgram", nvrtc.create);
  load("nvrtcDestroyProgram", nvrtc.destroy);
  load("nvrtcAddNameExpression", nvrtc.add_name);
  load("nvrtcCompileProgram", nvrtc.compile);
  load("nvrtcGetLoweredName", nvrtc.lowered_name);
  load("nvrtcGetProgramLogSize", nvrtc.log_size);
  load("nvrtcGetProgramLog", nvrtc.log);
  load("nvrtcGetCUBINSize", nvrtc.cubin_size);
  load("nvrtcGetCUBIN", nvrtc.cubin);
  if (nvrtc.version(&nvrtc.major, &nvrtc.minor) != NVRTC_SUCCESS || nvrtc.major < 12) {
    throw Error("{} is version {}.{}; CUDA 12 or newer is needed", library.file(), nvrtc.major, nvrtc.minor);
  }
  return nvrtc;
}

}  // namespace fib::cuda
