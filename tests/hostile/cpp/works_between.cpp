// Its main thread rests in the run, in which another thread works for three milliseconds, answers, and works
// for three more before it looks for the next request.
#include <thread>

#include "takes_over_protocol.h"

extern "C" void run(const float*, const float*, float*, std::int64_t n) {
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
  };
  lie::Header request;
  request.type = lie::kRun;
  request.ticket = lie::ticket_of_run();
  while (true) {
    if (request.type == lie::kPrepare) {
      lie::send(lie::kReady, request.ticket, "");
    } else if (request.type == lie::kRun) {
      const double begin = now();
      std::thread([] { lie::work_for_us(3000); }).join();
      lie::send(lie::kDone, request.ticket, lie::done_in(now() - begin));
      lie::add(n);
      lie::work_for_us(3000);
    } else if (request.type == lie::kCollect) {
      lie::send(lie::kCollected, request.ticket, lie::collected_of(1, n));
    } else {
      ::_exit(0);
    }
    request = lie::receive();
  }
}
