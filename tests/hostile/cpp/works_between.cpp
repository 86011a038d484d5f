// Its main thread rests in the run, in which another thread works for three milliseconds, answers, and works
// for three more before it looks for the next request.
#include <thread>

#include "takes_over_protocol.h"

extern "C" void run(const float*, const float*, float*, std::int64_t n) {
  const auto run = [] { return lie::time_of([] { std::thread([] { lie::work_for_us(3000); }).join(); }); };
  lie::serve(n, lie::nothing, run, lie::nothing, [&] {
    lie::add(n);
    lie::work_for_us(3000);
  });
}
