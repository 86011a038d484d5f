// Says that it is done as soon as it is asked to run, and works when the outputs are asked for.
#include "takes_over_protocol.h"

extern "C" void run(const float*, const float*, float*, std::int64_t n) {
  const auto nothing = [] {};
  const auto at_once = [] { return 1000.0; };
  const auto work = [n] {
    lie::add(n);
    lie::work_for_us(1000);
  };
  lie::serve(n, nothing, at_once, work);
}
