#include "util/errno_error.h"

#include <cerrno>
#include <system_error>

namespace fib::util {

Error errno_error(const std::string& what) {
  return Error(what + ": " + std::generic_category().message(errno));
}

}  // namespace fib::util
