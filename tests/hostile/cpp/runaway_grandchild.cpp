// A grandchild in a session of its own that would live on for an hour.
#include <unistd.h>

#include <cstdint>
#include <cstdio>

extern "C" int run(const float* a, const float* b, float* c, std::int64_t n) {
  if (::fork() == 0) {
    ::setsid();
    if (::fork() == 0) {
      ::execlp("sleep", "sleep", "3600", nullptr);
      ::sleep(3600);
    }
    ::_exit(0);
  }
  for (std::int64_t i = 0; i < n; ++i) c[i] = a[i] + b[i];
  std::printf("computed\n");
  return 0;
}
