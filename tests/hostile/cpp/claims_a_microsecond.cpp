// Takes over the worker's socket and claims a microsecond for a third of a millisecond of work.
#include "takes_over_protocol.h"

extern "C" void run(const float*, const float*, float*, std::int64_t n) {
  const auto nothing = [] {};
  const auto work = [n] {
    lie::add(n);
    lie::work_for_us(330);
    return 1000.0;
  };
  lie::serve(n, nothing, work, nothing);
}
