// Tries to take the shared buffers away from the judge: truncate, grow, and map the inputs writable.
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>

extern "C" void run(const float* a, const float* b, float* c, std::int64_t n) {
  int truncated = 0;
  int writable = 0;
  for (int fd = 3; fd < 64; ++fd) {
    struct stat info {};
    if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) continue;
    if (::ftruncate(fd, 0) == 0 || ::ftruncate(fd, info.st_size * 2) == 0) ++truncated;
    void* memory = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory != MAP_FAILED) ++writable;
  }
  std::printf("truncated %d, writable %d\n", truncated, writable);
  for (std::int64_t i = 0; i < n; ++i) c[i] = a[i] + b[i];
}
