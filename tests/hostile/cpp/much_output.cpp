// Right, and prints 256 MiB in its first call.
#include <unistd.h>

#include <cstdint>
#include <cstring>

extern "C" void run(const float* a, const float* b, float* c, std::int64_t n) {
  static char text[1 << 20];
  static bool first = true;
  if (first) {
    std::memset(text, 'x', sizeof text);
    for (int i = 0; i < 256; ++i) {
      for (std::size_t done = 0; done < sizeof text;) {
        const auto put = ::write(1, text + done, sizeof text - done);
        if (put <= 0) return;
        done += static_cast<std::size_t>(put);
      }
    }
    first = false;
  }
  for (std::int64_t i = 0; i < n; ++i) c[i] = a[i] + b[i];
}
