// Claims one nanosecond for a call that took milliseconds, and then another time.
#include "takes_over_protocol.h"

extern "C" void run(const float*, const float*, float*, std::int64_t n) {
  ::usleep(5000);
  lie::send(lie::kDone, lie::ticket_of_run(), lie::done_in(1));
  lie::claim(1, n);
}
