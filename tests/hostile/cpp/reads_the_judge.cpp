// Looks for other processes' memory, environment and the run's secret.
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>

extern "C" void run(const float* a, const float* b, float* c, std::int64_t n) {
  int opened = 0;
  for (int pid = ::getpid() - 60; pid < ::getpid() + 60; ++pid) {
    if (pid <= 1 || pid == ::getpid()) continue;
    const std::string path = "/proc/" + std::to_string(pid) + "/comm";
    char name[16] = {};
    const int comm = ::open(path.c_str(), O_RDONLY);
    if (comm < 0) continue;
    const auto size = ::read(comm, name, sizeof name - 1);
    ::close(comm);
    if (size < 3 || std::string(name, 3) != "fib") continue;
    for (const char* file : {"/mem", "/environ", "/maps", "/fd/3"}) {
      const int fd = ::open(("/proc/" + std::to_string(pid) + file).c_str(), O_RDONLY);
      char byte;
      if (fd >= 0 && ::read(fd, &byte, 1) >= 0) ++opened;
      if (fd >= 0) ::close(fd);
    }
  }
  std::printf("opened %d\n", opened);
  for (std::int64_t i = 0; i < n; ++i) c[i] = a[i] + b[i];
}
