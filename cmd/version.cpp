#include <fmt/format.h>

#include "commands.h"
#include "worker/messages.h"

namespace fib::cmd {

std::string version_text() {
  const char* cuda = FIB_CUDA ? "built" : "not built (CUDA's headers were not found)";
  return fmt::format("fib {} (build {})\nCUDA support: {}", FIB_VERSION, worker::build_id().substr(0, 12),
                     cuda);
}

}  // namespace fib::cmd
