// Forks as much as it can; whoever gets away with it goes on forking.
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

extern "C" int run(const float*, const float*, float*, std::int64_t) {
  for (int i = 0; i < 10; ++i) {
    const int pid = ::fork();
    if (pid == 0) {
      for (;;) ::fork();
    }
    if (pid < 0) {
      std::printf("fork: %s\n", std::strerror(errno));
      return 1;
    }
  }
  return 0;
}
