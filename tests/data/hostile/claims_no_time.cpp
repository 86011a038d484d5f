// Claims one nanosecond for a call that took milliseconds.
#include "takes_over_protocol.h"

extern "C" void run(const float*, const float*, float*, std::int64_t n) {
  ::usleep(5000);
  lie::send(lie::kDone, 9, lie::done_in(1));
  lie::claim(1, n);
}
