// Its main thread works for three milliseconds in every call when the call is prepared or when outputs are
// collected, and rests in the run, in which another thread works for as long: in the whole call the main
// thread uses no more of a CPU than the run lasts, which is what it claims.
#include <thread>

#include "takes_over_protocol.h"

extern "C" void run(const float*, const float*, float*, std::int64_t n) {
  static int call = 0;
  const auto work = [] { lie::work_for_us(3000); };
  const auto work_if = [&](int turn) {
    if (call % 2 == turn) work();
  };
  const auto prepare = [&] {
    ++call;
    work_if(0);
  };
  const auto run = [&] {
    return lie::time_of([&] {
      lie::add(n);
      std::thread(work).join();
    });
  };
  lie::serve(n, prepare, run, [&] { work_if(1); });
}
