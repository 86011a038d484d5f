#pragma once

#include <cuda.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cuda/nvrtc.h"
#include "ops/gpu/device.h"
#include "ops/gpu/gpu.h"

namespace fib::ops::gpu {

// kernels/ops/ and what it includes: name and content of each file. Embedded at build time.
[[nodiscard]] const std::vector<std::pair<std::string, std::string>>& kernel_sources();

// The cubin of one program. Needs no GPU. Throws Error when it does not compile, with the compiler's
// messages.
[[nodiscard]] std::string compile(const cuda::Nvrtc& nvrtc, const std::string& architecture,
                                  const Program& program);

// Programs compiled and loaded when they are asked for the first time (about 50 ms each), for the life of the
// process's context. One thread at a time.
class Programs {
 public:
  Programs(const Device& device, const cuda::Nvrtc& nvrtc) : device_(device), nvrtc_(nvrtc) {}
  ~Programs();
  Programs(const Programs&) = delete;
  Programs& operator=(const Programs&) = delete;

  // Throws Error. The context must be the calling thread's.
  [[nodiscard]] CUfunction function(const Program& program, const std::string& kernel);

 private:
  [[nodiscard]] CUmodule module_of(const Program& program);

  const Device& device_;
  const cuda::Nvrtc nvrtc_;
  std::map<std::string, CUmodule> modules_;
  std::map<std::pair<CUmodule, std::string>, CUfunction> functions_;
};

}  // namespace fib::ops::gpu
