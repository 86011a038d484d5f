#include <cstdint>

extern "C" void run(const float*, const float*, float*, std::int64_t) {
  for (volatile int i = 0;; i = i + 1) {
  }
}
