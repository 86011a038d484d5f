#include <fmt/format.h>

#include "commands.h"
#include "worker/messages.h"

namespace fib::cmd {

std::string version_text() {
  const char* cuda = FIB_CUDA_HEADERS ? "headers found at build time, but this version runs on the CPU only"
                                      : "not built (cuda.h was not found); this version runs on the CPU only";
  return fmt::format("fib {} (build {})\nCUDA support: {}", FIB_VERSION, worker::build_id().substr(0, 12), cuda);
}

}  // namespace fib::cmd
