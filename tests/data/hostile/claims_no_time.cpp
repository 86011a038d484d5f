// Claims one nanosecond for a call that took milliseconds.
#include "takes_over_protocol.h"

extern "C" void run(const float*, const float*, float*, std::int64_t n) {
  ::usleep(5000);
  std::string done;
  lie::put(done, std::int64_t{1});
  lie::send(lie::kDone, 9, done);
  lie::claim(1, n);
}
