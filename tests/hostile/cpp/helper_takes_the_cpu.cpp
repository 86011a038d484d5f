// Lets a thread work on the very CPU that the worker's main thread waits for, and claims a tenth of the time:
// the rest shall pass for waiting.
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <thread>

#include "takes_over_protocol.h"

namespace {

std::atomic<int> asked = 0;
std::atomic<int> done = 0;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t wake = PTHREAD_COND_INITIALIZER;

void help() {
  for (int seen = 0;;) {
    ::pthread_mutex_lock(&mutex);
    while (asked == seen) ::pthread_cond_wait(&wake, &mutex);
    ::pthread_mutex_unlock(&mutex);
    seen = asked;
    lie::work_for_us(5000);
    done = seen;
  }
}

}  // namespace

extern "C" void run(const float*, const float*, float*, std::int64_t n) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(::sched_getcpu(), &one);
  ::sched_setaffinity(0, sizeof one, &one);
  std::thread(help).detach();
  const auto nothing = [] {};
  const auto work = [n] {
    ::pthread_mutex_lock(&mutex);
    const int number = ++asked;
    ::pthread_cond_signal(&wake);
    ::pthread_mutex_unlock(&mutex);
    ::usleep(100);  // until it has begun
    while (done != number) ::sched_yield();
    lie::add(n);
    return 500'000.0;
  };
  lie::serve(n, nothing, work, nothing);
}
