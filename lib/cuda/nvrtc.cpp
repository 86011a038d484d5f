#include "cuda/nvrtc.h"

#include "cuda/library.h"
#include "util/error.h"

namespace fib::cuda {

Nvrtc Nvrtc::open() {
  const Library library = open_library("NVRTC", {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"});
  if (library.handle == nullptr) {
    throw Error(
        "{}; CUDA solutions with spec.launch cannot be compiled (install the CUDA toolkit, or the Python "
        "package nvidia-cuda-nvrtc)",
        library.problem);
  }
  Nvrtc nvrtc;
  nvrtc.path = library.path;
  const auto load = [&](const char* symbol, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(library.symbol(symbol));
    if (function == nullptr)
      throw Error("{} is too old: it has no {}; CUDA 12 or newer is needed", library.path, symbol);
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
    throw Error("{} is version {}.{}; CUDA 12 or newer is needed", library.path, nvrtc.major, nvrtc.minor);
  }
  return nvrtc;
}

}  // namespace fib::cuda
