// Works for a millisecond in every call: when it is prepared, when it runs, or when outputs are collected, in
// turn, so that none of the three is slow in most calls.
#include "takes_over_protocol.h"

extern "C" void run(const float*, const float*, float*, std::int64_t n) {
  static int call = 0;
  const auto work_if = [](int turn) {
    if (call % 3 == turn) lie::work_for_us(1000);
  };
  const auto prepare = [&] {
    ++call;
    work_if(0);
  };
  const auto run = [&] {
    lie::add(n);
    work_if(1);
    return 1000.0;
  };
  lie::serve(n, prepare, run, [&] { work_if(2); });
}
