#include "bench/secret.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/random.h>

#include <array>

#include "util/errno_error.h"

namespace fib::bench {

std::string make_secret() {
  std::array<unsigned char, 32> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw util::errno_error("cannot get random bytes from the system");
  }
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

}  // namespace fib::bench
