// Takes over the worker's socket for good and does honest work, but claims a thousandth of the time it took.
#include "takes_over_protocol.h"

extern "C" void run(const float*, const float*, float*, std::int64_t n) {
  const auto nothing = [] {};
  const auto work = [n] {
    lie::add(n);
    ::usleep(20'000);
    return 5000.0;
  };
  lie::serve(n, nothing, work, nothing);
}
