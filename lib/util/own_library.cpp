#include "util/own_library.h"

#include <dlfcn.h>

#include "util/error.h"

namespace fib::util {

std::filesystem::path own_library() {
  Dl_info info{};
  const void* here = reinterpret_cast<const void*>(&own_library);  // NOLINT
  if (::dladdr(here, &info) == 0 || info.dli_fname == nullptr)
    throw Error("cannot find the file of libfib_core");
  return std::filesystem::canonical(info.dli_fname);
}

}  // namespace fib::util
